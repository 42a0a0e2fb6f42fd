package shellword

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestScripts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"run.sh": "true\n", "scripts/x": "#!/bin/sh\n", "sum.py": "print(1)\n", "answer.txt": "42\n", "sub/go.sh": "true\n",
		"bin/app": "\x7fELF\x00", "node_modules/.bin/jest": "#!/usr/bin/env node\n",
	} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string][]string{
		"./run.sh":                                   {"run.sh"},
		"scripts/x --fast":                           {"scripts/x"},
		"sh run.sh":                                  {"run.sh"},
		"bash -e run.sh a b":                         {"run.sh"},
		"bash -o pipefail run.sh":                    {"run.sh"},
		"sh -c 'cat run.sh'":                         nil,
		". ./run.sh":                                 {"run.sh"},
		"source run.sh && go test ./...":             {"run.sh"},
		"make && ./run.sh | tee log":                 {"run.sh"},
		"if true; then scripts/x; else . run.sh; fi": {"scripts/x", "run.sh"},
		"timeout 60 ./run.sh":                        {"run.sh"},
		"env A=1 ./run.sh":                           {"run.sh"},
		"A=1 exec ./run.sh":                          {"run.sh"},
		"cd sub && ./go.sh":                          {"sub/go.sh"},
		`"$CLAUDE_PROJECT_DIR"/run.sh`:               {"run.sh"},
		dir + "/run.sh":                              {"run.sh"},
		"grep -qx 42 answer.txt":                     nil,
		"sh -n sum.py || exit 2":                     nil,
		"python3 sum.py":                             nil,
		"test -x ./run.sh":                           nil,
		"./bin/app --selftest":                       nil,
		"node_modules/.bin/jest":                     nil,
		"./missing.sh":                               nil,
		"/bin/true ./run.sh":                         nil,
		"../run.sh":                                  nil,
		"$RUNNER run.sh":                             nil,
		"sh <run.sh":                                 nil,
		"(":                                          nil,
	} {
		if got := Scripts(command, dir); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", command, got, want)
		}
	}
}
