//go:build unix

package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/process"
)

// A file that was changed in the second in which it was checked out, to one of the same size, is changed.
func TestTakeSeesAChangeInTheSameSecond(t *testing.T) {
	f := newFixture(t, map[string]string{"answer": "41\n"})
	ws := f.site.Workspace
	ws.clone.filters = func(ctx context.Context, tool process.Tool, _ []string, _ time.Duration) ([]byte, error) {
		return tool.Output(ctx)
	}
	tree, err := f.site.store.TreeOf(t.Context(), f.site.head)
	f.check(err)
	for range 10 {
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
		began := time.Now().Unix()
		f.check(os.Remove(filepath.Join(ws.Dir(), "answer")))
		f.check(ws.Prepare(t.Context(), mulligan.Tree{ID: tree, Head: f.site.head}))
		f.write(ws.Dir(), map[string]string{"answer": "42\n"})
		if time.Now().Unix() != began {
			continue // this machine was too slow for it
		}
		time.Sleep(1100 * time.Millisecond)
		if got := f.take("1"); got.ID == tree {
			t.Error("the change is lost")
		}
		return
	}
	t.Skip("checking out one file takes a second here")
}
