package setup

import (
	"encoding/json"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// listSitePackages returns the folders in which an environment has its distributions.
func (f folder) listSitePackages(venv string) []folder {
	var list []folder
	lib := f.at(venv + "/lib")
	for _, e := range lib.list() {
		if site := e.Name() + "/site-packages"; strings.HasPrefix(e.Name(), "python") && lib.hasFolder(site) {
			list = append(list, lib.at(site))
		}
	}
	return list
}

// listDistributions returns the normalized names of what is installed in an environment.
func (f folder) listDistributions(venv string) []string {
	names := []string{}
	for _, site := range f.listSitePackages(venv) {
		for _, e := range site.list() {
			if info, ok := strings.CutSuffix(e.Name(), ".dist-info"); ok {
				name, _, _ := strings.Cut(info, "-")
				names = append(names, normalizeName(name))
			}
		}
	}
	return names
}

// listEditable returns the projects of the folder that an environment has installed as editable: their
// folders, relative to this one, ".", sorted.
func (f folder) listEditable(venv string) []string {
	var list []string
	for _, site := range f.listSitePackages(venv) {
		for _, e := range site.list() {
			for _, source := range site.readEditable(e.Name()) {
				if dir, ok := f.findProject(source); ok && !slices.Contains(list, dir) {
					list = append(list, dir)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// readEditable returns the paths that something in site-packages names as the source of an editable
// installation. pip writes a direct_url.json; the other files are those of setuptools.
func (f folder) readEditable(name string) []string {
	switch {
	case strings.HasSuffix(name, ".dist-info"):
		var direct struct {
			URL string `json:"url"`
			Dir struct {
				Editable bool `json:"editable"`
			} `json:"dir_info"`
		}
		text := f.readFile(name + "/direct_url.json")
		if text == "" || json.Unmarshal([]byte(text), &direct) != nil || !direct.Dir.Editable {
			return nil
		}
		if u, err := url.Parse(direct.URL); err == nil && u.Scheme == "file" {
			return []string{u.Path}
		}
	case strings.HasSuffix(name, ".egg-link"):
		first, _, _ := strings.Cut(f.readFile(name), "\n")
		return []string{strings.TrimSpace(first)}
	case strings.HasPrefix(name, "__editable__") && strings.HasSuffix(name, ".pth"):
		return strings.Split(f.readFile(name), "\n") // of paths, or of Python
	}
	return nil
}

// findProject returns the folder of the Python project that a source path lies in, relative to this one. It
// returns false if that is not in the checkout.
func (f folder) findProject(source string) (string, bool) {
	source = strings.TrimSpace(source)
	if !filepath.IsAbs(source) {
		return "", false
	}
	for _, root := range []string{f.given, f.root} {
		rel, err := filepath.Rel(filepath.Join(root, filepath.FromSlash(f.name)), source)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		for dir := filepath.ToSlash(rel); ; dir = path.Dir(dir) {
			if f.hasFile(path.Join(dir, "pyproject.toml")) || f.hasFile(path.Join(dir, "setup.py")) {
				return dir, true
			}
			if dir == "." {
				return "", false
			}
		}
	}
	return "", false
}
