package plan

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mulligan/internal/detect"
)

// formatAgent returns the lines of the config about its agent.
func (c Choice) formatAgent() string {
	lines := []string{"# The agent that takes the steps. `mulligan doctor` says which are installed."}
	if len(c.Others) > 0 {
		lines = append(lines, "# Installed here too: "+strings.Join(c.Others, ", ")+".")
	}
	switch {
	case c.OwnAgent:
		lines = append(lines, "# Your own config names one: an agent here is for everybody who works on this repository.", "#agent: "+detect.AgentNames()[0])
	case c.Agent == "":
		lines = append(lines, "# None was found here: install one of these, or name your own program below.", "#agent: "+detect.AgentNames()[0]+"  # or "+strings.Join(detect.AgentNames()[1:], ", "))
	default:
		lines = append(lines, "agent: "+quoteCommand(c.Agent))
	}
	return strings.Join(lines, "\n")
}

// formatChecks returns the lines of a step about its checks, with those that may fit as comments.
func (c Choice) formatChecks() string {
	if len(c.Checks) == 0 {
		return "      # check:                  # <- put the command that tests this repository here\n      #   - make test"
	}
	lines := []string{"      check:                    # each must pass, in this order"}
	for _, command := range c.Checks {
		lines = append(lines, "        - "+quoteCommand(command))
	}
	for _, command := range c.Maybe {
		lines = append(lines, "        # - "+quoteCommand(command))
	}
	return strings.Join(lines, "\n")
}

// formatLoopChecks returns the same checks for a loop, which is only an example.
func (c Choice) formatLoopChecks() string {
	lines := []string{"#  check:                        # runs after every iteration"}
	checks := c.Checks
	if len(checks) == 0 {
		checks = []string{"make test"}
	}
	for _, command := range checks {
		lines = append(lines, "#    - "+quoteCommand(command))
	}
	return strings.Join(lines, "\n")
}

// formatCommands returns the line of the prompt that names the checks.
func (c Choice) formatCommands() string {
	if len(c.Checks) == 0 {
		return ""
	}
	return "- Before you stop, run the checks yourself: `" + strings.Join(c.Checks, "`, `") + "`.\n"
}

// plainShape is what YAML reads as text without quotes, unless it is a word of its own.
var plainShape = regexp.MustCompile(`^(\.{0,2}/|\.?[A-Za-z])[A-Za-z0-9 ./_=+^$,-]*$`)

// quoteCommand returns a command so that YAML reads it as text.
func quoteCommand(s string) string {
	words := []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null", ".inf", ".nan"}
	switch {
	case plainShape.MatchString(s) && !strings.HasSuffix(s, " ") && !slices.Contains(words, strings.ToLower(s)):
		return s
	case strings.ContainsFunc(s, unicode.IsControl):
		quoted, _ := json.Marshal(s) // a string can be; JSON is YAML
		return string(quoted)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
