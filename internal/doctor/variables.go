package doctor

import (
	"fmt"
	"strings"

	"mulligan/internal/builtin"
	"mulligan/internal/process"
	"mulligan/internal/redact"
	"mulligan/internal/text"
)

// checkEnvironment lists, by name, the variables that agents do not get.
func (d *doctor) checkEnvironment() {
	for _, spec := range d.listAgents() {
		about, got := "agent "+spec.Name, map[string]bool{}
		env, told := builtin.Env(spec, d.Environ)
		if !told {
			continue
		}
		for _, kv := range env {
			got[variableName(kv)] = true
		}
		kept, keys := d.listWithheld(got)
		switch {
		case spec.InheritEnv:
			d.addFinding(Warning, about, "name those that it needs under env: instead", "gets every variable that mulligan was started with (env: inherit)")
		case len(keys) > 0:
			d.addFinding(OK, about, "", "does not get %s, nor %s; name those that it needs under env:", strings.Join(keys, ", "), text.Count(len(kept)-len(keys), "other variable"))
		case len(kept) > 0:
			d.addFinding(OK, about, "", "does not get %s, none of which looks like a key", text.Count(len(kept), "variable"))
		}
		if len(kept) > 0 {
			d.findings[len(d.findings)-1].Names = kept
		}
	}
}

// listWithheld returns the variables that are not among those that an agent gets, and those of them
// whose names say that they hold a secret.
func (d *doctor) listWithheld(got map[string]bool) (kept, keys []string) {
	var probes, text []string
	for i, kv := range process.Set(d.Environ) {
		if name := variableName(kv); !got[name] {
			kept = append(kept, name)
			probe := fmt.Sprintf("kfQ9zT2mXw7LpR4v%04d", i) // a value that would be taken out, were it a secret's
			probes, text = append(probes, name+"="+probe), append(text, probe)
		}
	}
	_, keys = redact.New(probes).Clean(strings.Join(text, " "))
	return kept, keys
}

// variableName returns the name in NAME=value.
func variableName(kv string) string {
	name, _, _ := strings.Cut(kv, "=")
	return name
}
