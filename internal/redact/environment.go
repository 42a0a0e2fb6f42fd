package redact

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// shortestSecret is how many characters a value has at least to be taken out wherever it stands:
// shorter ones are too likely to be a part of something else.
const shortestSecret = 12

type secret struct{ name, value string }

// findSecrets are the values of an environment that nobody else should see.
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

// publicValues are where this is and whose it is. A value that is part of one of these
// stands in every path, whatever its variable is called.
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

// splitSecrets are the secrets that one value may be a list of: keys behind commas, the lines of
// a key. A line counts by itself only where it is one long word: those of JSON are not.
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

// urlPasswordOf is the password of a value that is an address with one: a database's, a proxy's.
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

// Words of a variable's name. In these lists a word stands for all that end with it.
var (
	// anywhere in a name
	secretWords = []string{
		"SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS",
		"TOKEN", "TOKENS", "APIKEY", "SECRETKEY", "PRIVATEKEY", "ACCESSKEY", "AUTHKEY", "SSHPASS", "AUTHTOKEN",
	}
	// as a word of its own, anywhere
	secretWholeWords = []string{"PRIVATE"}
	// as a word of its own, the last
	secretLastWords = []string{"KEY", "KEYS", "AUTH", "COOKIE", "JWT", "BEARER", "PAT"}
	// as the last of several
	secretLastOfSeveral = []string{"PASS", "PWD"}
	// behind the last word, and saying nothing
	qualifiers = []string{
		"BASE64", "B64", "PEM", "JSON", "VALUE", "RAW", "OLD", "NEW", "PROD", "PRODUCTION", "STAGING", "DEV", "TEST", "CI",
	}
	// the last word: the name is of something about a secret
	describingWords = []string{
		"FILE", "FILES", "PATH", "DIR", "URL", "URI", "ENDPOINT", "HOST", "PORT", "NAME", "NAMES", "ID", "IDS", "USER", "EMAIL",
		"TYPE", "SOCK", "SOCKET", "TTL", "TIMEOUT", "EXPIRY", "EXPIRES", "LENGTH", "SIZE", "LIMIT", "COUNT", "REGION", "VERSION",
		"ALGORITHM", "ALG", "METHOD", "MODE", "SCOPE", "SCOPES", "AUDIENCE", "ISSUER", "REALM", "ENABLED", "REQUIRED", "MANAGER",
		"PROVIDER", "HELPER", "NAMESPACE", "PREFIX", "HEADER", "FORMAT", "POLICY", "ROLE", "ARN", "FINGERPRINT", "REGISTRY",
		"NETWORK", "SUBNET", "REPO", "PROGRAM", "COMMAND", "CMD",
	}
	// a KEY of this kind opens nothing
	openKinds = []string{"PUBLIC", "PUB", "CACHE", "PRIMARY", "FOREIGN", "SORT", "PARTITION", "PROJECT", "ISSUE", "HOST", "MAP", "OBJECT"}
	// names that say it in no such way
	exactNames = []string{"DOCKER_AUTH_CONFIG"}
)

// isSecretName says whether a variable's name says that its value is a secret.
func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	if slices.Contains(exactNames, name) {
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
		if slices.Contains(secretWholeWords, w) || slices.ContainsFunc(secretWords, func(say string) bool { return strings.HasSuffix(w, say) }) {
			return true
		}
	}
	return slices.Contains(secretLastWords, last) || len(words) > 1 && slices.Contains(secretLastOfSeveral, last)
}

// splitName are the words of a name, without what only tells one of several from the others.
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

// isSecretValue says whether a value can be taken out wherever it stands: it is long enough, and
// not what stands in ordinary text.
func isSecretValue(value string) bool {
	return utf8.RuneCountInString(value) >= shortestSecret && !isPath(value) && !isAddress(value) && !isPlaceholder(value) &&
		!slices.Contains(commonValues, strings.ToLower(value))
}

// commonValues are words and names that variables are set to, and that are long enough.
var commonValues = []string{
	"access-token", "access_token", "authenticate", "authenticated", "authentication", "authorization", "client-secret",
	"client_secret", "confidential", "credential-helper", "credentials", "development", "disabled-by-default", "environment",
	"github-actions", "github_token", "interactive", "not-configured", "not-required", "not_required", "organization",
	"osxkeychain", "personal-access-token", "placeholder-value", "private-key", "secretservice", "service-account",
	"service_account", "unauthenticated", "unauthorized", "x-access-token",
}

// Folders that the paths of this world begin with: base64 may begin with a slash, too.
var topFolders = []string{
	"home", "Users", "usr", "etc", "var", "tmp", "opt", "run", "root", "mnt", "srv", "dev", "proc", "private", "Library", "Volumes",
	"nix", "app", "data", "secrets", "workspace", "workspaces", "builds", "github", "bin", "sys", "media", "snap",
}

// isPath says whether a value is a plain path: the secret is in the file.
func isPath(value string) bool {
	for _, start := range []string{"~/", "./", "../", "file:"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	if len(value) > 2 && isAlnum(value[0]) && value[1] == ':' && (value[2] == '\\' || value[2] == '/') {
		return true
	}
	rest, rooted := strings.CutPrefix(value, "/")
	top, _, deeper := strings.Cut(rest, "/")
	return rooted && deeper && slices.Contains(topFolders, top)
}

// isAddress says whether a value is an address with nothing in it that opens a door.
func isAddress(value string) bool {
	scheme, rest, found := strings.Cut(value, "://")
	return found && scheme != "" && !strings.ContainsAny(rest, "@?#= \t\n") && !strings.Contains(rest, "hooks.")
}

// isPlaceholder says whether a value is a reference, a mask or the same character all along.
func isPlaceholder(value string) bool {
	if strings.HasPrefix(value, "${") || strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") || strings.HasPrefix(value, "[secret:") {
		return true
	}
	return strings.Trim(value, value[:1]) == "" || strings.Trim(strings.ToLower(value), "x*.-_") == ""
}
