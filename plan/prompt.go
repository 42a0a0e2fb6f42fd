package plan

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"mulligan/config"
)

// resolvePrompt returns the text of a step's own prompt, or "" if the task's text is the prompt.
func (b *builder) resolvePrompt(step config.Value) string {
	given := false
	for _, key := range []string{"prompt", "prompt_file", "slash"} {
		v := step.Get(key)
		if given && v.IsSet() {
			b.addMistake(v.Wrong("the step has a prompt already: give one of prompt, prompt_file and slash"))
		}
		given = given || v.IsSet()
	}
	switch {
	case step.Get("slash").OK():
		return b.readSlashCommand(step.Get("slash"))
	case step.Get("prompt_file").OK():
		return b.readText(step.Get("prompt_file"))
	}
	return step.Get("prompt").String()
}

// readText returns the text of the file that a value names, or "" if it names none.
func (b *builder) readText(v config.Value) string {
	if !v.OK() {
		return ""
	}
	data, mistake := b.readFile(v)
	return b.checkNotEmpty(v, v.String(), data, mistake)
}

// checkNotEmpty returns the text of a file that was read. That it could not be, and that it is empty,
// are mistakes.
func (b *builder) checkNotEmpty(v config.Value, shown string, data []byte, mistake *config.Mistake) string {
	text := strings.TrimSpace(string(data))
	if mistake != nil {
		b.addMistake(*mistake)
	} else if text == "" {
		b.addMistake(v.Wrong("the file %s is empty", shown))
	}
	return text
}

// readFile returns the content of the file that a value names, relative to the file that the value is
// in.
func (b *builder) readFile(v config.Value) ([]byte, *config.Mistake) {
	path := v.String()
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(v.Dir(), b.Root), path)
	}
	b.recordPrompt(path)
	return readNamed(v, path, v.String())
}

// readNamed returns the content of a file. shown is its path as messages have it.
func readNamed(v config.Value, path, shown string) ([]byte, *config.Mistake) {
	data, err := config.ReadFile(path)
	if err != nil {
		return nil, new(v.Wrong("the file %s %v", shown, err).WithHint(suggestFile(path)))
	}
	return data, nil
}

// suggestFile returns a hint at a file beside the one that was not found, or "".
func suggestFile(path string) string {
	if _, err := os.Lstat(path); err == nil {
		return ""
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := config.Nearest(filepath.Base(path), names); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// readSlashCommand returns the text of a command of Claude Code's, without its front matter, applied
// to the task's text. A colon in its name stands for a folder, as it does there.
func (b *builder) readSlashCommand(v config.Value) string {
	name := strings.ReplaceAll(strings.TrimPrefix(v.String(), "/"), ":", "/")
	if !isLocalPath(name) {
		b.addMistake(v.Wrong("%q is not a command's name", v.String()))
		return ""
	}
	shown := ".claude/commands/" + name + ".md"
	path := filepath.Join(b.Root, filepath.FromSlash(shown))
	b.recordPrompt(path)
	data, mistake := readNamed(v, path, shown)
	if _, text, _, closed := cutFront(data); closed {
		data = text
	}
	text := b.checkNotEmpty(v, shown, data, mistake)
	return strings.ReplaceAll(text, "$ARGUMENTS", b.Task.Text)
}

// isLocalPath reports whether a path stays inside the folder that it is relative to.
func isLocalPath(path string) bool {
	return filepath.IsLocal(filepath.FromSlash(path))
}
