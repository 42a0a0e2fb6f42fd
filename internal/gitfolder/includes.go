package gitfolder

import (
	"bufio"
	"bytes"
	"errors"
	"path/filepath"
	"strings"
)

// maxIncludes bounds the depth of files of config that include others, as git does.
const maxIncludes = 10

// CheckConfigFiles returns a *NotFileError if one of git's files of config, or a file that it includes, is
// no regular file. home is the user's home folder.
func CheckConfigFiles(home string, files ...string) error {
	for _, file := range files {
		if err := checkConfigFile(home, file, maxIncludes); err != nil {
			return err
		}
	}
	return nil
}

func checkConfigFile(home, file string, depth int) error {
	if depth == 0 {
		return nil
	}
	if odd, ok := errors.AsType[*NotFileError](CheckFile(file)); ok && !odd.Mode.IsDir() {
		return odd
	}
	text, err := ReadFile(file)
	if err != nil {
		return nil // there need not be one, and git reports why it cannot be read
	}
	for _, path := range listIncludes(text) {
		if err := checkConfigFile(home, expandPath(home, filepath.Dir(file), path), depth-1); err != nil {
			return err
		}
	}
	return nil
}

// listIncludes returns the paths that a file of config includes, also those under a condition. Git itself
// reads the file; here a line that looks like an include is enough.
func listIncludes(text []byte) []string {
	var paths []string
	inside := false
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			end := strings.LastIndexByte(line, ']')
			if end < 0 {
				continue
			}
			inside = strings.HasPrefix(strings.ToLower(line), "[include")
			line = strings.TrimSpace(line[end+1:])
		}
		key, value, ok := strings.Cut(line, "=")
		if inside && ok && strings.EqualFold(strings.TrimSpace(key), "path") {
			paths = append(paths, unquote(value))
		}
	}
	return paths
}

// unquote returns a value of a file of config without quotes, escapes and a comment.
func unquote(value string) string {
	var b strings.Builder
	quoted := false
	value = strings.TrimSpace(value)
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(value):
			i++
			b.WriteByte(value[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// expandPath returns a path of git's config: "~/" is the home folder, and others are relative to base.
func expandPath(home, base, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) || path == "" {
		return path
	}
	return filepath.Join(base, path)
}
