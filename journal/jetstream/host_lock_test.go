package jetstream

import "testing"

func TestLastHosted(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if _, hosted := LastHosted(dir); !hosted {
		t.Error("of a folder without a journal nobody can tell")
	}
	s, err := Open(t.Context(), Options{Dir: dir, Mode: Short, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, hosted := LastHosted(dir); !hosted {
		t.Error("its host is not seen")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	first, hosted := LastHosted(dir)
	if again, _ := LastHosted(dir); hosted || !again.Equal(first) {
		t.Errorf("hosted: %v, %v and then %v", hosted, first, again)
	}
	s, err = Open(t.Context(), Options{Dir: dir, Mode: Short, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if second, _ := LastHosted(dir); !second.After(first) {
		t.Errorf("a host that came and went is not seen: %v, then %v", first, second)
	}
}
