package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/durable"
	"mulligan/internal/process"
)

// ErrNamespace is a process in a namespace of process ids inside the one that the state folder is used in:
// an agent can make one, and what is above a process cannot be seen there.
var ErrNamespace = errors.New("the state folder is used in another namespace of processes")

// checkNamespace returns an ErrNamespace if this process may not become the host of the state folder,
// and writes into the folder where its hosts live.
func checkNamespace(dir string) error {
	own, ok := process.OwnNamespace()
	if !ok {
		return nil
	}
	path := filepath.Join(dir, "namespace")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var before process.Namespace
	if words := strings.Fields(string(text)); len(words) == 3 {
		before = process.Namespace{Boot: words[0], PID: words[1], User: words[2]}
	}
	switch {
	case own == before:
		return nil
	case own.IsInside(before):
		return fmt.Errorf("%w: %s has had its hosts in %s, and this process is in %s", ErrNamespace, dir, before.PID, own.PID)
	}
	// A folder that cannot be written is the next thing that the caller finds out.
	_ = durable.WriteFile(path, []byte(own.Boot+" "+own.PID+" "+own.User+"\n"))
	return nil
}
