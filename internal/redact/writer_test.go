package redact

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var someEnviron = []string{
	"A_TOKEN=abcdefghijklmnop", "B_TOKEN=ijklmnopqrstuvwx", "OUTER_KEY=((inner-value-123))", "INNER_KEY=inner-value-123",
	"MULTI_SECRET=first line\nsecond \"line\"\nthird", "AAB_KEY=aaaaaaaaaaaaaab", "LONG_SECRET=" + strings.Repeat("long value, ", 100),
	"GITHUB_TOKEN=ghp_" + fill(36),
}

// morsels are what the texts of the property are put together from: secrets, beginnings of
// them, and what stands around them.
var morsels = []string{
	"abcdefghijklmnop", "abcdefgh", "ijklmnop", "qrstuvwx", "((inner-value-123))", "inner-value-", "123", "first line\nsecond \"line\"\nthird",
	`first line\nsecond \"line\"\nthird`, "aaaaaaaaaaaaaaaaaaaa", "b", strings.Repeat("long value, ", 100), strings.Repeat("long value, ", 40),
	"ghp_" + fill(36), "ghp_" + fill(30), "sk-ant-" + fill(50), "sk-", "sk-ant-", "-", "AKIA" + strings.ToUpper(fill(16)), "https://me:longpassword@", "git.internal/", "://", "@",
	"Authorization: ", "Bearer ", fill(40), pem("PRIVATE KEY"), "-----BEGIN RSA PRIVATE KEY-----", "\n", `\n`, " ", "\x1b[31m", "%20", "é", "日本", "\x00\xff", "words and more words. ",
	"-----END PRIVATE KEY-----", "-----",
}

func morsel(rnd *rand.Rand) string {
	var b strings.Builder
	for range 1 + rnd.IntN(12) {
		m := morsels[rnd.IntN(len(morsels))]
		if rnd.IntN(8) == 0 {
			m = m[:rnd.IntN(len(m)+1)]
		}
		b.WriteString(m)
	}
	return b.String()
}

// TestPiecesMakeNoDifference: however a text is cut, what comes out is what String makes of
// the whole, and no secret is in it.
func TestPiecesMakeNoDifference(t *testing.T) {
	r := New(someEnviron)
	for seed := range uint64(4000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		text := morsel(rnd)
		want := r.String(text)
		if got := inPieces(t, r, text, rnd); got != want {
			t.Fatalf("seed %d: %q\nin pieces %q\nas a whole %q", seed, text, got, want)
		}
		for _, s := range findSecrets(someEnviron) {
			if strings.Contains(want, s.value) {
				t.Fatalf("seed %d: %q\ngave %q\nwith %q", seed, text, want, s.value)
			}
		}
	}
}

func inPieces(t *testing.T, r *Redactor, text string, rnd *rand.Rand) string {
	t.Helper()
	var out bytes.Buffer
	w := r.Writer(&out)
	most := 1 + rnd.IntN(60)
	for rest := text; rest != ""; {
		n := min(1+rnd.IntN(most), len(rest))
		if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
			t.Fatalf("wrote %d of %d: %v", got, n, err)
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func FuzzPieces(f *testing.F) {
	r := New(someEnviron)
	for _, m := range morsels {
		f.Add(m, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		text = text[:min(len(text), 20<<10)] // longer than any secret is enough
		want := r.String(text)
		rnd := rand.New(rand.NewPCG(seed, 2))
		if got := inPieces(t, r, text, rnd); got != want {
			t.Fatalf("%q\nin pieces %q\nas a whole %q", text, got, want)
		}
		for _, s := range findSecrets(someEnviron) {
			if strings.Contains(want, s.value) {
				t.Fatalf("%q gave %q", text, want)
			}
		}
	})
}

// TestHoldsLittle: what is shown live is not kept waiting for what cannot be a secret.
func TestHoldsLittle(t *testing.T) {
	r := New([]string{"A_TOKEN=abcdefghijklmnop"})
	for _, test := range []struct{ text, shown string }{
		{"ok  \tpkg\t0.1s\n", "ok  \tpkg\t0.1s\n"},
		{"progress 42%", "progress 42%"},
		{"continue? [y/n] ", "continue? [y/n] "},
		{"one abc", "one "},
		{"one abz", "one abz"},
		{"word sk-", "word "},
		{"word sk-learn ", "word sk-learn "},
		{"see https://example.com", "see https"},
		{"see https://example.com/", "see https://example.com/"},
		{"abcdefghijklmnop", "[secret:A_TOKEN]"},
		{"-----BEGIN PRIVATE KEY-----\")", "-----BEGIN PRIVATE KEY-----\")"},
	} {
		var out bytes.Buffer
		w := r.Writer(&out)
		fmt.Fprint(w, test.text)
		if out.String() != test.shown {
			t.Errorf("of %q it showed %q, want %q", test.text, out.String(), test.shown)
		}
		w.Close()
		if want := r.String(test.text); out.String() != want {
			t.Errorf("of %q it wrote %q, want %q", test.text, out.String(), want)
		}
	}
}

// TestHoldIsBounded: no text makes the Writer keep more than a secret's length.
func TestHoldIsBounded(t *testing.T) {
	r := New(someEnviron)
	for _, m := range append(morsels, "-----BEGIN PRIVATE KEY-----\n"+fill(64), "Authorization: Bearer a", "https://a", "sk-ant-a", "-----BEGIN PRIVATE KEY-----\n:") {
		for _, last := range []string{m, m[len(m)-1:]} {
			w := r.Writer(discard{})
			fmt.Fprint(w, m)
			piece := []byte(strings.Repeat(last, 8<<10/len(last)+1))
			for range 40 {
				w.Write(piece)
				if len(w.held) > 40<<10 || cap(w.held) > 256<<10 || len(w.scan.spans) > 10 {
					t.Fatalf("%q again and again: %d bytes are held, %d spans", last, len(w.held), len(w.scan.spans))
				}
			}
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func TestErrorsAreTold(t *testing.T) {
	full := errors.New("full")
	w := New(nil).Writer(failing{full})
	if _, err := w.Write([]byte("text\n")); !errors.Is(err, full) {
		t.Errorf("Write gave %v", err)
	}
	if n, err := w.Write([]byte("sk-")); n != 3 || err != nil {
		t.Errorf("what is held back gave %d, %v", n, err)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close gave %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestPiecesOfTheLongest: at the lengths where a shape is given up, too.
func TestPiecesOfTheLongest(t *testing.T) {
	r := New(nil)
	const key, end = "-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY-----\nrest"
	for n := longestKey - 24; n < longestKey+4; n++ {
		rnd := rand.New(rand.NewPCG(uint64(n), 3))
		for _, text := range []string{key + fill(n) + end, key + strings.Repeat(fill(63)+"\n", n/64) + fill(n%64) + end, "Authorization: Bearer " + fill(n) + " rest"} {
			want := r.String(text)
			var out bytes.Buffer
			w := r.Writer(&out)
			first := len(text) - 60 + rnd.IntN(60)
			fmt.Fprint(w, text[:first])
			for i := first; i < len(text); i++ {
				fmt.Fprint(w, text[i:i+1])
			}
			w.Close()
			if out.String() != want {
				t.Fatalf("%d characters, cut at %d: in pieces …%q, as a whole …%q", n, first, out.String()[max(out.Len()-99, 0):], want[max(len(want)-99, 0):])
			}
		}
	}
}
