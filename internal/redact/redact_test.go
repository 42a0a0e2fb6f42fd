package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestFormsOfAValue: a value is found as it is, and as programs escape it.
func TestFormsOfAValue(t *testing.T) {
	for _, value := range []string{
		"plain-value-0123", `quo"te\back/sl<a>sh&'é`, "with spaces & more", `.*+?^$(){}[]|\regex`, "first line\nsecond line\n\tthird", "日本語のパスワードは長い、とても長い",
		strings.Repeat("long value, ", 300) + "end",
	} {
		r := New([]string{"MY_TOKEN=" + value})
		inJSON, _ := json.Marshal(value)
		twice, _ := json.Marshal(string(inJSON))
		for name, form := range map[string]string{
			"itself":     value,
			"json":       string(inJSON[1 : len(inJSON)-1]),
			"json twice": string(twice[3 : len(twice)-3]),
			"query":      url.QueryEscape(value),
			"path":       url.PathEscape(value),
			"lower":      lowerEscapes(url.QueryEscape(value)),
			"terminal":   strings.ReplaceAll(value, "\n", "\r\n"),
		} {
			if got := r.String("<" + form + ">"); strings.Contains(got, form) || !strings.HasPrefix(got, "<[secret:MY_TOKEN]") || len(got) > len("<[secret:MY_TOKEN]")+3 {
				t.Errorf("%s of %q gave %q", name, value, got)
			}
		}
		for _, user := range []string{"", "u:", "me:", "you:"} {
			encoded := base64.StdEncoding.EncodeToString([]byte(user + value))
			got := r.String(encoded)
			if !strings.Contains(got, "[secret:MY_TOKEN]") || len(strings.Replace(got, "[secret:MY_TOKEN]", "", 1)) > 10 {
				t.Errorf("base64 of %q gave %q", user+value, got)
			}
		}
	}
}

// TestOverlaps: values that share text leave nothing of each other.
func TestOverlaps(t *testing.T) {
	r := New([]string{
		"A_TOKEN=abcdefghijklmnop", "B_TOKEN=ijklmnopqrstuvwx", "OUTER_KEY=((inner-value-123))", "INNER_KEY=inner-value-123",
		"GITHUB_TOKEN=ghp_" + fill(36), "SAME_TOKEN=abcdefghijklmnop", "PREFIX_KEY=inner-value-123-and-more",
	})
	for _, test := range []struct{ text, want string }{
		{"abcdefghijklmnop", "[secret:A_TOKEN]"},
		{"abcdefghijklmnopqrstuvwx!", "[secret:A_TOKEN]!"},
		{"abcdefghijklmnopabcdefghijklmnop", "[secret:A_TOKEN][secret:A_TOKEN]"},
		{"-((inner-value-123))-", "-[secret:OUTER_KEY]-"},
		{"-(inner-value-123)-", "-([secret:INNER_KEY])-"},
		{"inner-value-123-and-more", "[secret:PREFIX_KEY]"},
		{"inner-value-123-and-mor", "[secret:INNER_KEY]-and-mor"},
		{"ghp_" + fill(36), "[secret:GITHUB_TOKEN]"},
		{"ghp_" + fill(36) + "abcdefghijklmnop", "[secret:github-token]"},
		{"https://u:inner-value-123@db.internal", "https://u:[secret:INNER_KEY]@db.internal"},
		{"https://u:xinner-value-123@db.internal", "https://u:[secret:url-password]@db.internal"},
	} {
		if got := r.String(test.text); got != test.want {
			t.Errorf("%q gave %q, want %q", test.text, got, test.want)
		}
	}
	_, names := r.Clean("inner-value-123 abcdefghijklmnop inner-value-123")
	if want := []string{"INNER_KEY", "A_TOKEN"}; !slices.Equal(names, want) {
		t.Errorf("names are %q, want %q", names, want)
	}
}

// TestLinesOfAKey: a key that is printed line by line, with something before each.
func TestLinesOfAKey(t *testing.T) {
	key := pem("PRIVATE KEY")
	r := New([]string{"DEPLOY_KEY=" + key})
	got := r.String("  | " + strings.ReplaceAll(key, "\n", "\n  | "))
	if strings.Contains(got, fill(64)) {
		t.Errorf("lines are left:\n%s", got)
	}
}

func TestAgainChangesNothing(t *testing.T) {
	r := New([]string{"A_TOKEN=abcdefghijklmnop"})
	once := r.String("abcdefghijklmnop https://u:longpassword@h/ Authorization: Bearer " + fill(30) + " " + pem("PRIVATE KEY"))
	if again := r.String(once); again != once {
		t.Errorf("%q became %q", once, again)
	}
}
