package builtin_test

import (
	"bytes"
	"os"
	"testing"

	"mulligan/internal/builtin"
)

// TestReferenceIsCurrent keeps the page of all keys in step with the table that config is
// decoded by. UPDATE_GOLDEN=1 writes it anew.
func TestReferenceIsCurrent(t *testing.T) {
	const page = "../../docs/config-reference.md"
	var want bytes.Buffer
	want.WriteString("# All keys of mulligan.yaml\n\nMade from the table that the config is read by. [Configuration](configuration.md) explains them.\n\n")
	if err := builtin.Schema().Reference(&want); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the table says; UPDATE_GOLDEN=1 go test ./internal/builtin writes it anew", page)
	}
}
