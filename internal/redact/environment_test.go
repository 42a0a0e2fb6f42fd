package redact

import (
	"strings"
	"testing"
)

func TestNamesThatSaySo(t *testing.T) {
	for names, want := range map[string]bool{
		"ANTHROPIC_API_KEY OPENAI_API_KEY GITHUB_TOKEN GH_TOKEN AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN":      true,
		"CLIENT_SECRET SECRET SECRET_KEY_BASE APP_SECRET_V2 DB_PASSWORD PGPASSWORD MYSQL_PWD DB_PASS SSHPASS": true,
		"GPG_PASSPHRASE SMTP_PASSWD GOOGLE_CREDENTIALS AZURE_CREDENTIAL NPM_AUTH HTTP_BASIC_AUTH":             true,
		"SSH_PRIVATE_KEY PRIVATE_KEY_BASE64 DEPLOY_KEY API_KEYS API_KEY_2 TOKEN1 API_KEY_PROD apiKey":         true,
		"npm_config__authToken NPM_CONFIG_//registry.example/:_authToken SESSION_COOKIE MY_PAT KEY TOKEN":     true,
		"DOCKER_AUTH_CONFIG GITHUB_TOKEN_FOR_CI PRIVATE_NOTE auth_token":                                      true,

		"SSH_AUTH_SOCK KEYBOARD_LAYOUT XAUTHORITY GIT_ASKPASS SSH_ASKPASS PWD OLDPWD MONKEY TURKEY LESSKEY":          false,
		"AWS_ACCESS_KEY_ID API_KEY_FILE GOOGLE_CREDENTIALS_PATH TOKEN_URL TOKEN_ENDPOINT SECRET_NAME AUTH_TYPE":      false,
		"PUBLIC_KEY SSH_PUBLIC_KEY NEXT_PUBLIC_KEY CACHE_KEY SORT_KEY SONAR_PROJECT_KEY TOKENIZERS_PARALLELISM":      false,
		"GOPRIVATE PATH HOME LS_COLORS TERM AUTHOR GIT_AUTHOR_NAME COMPASS BYPASS PASS HISTCONTROL PRIVATE_REGISTRY": false,
		"_ 1 KEYRING KEY_REPEAT PASSWORD_STORE_DIR CREDENTIAL_HELPER VAULT_SECRET_PATH SECRETS_MANAGER":              false,
	} {
		for _, name := range strings.Fields(names) {
			if got := isSecretName(name); got != want {
				t.Errorf("%s: says secret: %v, want %v", name, got, want)
			}
		}
	}
	if isSecretName("") {
		t.Error("no name says nothing")
	}
}

func TestValuesThatAreSecrets(t *testing.T) {
	for _, test := range []struct {
		value string
		want  bool
	}{
		{"abcdefghijkl", true},
		{"supersecretvalue", true},
		{"correct horse battery staple", true},
		{"sécrét-älong", true},
		{"/9j/4AAQSkZJRgABAQEAYABgAAD", true},
		{"https://user:pass@db.internal/x", true},
		{"https://hooks.slack.com/services/T0/B0/x", true},
		{"123456789012", true},

		{"elevenchars", false},
		{"äöüäöüäöü", false}, // nine characters, eighteen bytes
		{"", false},
		{"/home/user/.ssh/id_ed25519", false},
		{"/etc/ssl/private.key", false},
		{"~/keys/deploy.pem", false},
		{"../keys/deploy.pem", false},
		{`C:\Users\me\key.pem`, false},
		{"file:///tmp/token-file", false},
		{"https://auth.internal/realms/main", false},
		{"authentication", false},
		{"X-Access-Token", false},
		{"${OTHER_TOKEN}", false},
		{"<your-token-here>", false},
		{"xxxxxxxxxxxxxxxx", false},
		{"****************", false},
		{"000000000000", false},
	} {
		if got := isSecretValue(test.value); got != test.want {
			t.Errorf("%q: a secret: %v, want %v", test.value, got, test.want)
		}
	}
}

func TestSecretsOfAnEnvironment(t *testing.T) {
	got := findSecrets([]string{
		"PWD=/home/me/my-org_my-project", "HOME=/home/me", "no value", "=odd", "X=",
		"APP_KEY=my-org_my-project",                                  // part of every path
		"API_KEYS=first-key-0001, second-key-02,short",               // a list
		"DATABASE_URL=postgres://app:hunter2hunter2@db.internal/app", // by its value, whatever its name
		"LOCAL_URL=postgres://app:hunter2hunter2@localhost/app",
		"EDITOR=vim-is-not-a-secret",
		"PADDED_TOKEN=  padded-with-space \n",
	})
	want := []secret{
		{"API_KEYS", "first-key-0001, second-key-02,short"},
		{"API_KEYS", "first-key-0001"},
		{"API_KEYS", "second-key-02"},
		{"DATABASE_URL", "hunter2hunter2"},
		{"PADDED_TOKEN", "padded-with-space"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: got %q, want %q", i, got[i], want[i])
		}
	}
}
