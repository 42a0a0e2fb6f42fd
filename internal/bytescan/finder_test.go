package bytescan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// nextEverywhere is Next without any skipping, by the words alone.
func nextEverywhere(words []Word, p []byte, i int) int {
	for ; i < len(p); i++ {
		for _, w := range words {
			if beginsWith(p[i:], w) {
				return i
			}
		}
	}
	return len(p)
}

func beginsWith(p []byte, w Word) bool {
	for k := 0; k < min(len(w), window, len(p)); k++ {
		if !w[k][p[k]] {
			return false
		}
	}
	return true
}

// fold returns the word that is a text, whatever the case of its letters.
func fold(text string) Word {
	w := Literal(text)
	for i := range w {
		if c := text[i] | 0x20; c >= 'a' && c <= 'z' {
			w[i][c], w[i][c&^0x20] = true, true
		}
	}
	return w
}

func checkNext(t *testing.T, f *Finder, words []Word, p []byte) {
	t.Helper()
	for i := 0; i <= len(p); i++ {
		got := f.Next(p, i)
		if want := nextEverywhere(words, p, i); got != want {
			t.Fatalf("Next(%q, %d) is %d, want %d", p, i, got, want)
		}
	}
}

// A word is found wherever it stands, at the very end too.
func TestNextMissesNoWord(t *testing.T) {
	words := []Word{Literal("token"), fold("Fail"), Literal("sk-"), {OneOf(":"), OneOf("0123456789")}, {OneOf("\x00")}, {OneOf("\xf8\xf9\xfa\xff")}}
	f := NewFinder(words)
	for _, text := range []string{"token", "fAIL", "FAIL", "sk-", ":7", "\x00", "\xff", "tok", "s", ":"} {
		for before := range 36 {
			for _, after := range []int{0, 1, 2, 3, 15, 16, 17, 40} {
				p := []byte(fmt.Sprintf("%s%s%s", bytes.Repeat([]byte("x"), before), text, bytes.Repeat([]byte("z"), after)))
				checkNext(t, f, words, p)
			}
		}
	}
}

// With one word for each bucket, nothing but the word is found.
func TestNextFindsNothingElse(t *testing.T) {
	f := NewFinder([]Word{Literal("ghp_"), Literal("AKIA"), Literal("://")})
	text := bytes.Repeat([]byte("a quite ordinary text with words: and / slashes\n"), 100)
	if at := f.Next(text, 0); at != len(text) {
		t.Errorf("found %q at %d", text[at:at+4], at)
	}
	if f.Chance() > 1e-3 {
		t.Errorf("the chance is %g", f.Chance())
	}
}

func TestNextOfRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		letters := 2 + r.IntN(254)
		random := func(n int) []byte {
			p := make([]byte, n)
			for i := range p {
				p[i] = byte(r.IntN(letters))
			}
			return p
		}
		var words []Word
		for range r.IntN(60) {
			words = append(words, Literal(string(random(1+r.IntN(6)))))
		}
		checkNext(t, NewFinder(words), words, random(r.IntN(120)))
	}
}

func FuzzNext(f *testing.F) {
	f.Add("token", "sk-", []byte("this is a text with a token and sk-abc in it"))
	f.Fuzz(func(t *testing.T, a, b string, p []byte) {
		if len(p) < 500 {
			words := []Word{Literal(a + "?"), fold(b + "?")}
			checkNext(t, NewFinder(words), words, p)
		}
	})
}

func BenchmarkNext(b *testing.B) {
	f := NewFinder([]Word{Literal("ghp_"), Literal("AKIA"), Literal("://"), fold("error")})
	text := bytes.Repeat([]byte("a quite ordinary text with words: and / slashes\n"), 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		f.Next(text, 0)
	}
}
