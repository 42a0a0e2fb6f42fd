package detect

import (
	"encoding/json"
	"strings"
)

func (f folder) findRuby() *part {
	if !f.has("Gemfile", "Rakefile", ".rspec") {
		return nil
	}
	line := ""
	switch {
	case f.has("spec", ".rspec"):
		line = "rspec"
	case f.has("bin/rails"):
		p := &part{language: "ruby", kind: "a Ruby project"}
		p.want(newCommand("bin/rails test"))
		return p
	case f.mentions("test", "Rakefile") || f.mentions("TestTask", "Rakefile"):
		line = "rake test"
	}
	p := &part{language: "ruby", kind: "a Ruby project"}
	switch {
	case line == "":
		p.notes = append(p.notes, "there is neither a spec folder nor a test task in a Rakefile")
	case f.has("Gemfile"):
		p.want(newCommand("bundle exec " + line))
	default:
		p.want(newCommand(line))
	}
	return p
}

func (f folder) findPHP() *part {
	if !f.has("composer.json", "phpunit.xml", "phpunit.xml.dist") {
		return nil
	}
	p := &part{language: "php", kind: "a PHP project"}
	var composer struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	json.Unmarshal([]byte(f.readFile("composer.json")), &composer) // what cannot be read has no script
	var forms []Command
	if composer.Scripts["test"] != nil {
		forms = append(forms, newCommand("composer test"))
	}
	for _, program := range []string{"vendor/bin/pest", "vendor/bin/phpunit"} {
		if f.hasProgram(program) {
			c := newCommand(program)
			c.Needs = append(c.Needs, "php")
			forms = append(forms, c)
		}
	}
	if f.has("phpunit.xml", "phpunit.xml.dist") || strings.Contains(f.readFile("composer.json"), "phpunit") {
		forms = append(forms, newCommand("phpunit"))
	}
	if len(forms) > 0 {
		p.want(forms...)
	}
	return p
}
