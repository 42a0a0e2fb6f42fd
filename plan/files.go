package plan

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"mulligan/config"
)

// prompt is the text of a step's own prompt, "" where the task's text is the prompt.
func (b *builder) prompt(step config.Value) string {
	var given []config.Value
	for _, key := range []string{"prompt", "prompt_file", "slash"} {
		if v := step.Get(key); v.IsSet() {
			given = append(given, v)
		}
	}
	if len(given) > 1 {
		for _, v := range given[1:] {
			b.wrong(v.Wrong("the step has a prompt already: give one of prompt, prompt_file and slash"))
		}
	}
	switch {
	case step.Get("slash").OK():
		return b.slash(step.Get("slash"))
	case step.Get("prompt_file").OK():
		return b.fileText(step.Get("prompt_file"))
	}
	return step.Get("prompt").String()
}

// fileText is the text of the file that a value names; "" where it names none.
func (b *builder) fileText(v config.Value) string {
	if !v.OK() {
		return ""
	}
	data, mistake := b.read(v)
	if mistake == nil && len(bytes.TrimSpace(data)) == 0 {
		m := v.Wrong("the file %s is empty", v.String())
		mistake = &m
	}
	if mistake != nil {
		b.wrong(*mistake)
		return ""
	}
	return strings.TrimSpace(string(data))
}

// read gives the file that a value names, relative to the file that the value is in.
func (b *builder) read(v config.Value) ([]byte, *config.Mistake) {
	path := v.String()
	if !filepath.IsAbs(path) {
		dir := v.Dir()
		if dir == "" {
			dir = b.Root
		}
		path = filepath.Join(dir, path)
	}
	data, err := config.ReadFile(path)
	if err != nil {
		m := v.Wrong("the file %s %v", v.String(), err)
		m.Hint = nearFile(path)
		return nil, &m
	}
	return data, nil
}

// nearFile is a hint at a file beside the one that was not found.
func nearFile(path string) string {
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

// slash is the text of a command of Claude Code's, without its front matter, on the
// task's text. A colon in its name stands for a folder, as it does there.
func (b *builder) slash(v config.Value) string {
	name := strings.ReplaceAll(strings.TrimPrefix(v.String(), "/"), ":", "/")
	if !isLocal(name) {
		b.wrong(v.Wrong("%q is not a command's name", v.String()))
		return ""
	}
	shown := ".claude/commands/" + name + ".md"
	path := filepath.Join(b.Root, filepath.FromSlash(shown))
	data, err := config.ReadFile(path)
	if err != nil {
		m := v.Wrong("the file %s %v", shown, err)
		m.Hint = nearFile(path)
		b.wrong(m)
		return ""
	}
	if _, text, _, closed := cutFront(data); closed {
		data = text
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		b.wrong(v.Wrong("the file %s is empty", shown))
	}
	return strings.ReplaceAll(text, "$ARGUMENTS", b.Task.Text)
}

// isLocal says that a path stays inside the folder that it is relative to.
func isLocal(path string) bool {
	return filepath.IsLocal(filepath.FromSlash(path))
}
