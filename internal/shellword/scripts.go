package shellword

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mulligan/internal/regular"
)

// Scripts returns the scripts that a command runs, as paths relative to dir, each once: the programs of its
// simple commands that are paths, and the files that shells are given, as far as they are files of text
// inside dir. What a command merely names (the operand of grep or of python3) is not among them, nor is a
// program that a build has made.
func Scripts(command, dir string) []string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	f := scriptFinder{root: dir, dir: dir}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			f.visitCall(call)
		}
		return true
	})
	return f.found
}

// A scriptFinder looks through the simple commands of a command, in their order.
type scriptFinder struct {
	root  string
	dir   string // where the command is by then, as far as cd tells
	found []string
}

func (f *scriptFinder) visitCall(call *syntax.CallExpr) {
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		words[i], _ = joinParts(arg.Parts, map[string]string{"CLAUDE_PROJECT_DIR": f.root, "PWD": f.dir}, false)
	}
	words = skipWrappers(words)
	if len(words) == 0 {
		return
	}
	switch name := filepath.Base(words[0]); {
	case words[0] == "cd" && len(words) == 2 && words[1] != "":
		f.dir = absoluteIn(f.dir, words[1])
	case words[0] == "." || words[0] == "source":
		if len(words) > 1 {
			f.add(words[1])
		}
	case strings.ContainsRune(words[0], '/') && isInside(f.root, absoluteIn(f.dir, words[0])):
		f.add(words[0])
	case slices.Contains([]string{"sh", "bash", "dash", "ksh", "zsh", "busybox"}, name):
		if name == "busybox" && len(words) > 1 && words[1] == "sh" {
			words = words[1:]
		}
		f.add(shellOperand(words[1:]))
	}
}

// skipWrappers returns the words of a simple command from its program on: without those programs before it
// that run what follows them.
func skipWrappers(words []string) []string {
	for len(words) > 0 {
		operands := 0
		switch words[0] {
		case "exec", "command", "nohup", "nice", "env", "time", "sudo", "xvfb-run", "stdbuf", "setsid", "builtin":
		case "timeout":
			operands = 1
		default:
			return words
		}
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		words = words[min(operands, len(words)):]
	}
	return words
}

// shellOperand returns the file that a shell is given to run, or "" if it is given none, a command with -c,
// or a file only to be parsed, with -n.
func shellOperand(args []string) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-o" || arg == "+o" || arg == "-O" || arg == "--rcfile" || arg == "--init-file":
			i++
		case arg == "--" || arg == "-":
			if i+1 < len(args) {
				return args[i+1]
			}
			return ""
		case strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, "csn"):
			return ""
		case strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "+"):
		default:
			return arg
		}
	}
	return ""
}

// add adds a path if it is a file of text inside the root, and no entry of an installation of packages,
// which installing again may change.
func (f *scriptFinder) add(word string) {
	full := absoluteIn(f.dir, word)
	if word == "" || !isInside(f.root, full) {
		return
	}
	rel, err := filepath.Rel(f.root, full)
	if err != nil || slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), "node_modules") || !isTextFile(full) {
		return
	}
	if path := filepath.ToSlash(rel); !slices.Contains(f.found, path) {
		f.found = append(f.found, path)
	}
}

// isTextFile reports whether a path is a regular file whose beginning has no zero byte.
func isTextFile(path string) bool {
	file, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start, err := io.ReadAll(io.LimitReader(file, 8000))
	return err == nil && !bytes.ContainsRune(start, 0)
}
