package plan

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mulligan/internal/usererror"
)

var (
	//go:embed starter/mulligan.yaml
	starterConfig string
	//go:embed starter/implement.md
	starterPrompt string
	//go:embed starter/_example.md
	starterTask string
)

// A File is one that a repository starts with.
type File struct {
	Path   string // relative to the repository's root, with slashes
	Text   string
	Exists bool // one is there already, and is left as it is
}

// A Start is the files that a repository starts with.
type Start struct {
	Files []File
}

// A Choice is what a config starts with: what was found in the repository and on the machine, or what a session
// without a config used.
type Choice struct {
	Checks []string // commands that start; nil: the config has an example of one
	Maybe  []string // commands that start and may fit, for comments
	Agent  string   // the agent; "": the config has an example of one
	Others []string // agents that are installed too, for a comment
	// OwnAgent is set if the user's own config names the agent, and the repository's should not.
	OwnAgent bool
	Retry    int
}

// Init returns the files to begin with in a repository. schema is the JSON Schema that the config refers
// to. Init writes nothing.
func Init(dir string, schema []byte, choice Choice) (Start, error) {
	var s Start
	config := strings.NewReplacer(
		"{{agent}}", choice.formatAgent(), "{{checks}}", choice.formatChecks(), "{{loop_checks}}", choice.formatLoopChecks(), "{{retry}}", strconv.Itoa(choice.Retry),
	)
	texts := []File{
		{Path: "mulligan.yaml", Text: config.Replace(starterConfig)},
		{Path: "prompts/implement.md", Text: strings.Replace(starterPrompt, "{{commands}}", choice.formatCommands(), 1)},
		{Path: "tasks/_example.md", Text: starterTask},
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
