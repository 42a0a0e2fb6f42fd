package gitfolder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Entry is a setting of git's config.
type Entry struct {
	Key   string `json:"key"`             // as git lists it: section and name in lower case
	Value string `json:"value,omitempty"` // "" if it has none
	// Bare is set if the key has no value at all, which means true.
	Bare bool `json:"bare,omitempty"`
}

// Config is git's config of one moment: all levels, in git's order, with what they include.
type Config []Entry

// ParseConfig parses the output of `git config --list -z --includes`, and keeps what our git may have.
func ParseConfig(out []byte) Config {
	var c Config
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, given := strings.Cut(item, "\n")
		if isKept(key) {
			c = append(c, Entry{Key: key, Value: value, Bare: !given})
		}
	}
	return c
}

// keptSections are the sections of which our git has every setting: they tell who commits, how content is
// filtered, where git-lfs has its files, and how signatures are made.
var keptSections = []string{"user", "author", "committer", "i18n", "filter", "lfs", "gpg", "index", "url", "http", "branch"}

// keptCore are the settings of core that our git has: about files, line ends, and how objects and refs are
// written. None of them names a program or another folder; the files of attributes and excludes are copied.
var keptCore = []string{
	"filemode", "ignorecase", "symlinks", "precomposeunicode", "protecthfs", "protectntfs", "longpaths",
	"autocrlf", "eol", "safecrlf", "checkroundtripencoding", "whitespace", "quotepath", "abbrev",
	"bigfilethreshold", "compression", "loosecompression", "sharedrepository", "fsync", "fsyncmethod", "fsyncobjectfiles",
	"trustctime", "checkstat", "sparsecheckout", "sparsecheckoutcone", "logallrefupdates",
	"filesreflocktimeout", "packedrefstimeout", "excludesfile", "attributesfile",
}

// keptRemote are the settings of a remote that git-lfs reads, and those of a promisor.
var keptRemote = []string{"url", "pushurl", "fetch", "lfsurl", "lfspushurl", "promisor", "partialclonefilter"}

// isPromisor reports whether a setting is one by which git fetches objects when it comes to need them. Our git does not.
func isPromisor(key string) bool {
	return strings.HasPrefix(key, "remote.") && (strings.HasSuffix(key, ".promisor") || strings.HasSuffix(key, ".partialclonefilter"))
}

// isKept reports whether our git may have a setting.
func isKept(key string) bool {
	section, rest, _ := strings.Cut(key, ".")
	sub := strings.LastIndexByte(rest, '.')
	name := rest[sub+1:]
	switch section {
	case "core":
		return sub < 0 && slices.Contains(keptCore, name)
	case "extensions":
		return name == "objectformat" || name == "compatobjectformat"
	case "submodule": // how one is updated may be a program
		return sub >= 0 && (name == "url" || name == "active")
	case "remote":
		return slices.Contains(keptRemote, name)
	case "diff": // a driver has a name between, and may be a program
		return sub < 0 && name != "external" && name != "orderfile"
	}
	return slices.Contains(keptSections, section)
}

// Last returns the value of a setting that counts, and whether there is one.
func (c Config) Last(key string) (Entry, bool) {
	for _, e := range slices.Backward(c) {
		if e.Key == key {
			return e, true
		}
	}
	return Entry{}, false
}

// Bool returns a setting that is true or false, or unset if there is none.
func (c Config) Bool(key string, unset bool) bool {
	e, ok := c.Last(key)
	if !ok {
		return unset
	}
	return e.Bare || parseBool(e.Value)
}

// parseBool parses a boolean as git does.
func parseBool(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

// A Filter is a filter driver: programs that convert files between the checkout and the repository.
type Filter struct {
	Name     string
	Programs []string // the commands, without doubles
}

// Filters returns the filters that have a program, by name.
func (c Config) Filters() []Filter {
	byName := map[string]int{}
	var all []Filter
	for _, e := range c {
		name, kind, ok := cutDriver(e.Key, "filter.")
		if !ok || e.Value == "" || kind != "clean" && kind != "smudge" && kind != "process" {
			continue
		}
		if last, _ := c.Last(e.Key); last != e {
			continue
		}
		at, known := byName[name]
		if !known {
			at, byName[name] = len(all), len(all)
			all = append(all, Filter{Name: name})
		}
		if !slices.Contains(all[at].Programs, e.Value) {
			all[at].Programs = append(all[at].Programs, e.Value)
		}
	}
	slices.SortFunc(all, func(a, b Filter) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// cutDriver splits "filter.NAME.clean" into its name and the last word.
func cutDriver(key, prefix string) (name, kind string, ok bool) {
	rest, ok := strings.CutPrefix(key, prefix)
	at := strings.LastIndexByte(rest, '.')
	if !ok || at < 0 {
		return "", "", false
	}
	return rest[:at], rest[at+1:], true
}

// encode returns the config as a file that git reads.
func (c Config) encode() []byte {
	var b strings.Builder
	for _, e := range c {
		section, rest, _ := strings.Cut(e.Key, ".")
		if at := strings.LastIndexByte(rest, '.'); at >= 0 {
			fmt.Fprintf(&b, "[%s \"%s\"]\n", section, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(rest[:at]))
			rest = rest[at+1:]
		} else {
			fmt.Fprintf(&b, "[%s]\n", section)
		}
		if e.Bare {
			fmt.Fprintf(&b, "\t%s\n", rest)
			continue
		}
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(e.Value)
		fmt.Fprintf(&b, "\t%s = \"%s\"\n", rest, value)
	}
	return []byte(b.String())
}
