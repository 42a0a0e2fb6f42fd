package setup

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
)

// planBundle plans Ruby's gems, where they are in the checkout or its settings tell where. They are set in the
// clone, since `bundle exec` needs them too.
func (f folder) planBundle() (Plan, bool) {
	if !f.hasFile("Gemfile") || !f.hasFile("Gemfile.lock") {
		return Plan{}, false
	}
	settings := map[string]any{}
	f.readYAML(".bundle/config", &settings) // one that cannot be read sets nothing
	gems, _ := settings["BUNDLE_PATH"].(string)
	p := Plan{Tool: "bundle", Reads: f.listPresent("Gemfile.lock", "Gemfile", ".ruby-version"), Why: f.explain("Gemfile.lock", ".bundle/config")}
	if f.hasFolder("vendor/bundle") && (gems == "" || path.Clean(gems) == "vendor/bundle") {
		gems = "vendor/bundle"
		p.Why = f.explain("Gemfile.lock", gems)
	}
	if gems = path.Clean(gems); gems == "." {
		return Plan{}, false
	}
	if filepath.IsLocal(filepath.FromSlash(gems)) {
		if !f.hasFolder(gems) {
			return Plan{}, false
		}
		p.Makes = append(p.Makes, gems)
	}
	if f.hasFolder(".bundle") {
		p.Makes = append(p.Makes, ".bundle")
	}
	var steps []string
	for _, name := range []string{"path", "with", "without"} {
		value, _ := settings["BUNDLE_"+strings.ToUpper(name)].(string)
		if name == "path" {
			value = gems
		}
		if quoted, ok := quotePath(value); ok && value != "" {
			steps = append(steps, "bundle config set --local "+name+" "+quoted)
		}
	}
	p.Command = strings.Join(append(steps, "bundle install"), " && ")
	return p, true
}

func (f folder) planComposer() (Plan, bool) {
	if !f.hasFile("composer.json") || !f.hasFile("composer.lock") {
		return Plan{}, false
	}
	var composer struct {
		Config struct {
			Vendor string `json:"vendor-dir"`
		} `json:"config"`
	}
	json.Unmarshal([]byte(f.readFile("composer.json")), &composer) // one that cannot be read has no settings
	vendor := path.Clean(composer.Config.Vendor)
	if vendor == "." {
		vendor = "vendor"
	}
	if !f.hasFile(vendor + "/autoload.php") {
		return Plan{}, false
	}
	return Plan{
		Tool: "composer", Command: "composer install", Makes: []string{vendor}, Why: f.explain("composer.lock", vendor),
		Reads: []string{"composer.lock", "composer.json"},
	}, true
}

func (f folder) planMix() (Plan, bool) {
	if !f.hasFile("mix.exs") || !f.hasFile("mix.lock") || !f.hasFolder("deps") {
		return Plan{}, false
	}
	return Plan{
		Tool: "mix", Command: "mix deps.get", Makes: []string{"deps"}, Why: f.explain("mix.lock", "deps"),
		Reads: []string{"mix.lock", "mix.exs"},
	}, true
}
