package demo

import (
	"path/filepath"

	"mulligan/test/modeltest"
)

// failed is how the feedback begins.
const failed = "The previous attempt failed."

// turns are the model's part: those of the demo's actor, with Claude Code's own tools, in its workspace.
func turns(work string) []modeltest.Turn {
	slug := filepath.Join(work, "slug.sh")
	write := func(path, content string) modeltest.Call {
		return modeltest.Call{Name: "Write", Input: map[string]string{"file_path": path, "content": content}}
	}
	look := modeltest.Call{Name: "Read", Input: map[string]string{"file_path": slug}}
	try := modeltest.Call{Name: "Bash", Input: map[string]string{"command": "sh test.sh", "description": "run the tests"}}
	return []modeltest.Turn{
		doing("Three rules: lower case, one dash per gap, none at the ends.", write(filepath.Join(work, "PLAN.md"), plan)).At("Write a short plan"),
		modeltest.Say("I wrote the plan."),
		doing("Lower case and dashes: tr does both.", look).At("Make slug.sh turn titles"),
		doing("", write(slug, wrong)),
		modeltest.Say("Done! All tests should pass now."),
		doing("Everything that is no letter or digit has to become one dash.", write(slug, right)).At(failed),
		doing("", try),
		modeltest.Say("The four tests pass."),
	}
}

// doing says something and uses a tool.
func doing(text string, call modeltest.Call) modeltest.Turn {
	t := modeltest.Use(call)
	t.Text = text
	return t
}

const plan = `# Plan
1. Lower-case the title.
2. Put a dash where words are separated.
3. Run the tests.
`

const wrong = `# slug TITLE prints the title as it stands in a web address.
slug() {
	printf '%s\n' "$1" | tr 'A-Z ' 'a-z-'
}
`

const right = `# slug TITLE prints the title as it stands in a web address.
slug() {
	printf '%s' "$1" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9' '-' | sed 's/^-//; s/-$//'
	echo
}
`
