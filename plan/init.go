package plan

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/usererror"
)

var (
	//go:embed starter/mulligan.yaml
	starterConfig string
	//go:embed starter/implement.md
	starterPrompt string
	//go:embed starter/example.md
	starterTask string
)

// A File is one that a repository starts with.
type File struct {
	Path   string // relative to the repository's root, with slashes
	Text   string
	Exists bool // one is there already, and is left as it is
}

// A Start is what Init found in a repository, and the files for it.
type Start struct {
	Files []File
	Kind  string   // what the repository looks like: "a Go module"; "" if it was not recognised
	Notes []string // what the user has to do or know
}

// Init inspects a repository and returns the files to begin with. schema is the JSON Schema that the
// config refers to. Init writes nothing.
func Init(dir string, schema []byte) (Start, error) {
	found := inspectRepository(dir)
	s := Start{Kind: found.kind, Notes: found.notes}
	checks := strings.NewReplacer("{{checks}}", formatChecks(found), "{{loop_checks}}", formatLoopChecks(found))
	texts := []File{
		{Path: "mulligan.yaml", Text: checks.Replace(starterConfig)},
		{Path: "prompts/implement.md", Text: strings.Replace(starterPrompt, "{{commands}}", formatCommands(found), 1)},
		{Path: "tasks/example.md", Text: starterTask},
		{Path: ".mulligan/schema.json", Text: strings.TrimSpace(string(schema)) + "\n"},
	}
	for _, f := range texts {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Start{}, usererror.Usage(fmt.Sprintf("cannot look for %s: %v", f.Path, err), "")
		}
		f.Exists = err == nil
		s.Files = append(s.Files, f)
	}
	return s, nil
}

// Write writes the files that were not there. One that has come since is an error:
// nothing of the user's is ever overwritten.
func (s Start) Write(dir string) error {
	for _, f := range s.Files {
		if f.Exists {
			continue
		}
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Text); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
	}
	return nil
}

func writeNew(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

// formatChecks returns the checks as the config has them, with those that may fit as comments.
func formatChecks(found findings) string {
	var b strings.Builder
	for _, c := range found.checks {
		fmt.Fprintf(&b, "        - %s\n", quoteCommand(c))
	}
	for _, c := range found.maybe {
		fmt.Fprintf(&b, "        # - %s\n", c)
	}
	return strings.TrimRight(b.String(), "\n")
}

// formatLoopChecks returns the same checks for a loop, which is only an example.
func formatLoopChecks(found findings) string {
	var lines []string
	for _, c := range found.checks {
		lines = append(lines, "#    - "+quoteCommand(c))
	}
	return strings.Join(lines, "\n")
}

// quoteCommand returns a command so that YAML reads it as text.
func quoteCommand(s string) string {
	if strings.ContainsAny(s, ":#{}[]&*!|>'\"%@`") {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return s
}

func formatCommands(found findings) string {
	var words []string
	for _, c := range found.checks {
		words = append(words, "`"+c+"`")
	}
	return strings.Join(words, ", ") + "."
}
