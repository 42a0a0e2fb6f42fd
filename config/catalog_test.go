package config

// testCatalog returns a catalog like that of internal/builtin, without constructors.
func testCatalog() Catalog {
	words := NonEmptyList(&Type{Kind: Text, Noun: "a word"})
	return Catalog{
		Agents: []Variant{
			{Name: "program", Doc: "any program", Fields: []Field{
				{Name: "exec", Doc: "the program and its arguments", Required: true, Type: words},
				{Name: "continues", Doc: "goes on with a conversation", Default: "false", Type: Flag()},
			}},
			{Name: "scripted", Doc: "plays a file", Fields: []Field{
				{Name: "script", Doc: "the file", Required: true, Type: NamedString("a file")},
			}},
			{Name: "claude", Doc: "Claude Code", NotYet: true, Takes: []string{"model", "args", "max_turns"}},
		},
		Checks: []Variant{
			{Name: "none", Doc: "no check"},
			{Name: "file_exists", Doc: "a file exists", Fields: []Field{
				{Name: "path", Doc: "path", Required: true, Type: NamedString("a path")},
			}},
			{Name: "shell", Doc: "a command", Fields: []Field{
				{Name: "command", Doc: "the command", Required: true, Type: NamedString("a command")},
				{Name: "expect", Doc: "how it must end", Default: "pass", Type: Word("pass", "fail")},
				{Name: "timeout", Doc: "it is stopped after this", Default: "10m0s", Type: DurationType()},
				{Name: "min_tests", Doc: "fewer tests fail", NotYet: true, Type: From(1)},
			}},
			{Name: "judge", Doc: "a second agent", NotYet: true, Fields: []Field{
				{Name: "agent", Doc: "its name", Required: true, Type: NamedString("an agent's name")},
				{Name: "prompt_file", Doc: "what it is asked", Required: true, Type: NamedString("a file")},
			}},
		},
	}
}

func testSchema() *Schema { return NewSchema(testCatalog()) }
