package redact

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"mulligan/internal/bytescan"
)

// newWithFinder returns a Redactor that has seen much.
func newWithFinder(environ []string) *Redactor {
	r := New(environ)
	r.index.seen.Store(manyBytes)
	return r
}

// newWithoutFinder returns a Redactor that looks at pairs of bytes alone, as on a processor without vectors.
func newWithoutFinder(environ []string) *Redactor {
	r := New(environ)
	r.index.getFinder = func() *bytescan.Finder { return nil }
	return r
}

// redactInPieces returns what a Writer makes of a text that comes in pieces of random sizes.
func redactInPieces(r *Redactor, text []byte, sizes *rand.Rand) string {
	var out bytes.Buffer
	w := r.Writer(&out)
	for len(text) > 0 {
		n := min(1+sizes.IntN(20<<10), len(text))
		if sizes.IntN(4) == 0 {
			n = min(1+sizes.IntN(40), len(text))
		}
		w.Write(text[:n])
		text = text[n:]
	}
	w.Close()
	return out.String()
}

// randomText returns a text of ordinary words and of secrets, whole, cut and glued together.
func randomText(r *rand.Rand, secrets []string) []byte {
	var b bytes.Buffer
	for size := 5<<10 + r.IntN(40<<10); b.Len() < size; {
		secret := secrets[r.IntN(len(secrets))]
		switch r.IntN(12) {
		case 0:
			b.WriteString(secret)
		case 1:
			b.WriteString(secret[:r.IntN(len(secret))])
		case 2:
			b.WriteString(secret[r.IntN(len(secret)):])
		case 3:
			b.WriteByte(byte(r.IntN(256)))
		default:
			b.WriteString([]string{" ", "\n", "compiling ", "src/main.go:12 ", "-----", "://", "\\n", "=", "\"", "é"}[r.IntN(10)])
		}
	}
	return b.Bytes()
}

// sampleSecrets returns one of each shape, and the values of the environment in several forms.
func sampleSecrets(environ []string) (list []string) {
	for _, t := range tokenShapes() {
		for _, head := range t.heads {
			list = append(list, head+strings.Repeat(t.of, t.min/len(t.of)+1)[:t.min])
		}
	}
	for _, pair := range environ {
		_, value, _ := strings.Cut(pair, "=")
		list = append(list, listForms(value)...)
	}
	return append(list, "https://user:s3cr3t-pa55word@host.io/", "Authorization: Bearer "+fill(30),
		"-----BEGIN RSA PRIVATE KEY-----\n"+strings.Repeat(fill(60)+"\n", 4)+"-----END RSA PRIVATE KEY-----\n",
		"eyJ"+fill(20)+".eyJ"+fill(30)+"."+fill(20), "123456789:AA"+fill(33))
}

// A processor that finds many places at once removes what one does that looks at pairs.
func TestFinderChangesNothing(t *testing.T) {
	if !bytescan.IsFast() {
		t.Skip("this processor has no vectors")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 20 {
		environ := environOf([]int{0, 1, 3, 20}[round%4])
		if round%5 == 0 {
			environ = append(environ, fmt.Sprintf("OTHER_TOKEN=%s", strings.Repeat(string(rune('a'+round%26)), 3)+"/ü"+fill(20)))
		}
		fast, slow := newWithFinder(environ), newWithoutFinder(environ)
		if fast.index.getFinder() == nil {
			t.Fatal("there is no finder")
		}
		text := randomText(r, sampleSecrets(environ))
		want := redactInPieces(slow, text, r)
		if got := redactInPieces(fast, text, r); got != want {
			t.Fatalf("round %d: the results differ at byte %d", round, differAt(got, want))
		}
		if got, want := fast.String(string(text)), slow.String(string(text)); got != want {
			t.Fatalf("round %d: the texts differ at byte %d", round, differAt(got, want))
		}
		if !strings.Contains(want, "[secret:") {
			t.Fatal("the text had no secret")
		}
	}
}

// A Redactor makes a finder once it has seen much: most see little.
func TestFinderIsMadeForMuch(t *testing.T) {
	r := New(nil)
	made := 0
	r.index.getFinder = func() *bytescan.Finder {
		made++
		return nil
	}
	piece := bytes.Repeat([]byte("some words\n"), 1000)
	w := r.Writer(io.Discard)
	for range manyBytes / 2 / len(piece) {
		w.Write(piece)
	}
	if made > 0 {
		t.Error("it asks for a finder after half of it")
	}
	for range manyBytes / len(piece) {
		w.Write(piece)
	}
	if made == 0 {
		t.Error("it asks for none after more")
	}
}

func differAt(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// An environment with so many secrets that they may begin anywhere has no finder, which would be slower.
func TestVeryManySecretsHaveNoFinder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var environ []string
	for i := range 400 {
		value := make([]byte, 30)
		for k := range value {
			value[k] = letters[r.IntN(len(letters))]
		}
		environ = append(environ, fmt.Sprintf("SERVICE_%d_TOKEN=%s", i, value))
	}
	if f := New(environ).index.getFinder(); f != nil {
		t.Errorf("it has a finder that is wrong at a place with a chance of %g", f.Chance())
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("some text ghp_ and ", []byte("://user:password12@host\n"), uint64(1))
	f.Fuzz(func(t *testing.T, before string, text []byte, seed uint64) {
		environ := environOf(2)
		fast, slow := newWithFinder(environ), newWithoutFinder(environ)
		long := append([]byte(strings.Repeat(before, longText/(len(before)+1))), text...)
		long = append(long, bytes.Repeat([]byte("."), longText)...)
		got := redactInPieces(fast, long, rand.New(rand.NewPCG(seed, 0)))
		if want := redactInPieces(slow, long, rand.New(rand.NewPCG(seed, 1))); got != want {
			t.Errorf("the results differ at byte %d", differAt(got, want))
		}
	})
}
