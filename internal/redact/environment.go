package redact

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// shortestSecret is the length from which a value is redacted everywhere: a shorter one is too likely to
// be a part of something else.
const shortestSecret = 12

// A secret is the value of a variable, or a part of it.
type secret struct{ name, value string }

// findSecrets returns the secret values of an environment.
func findSecrets(environ []string) []secret {
	public := publicValues(environ)
	var list []secret
	add := func(name, value string) {
		if isSecretValue(value) && !slices.ContainsFunc(public, func(p string) bool { return strings.Contains(p, value) }) {
			list = append(list, secret{name, value})
		}
	}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		value = strings.TrimSpace(value)
		if isSecretName(name) {
			add(name, value)
			for _, part := range splitSecrets(value) {
				add(name, part)
			}
		}
		add(name, urlPasswordOf(value))
	}
	return list
}

// publicValues returns the values of variables that name folders, the host and the user. A value that is
// part of one of them stands in many paths and is no secret, whatever its variable is called.
func publicValues(environ []string) []string {
	var list []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "PWD", "OLDPWD", "HOME", "USER", "LOGNAME", "HOSTNAME", "PATH", "SHELL", "TMPDIR":
			list = append(list, value)
		}
	}
	return list
}

// splitSecrets returns the secrets that a value may be a list of: keys between commas, the lines of a
// key. A line counts by itself only if it is one long word, as those of JSON are not.
func splitSecrets(value string) []string {
	var list []string
	if fields := strings.Split(value, ","); len(fields) > 1 && !strings.ContainsAny(value, "{}\n") {
		for _, f := range fields {
			list = append(list, strings.TrimSpace(f))
		}
	}
	if lines := strings.Split(value, "\n"); len(lines) > 1 {
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= 32 && !strings.ContainsAny(line, " \t\"'{}:,") {
				list = append(list, line)
			}
		}
	}
	return list
}

// urlPasswordOf returns the password in an address (a database's, a proxy's), or "" if there is none.
func urlPasswordOf(value string) string {
	if !strings.Contains(value, "://") || !strings.Contains(value, "@") {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil || isExampleHost(u.Host) {
		return ""
	}
	password, _ := u.User.Password()
	return password
}

// Words of variables' names.
var (
	// end of any word: the value is a secret
	secretWords = []string{
		"SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS",
		"TOKEN", "TOKENS", "APIKEY", "SECRETKEY", "PRIVATEKEY", "ACCESSKEY", "AUTHKEY", "SSHPASS", "AUTHTOKEN",
	}
	// last word: the value is a secret
	secretLastWords = []string{"KEY", "KEYS", "AUTH", "COOKIE", "JWT", "BEARER", "PAT"}
	// last word of several: the value is a secret
	secretLastOfSeveral = []string{"PASS", "PWD"}
	// after the last word, and without meaning
	qualifiers = []string{
		"BASE64", "B64", "PEM", "JSON", "VALUE", "RAW", "OLD", "NEW", "PROD", "PRODUCTION", "STAGING", "DEV", "TEST", "CI",
	}
	// last word: the value describes a secret and is none
	describingWords = []string{
		"FILE", "FILES", "PATH", "DIR", "URL", "URI", "ENDPOINT", "HOST", "PORT", "NAME", "NAMES", "ID", "IDS", "USER", "EMAIL",
		"TYPE", "SOCK", "SOCKET", "TTL", "TIMEOUT", "EXPIRY", "EXPIRES", "LENGTH", "SIZE", "LIMIT", "COUNT", "REGION", "VERSION",
		"ALGORITHM", "ALG", "METHOD", "MODE", "SCOPE", "SCOPES", "AUDIENCE", "ISSUER", "REALM", "ENABLED", "REQUIRED", "MANAGER",
		"PROVIDER", "HELPER", "NAMESPACE", "PREFIX", "HEADER", "FORMAT", "POLICY", "ROLE", "ARN", "FINGERPRINT", "REGISTRY",
		"NETWORK", "SUBNET", "REPO", "PROGRAM", "COMMAND", "CMD",
	}
	// any word: a KEY of this kind is no secret
	openKinds = []string{"PUBLIC", "PUB", "CACHE", "PRIMARY", "FOREIGN", "SORT", "PARTITION", "PROJECT", "ISSUE", "HOST", "MAP", "OBJECT"}
)

// isSecretName reports whether a variable's name tells that its value is a secret.
func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	if name == "DOCKER_AUTH_CONFIG" { // which its words do not tell
		return true
	}
	words := splitName(name)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if slices.Contains(describingWords, last) || last == "KEY" && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(openKinds, w) }) {
		return false
	}
	for _, w := range words {
		if w == "PRIVATE" || slices.ContainsFunc(secretWords, func(say string) bool { return strings.HasSuffix(w, say) }) {
			return true
		}
	}
	return slices.Contains(secretLastWords, last) || len(words) > 1 && slices.Contains(secretLastOfSeveral, last)
}

