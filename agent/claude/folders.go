package claude

import "mulligan/internal/process"

// Folders returns what the program keeps of its own, by its environment. The program replaces
// ~/.claude.json by a new file, and writes the old one in place where it may not make files in the home.
func Folders(env []string) []string {
	if dir, _ := process.Lookup(env, "CLAUDE_CONFIG_DIR"); dir != "" {
		return []string{dir + "/"}
	}
	return []string{"~/.claude/", "~/.claude.json", "~/.claude.json.backup"}
}
