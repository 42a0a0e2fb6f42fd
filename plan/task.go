package plan

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/usererror"
)

// usageError returns an error about what the person asked for and cannot have. The hint is part of
// its sentence.
func usageError(what, hint string) error {
	return usererror.Usage(what+"; "+hint, "")
}

// Front is the front matter of a task file.
type Front struct {
	Pipeline config.Value
}

// frontType returns the type of a task's front matter. Other programs may keep keys of their own in it.
func frontType() *config.Type {
	front := config.Obj(config.Field{Name: "pipeline", Doc: "the pipeline that the task is run with", Type: config.NamedString("a pipeline's name")})
	front.Open = true
	return front
}

// ReadTask reads a task file. Its errors are a *usererror.Error, or the mistakes of its front matter; they call
// the file name.
func ReadTask(path, name string) (mulligan.Task, Front, error) {
	return readTaskFile("task", path, name)
}

// ReadSpec reads the spec of an open-ended session, as ReadTask does a task.
func ReadSpec(path, name string) (mulligan.Task, Front, error) {
	return readTaskFile("spec", path, name)
}

func readTaskFile(kind, path, name string) (mulligan.Task, Front, error) {
	task := mulligan.Task{Path: path}
	data, err := config.ReadFile(path)
	if err != nil {
		return task, Front{}, usageError(fmt.Sprintf("the %s %s %v", kind, name, err), "give the path of a markdown file that says what is to be done")
	}
	head, text, found, closed := cutFront(data)
	if found && !closed {
		return task, Front{}, config.Mistakes{{File: name, Line: 1, Col: 1, Source: "---", Message: "the front matter has no end: close it with a line of ---"}}
	}
	var front Front
	if len(bytes.TrimSpace(head)) > 0 {
		v, mistakes := config.DecodePart(frontType(), path, name, 2, head)
		if err := mistakes.Err(); err != nil {
			return task, Front{}, err
		}
		front.Pipeline = v.Get("pipeline")
	}
	task.Text = strings.TrimSpace(string(text))
	if task.Text == "" {
		return task, front, usageError(fmt.Sprintf("the %s %s is empty", kind, name), "write in it what is to be done")
	}
	return task, front, nil
}

// cutFront splits a text from the YAML between two lines of --- before it. It reports whether there is a
// first such line, and a second.
func cutFront(data []byte) (head, text []byte, found, closed bool) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if !isFence(first) {
		return nil, data, false, false
	}
	at := 0
	for line := range bytes.Lines(rest) {
		if isFence(line) {
			return rest[:at], rest[at+len(line):], true, true
		}
		at += len(line)
	}
	return nil, data, true, false
}

func isFence(line []byte) bool { return string(bytes.TrimRight(line, " \t\r\n")) == "---" }

// Tasks returns the paths of a folder's task files, by name.
func Tasks(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, usererror.Usage(fmt.Sprintf("the folder %s cannot be read: %v", dir, err), "")
	}
	var tasks []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, ".md") && !strings.HasPrefix(name, "_") && !e.IsDir() {
			tasks = append(tasks, filepath.Join(dir, name))
		}
	}
	return tasks, nil
}
