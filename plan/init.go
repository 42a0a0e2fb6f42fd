package plan

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/detect"
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
	found := detect.Inspect(dir)
	if len(found.Checks) == 0 {
		found.Checks, found.Maybe = []string{"./run-tests.sh"}, nil
		found.Notes = append(found.Notes, "no test command was recognised: put yours under check: in mulligan.yaml, in place of ./run-tests.sh")
	}
	found.Notes = append(found.Notes, "put your agent's command under agents: in mulligan.yaml, in place of my-agent")
	s := Start{Kind: found.Kind, Notes: found.Notes}
	checks, loopChecks := formatChecks(found)
	commands := "`" + strings.Join(found.Checks, "`, `") + "`."
	texts := []File{
		{Path: "mulligan.yaml", Text: strings.NewReplacer("{{checks}}", checks, "{{loop_checks}}", loopChecks).Replace(starterConfig)},
		{Path: "prompts/implement.md", Text: strings.Replace(starterPrompt, "{{commands}}", commands, 1)},
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

// formatChecks returns the checks as the config has them, with those that may fit as comments, and the
// same checks for a loop, which is only an example.
func formatChecks(found detect.Project) (checks, loopChecks string) {
	var lines, loopLines []string
	for _, c := range found.Checks {
		lines = append(lines, "        - "+quoteCommand(c))
		loopLines = append(loopLines, "#    - "+quoteCommand(c))
	}
	for _, c := range found.Maybe {
		lines = append(lines, "        # - "+c)
	}
	return strings.Join(lines, "\n"), strings.Join(loopLines, "\n")
}

// quoteCommand returns a command so that YAML reads it as text.
func quoteCommand(s string) string {
	if strings.ContainsAny(s, ":#{}[]&*!|>'\"%@`") {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return s
}
