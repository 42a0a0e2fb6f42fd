package layout

import (
	"cmp"
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxOneWord is the largest share of unexported functions and methods that may be named by one
// word. Most need two to tell what they do to what.
const maxOneWord = 0.25

// A nameShare counts the unexported functions and methods of a package, and how many of them are
// named by one lower-case word.
type nameShare struct {
	room         string
	oneWord, all int
}

func (n nameShare) share() float64 { return float64(n.oneWord) / float64(max(n.all, 1)) }

func (n nameShare) String() string {
	return fmt.Sprintf("%d of %d (%.0f %%)", n.oneWord, n.all, 100*n.share())
}

func TestFunctionsAreNamedByPhrases(t *testing.T) {
	shares := countNames(parseGoFiles(t, func(path string) bool { return !strings.HasSuffix(path, "_test.go") }))
	var sum nameShare
	for _, n := range shares {
		sum.oneWord += n.oneWord
		sum.all += n.all
	}
	t.Logf("unexported functions and methods named by one word: %v", sum)
	if sum.share() <= maxOneWord {
		return
	}
	var worst strings.Builder
	for _, n := range shares[:min(10, len(shares))] {
		fmt.Fprintf(&worst, "  %-24s %v\n", cmp.Or(n.room, "."), n)
	}
	t.Errorf("%v of the unexported functions and methods are named by one word, and %.0f %% is the most; the highest:\n%s", sum, 100*maxOneWord, &worst)
}

// countNames returns the packages that have unexported functions, the highest share first.
func countNames(sources []source) []nameShare {
	word := regexp.MustCompile(`^[a-z]+$`)
	counted := map[string]nameShare{}
	for _, s := range sources {
		for _, decl := range s.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Name.IsExported() {
				continue
			}
			n := counted[s.room]
			n.room = s.room
			n.all++
			if word.MatchString(fn.Name.Name) {
				n.oneWord++
			}
			counted[s.room] = n
		}
	}
	var shares []nameShare
	for _, n := range counted {
		shares = append(shares, n)
	}
	slices.SortFunc(shares, func(a, b nameShare) int {
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(b.oneWord, a.oneWord), cmp.Compare(a.room, b.room))
	})
	return shares
}

func TestCountNames(t *testing.T) {
	got := countNames(parseAll(t, map[string]string{
		"a/one.go": "package a\nfunc main() {}\nfunc readLine() {}\nfunc Read() {}\ntype t int\nfunc (t) close() {}\nfunc (t) Close() {}\n",
		"a/two.go": "package a\nfunc sum256() {}\nvar f = func() {}\n",
		"b/one.go": "package b\nfunc found() {}\n",
		"c/one.go": "package c\nfunc Exported() {}\n",
	}))
	want := []nameShare{{"b", 1, 1}, {"a", 2, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
