package workspace

import (
	"fmt"
	"testing"
	"time"

	"mulligan"
)

// benchLab has n files in folders of twenty, walked and settled.
func benchLab(b *testing.B, n int) *lab {
	files := make(map[string]string, n)
	for i := range n {
		files[fmt.Sprintf("pkg%d/sub%d/file%d.go", i/400, i/20, i)] = fmt.Sprintf("package p // %d\n", i)
	}
	l := newLab(b, files)
	time.Sleep(100 * time.Millisecond) // files just written are read twice
	l.snap("s/1")
	l.snap("s/1")
	b.ResetTimer()
	return l
}

func BenchmarkSnapshotUnchanged(b *testing.B) {
	for _, n := range []int{100, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := benchLab(b, n)
			for b.Loop() {
				l.snap("s/1")
			}
		})
	}
}

func BenchmarkSnapshotOneChanged(b *testing.B) {
	for _, n := range []int{100, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := benchLab(b, n)
			for i := 0; b.Loop(); i++ {
				l.write("pkg0/sub0/file0.go", fmt.Sprintf("package p // changed %d\n", i))
				l.snap("s/1")
			}
		})
	}
}

func BenchmarkSnapshotFirst(b *testing.B) {
	for _, n := range []int{100, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := benchLab(b, n)
			for b.Loop() {
				l.reopen()
				l.snap("s/1")
			}
		})
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, n := range []int{100, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := benchLab(b, n)
			_, parent, err := l.Head(b.Context())
			must(b, err)
			for i := 0; b.Loop(); i++ {
				l.write("pkg0/sub0/file0.go", fmt.Sprintf("package p // changed %d\n", i))
				tree := l.snap("s/1")
				parent, err = l.Commit(b.Context(), mulligan.Commit{Tree: tree, Parent: parent, Message: "m", Time: noon})
				must(b, err)
			}
		})
	}
}
