package gitfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/internal/durable"
)

// UnlinkBranch makes a branch of the memory that is a symbolic ref now a branch of its own again, at the commit
// that it had. It returns the change, or nil if there was none to make.
func (m *Memory) UnlinkBranch(branch string) (*mulligan.GitChange, error) {
	name := "refs/heads/" + branch
	was := m.Refs[name]
	if branch == "" || !isID(was) {
		return nil, nil
	}
	path := filepath.Join(m.Repo.Common, filepath.FromSlash(name))
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	_, data := readContent(path)
	target, linked := strings.CutPrefix(string(data), "ref:")
	if !linked {
		return nil, nil
	}
	if err := durable.ReplaceFile(path, []byte(was+"\n")); err != nil {
		return nil, fmt.Errorf("cannot put back %s: %w", name, err)
	}
	return &mulligan.GitChange{Kind: mulligan.GitBranchLinked, Name: name, From: was, To: strings.TrimSpace(target)}, nil
}