// splitName returns the words of a name, without qualifiers and numbers at its end.
func splitName(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
	for n := len(words) - 1; n >= 0; n-- {
		if n > 0 && slices.Contains(qualifiers, words[n]) {
			words = words[:n]
			continue
		}
		if words[n] = strings.TrimRight(words[n], "0123456789"); words[n] != "" {
			break
		}
		words = words[:n]
	}
	return words
}

// isSecretValue reports whether a value can be redacted everywhere: it is long enough, and does not occur
// in ordinary text.
func isSecretValue(value string) bool {
	return utf8.RuneCountInString(value) >= shortestSecret && !isPath(value) && !isAddress(value) && !isPlaceholder(value) &&
		!slices.Contains(commonValues, strings.ToLower(value))
}

// commonValues are ordinary words and names of at least shortestSecret characters that variables are set to.
var commonValues = []string{
	"access-token", "access_token", "authenticate", "authenticated", "authentication", "authorization", "client-secret",
	"client_secret", "confidential", "credential-helper", "credentials", "development", "disabled-by-default", "environment",
	"github-actions", "github_token", "interactive", "not-configured", "not-required", "not_required", "organization",
	"osxkeychain", "personal-access-token", "placeholder-value", "private-key", "secretservice", "service-account",
	"service_account", "unauthenticated", "unauthorized", "x-access-token",
}

// topFolders are folders that paths usually begin with. They tell a path from base64, which may begin
// with a slash too.
var topFolders = []string{
	"home", "Users", "usr", "etc", "var", "tmp", "opt", "run", "root", "mnt", "srv", "dev", "proc", "private", "Library", "Volumes",
	"nix", "app", "data", "secrets", "workspace", "workspaces", "builds", "github", "bin", "sys", "media", "snap",
}

// isPath reports whether a value is a path: the secret is in the file.
func isPath(value string) bool {
	if hasAnyPrefix(value, "~/", "./", "../", "file:") {
		return true
	}
	if len(value) > 2 && isAlnum(value[0]) && value[1] == ':' && (value[2] == '\\' || value[2] == '/') {
		return true
	}
	rest, rooted := strings.CutPrefix(value, "/")
	top, _, deeper := strings.Cut(rest, "/")
	return rooted && deeper && slices.Contains(topFolders, top)
}

// isAddress reports whether a value is an address without a credential in it.
func isAddress(value string) bool {
	scheme, rest, found := strings.Cut(value, "://")
	return found && scheme != "" && !strings.ContainsAny(rest, "@?#= \t\n") && !strings.Contains(rest, "hooks.")
}

// isPlaceholder reports whether a value is a reference, a mask or one repeated character.
func isPlaceholder(value string) bool {
	if hasAnyPrefix(value, "${", "[secret:") || strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") {
		return true
	}
	return strings.Trim(value, value[:1]) == "" || strings.Trim(strings.ToLower(value), "x*.-_") == ""
}

// hasAnyPrefix reports whether s begins with one of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
