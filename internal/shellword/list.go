package shellword

import "strings"

// ListWords returns a line as the list of its words, in the form that a config has it: [my-agent, --quiet].
func ListWords(line string) string { return "[" + strings.Join(strings.Fields(line), ", ") + "]" }
