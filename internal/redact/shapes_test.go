package redact

import (
	"strings"
	"testing"
)

// fill is n characters that hold letters of both cases and digits.
func fill(n int) string {
	return strings.Repeat("aB3dE5gH7jK9", n/12+1)[:n]
}

func hexes(n int) string { return strings.Repeat("0a1b2c3d4e5f", n/12+1)[:n] }

func pem(kind string) string {
	return "-----BEGIN " + kind + "-----\n" + strings.Repeat(fill(64)+"\n", 5) + "AbC=\n-----END " + kind + "-----"
}

// TestShapes: every shape is found in the ways that it stands in text.
func TestShapes(t *testing.T) {
	r := New(nil)
	for name, list := range map[string][]string{
		"anthropic-key":      {"sk-ant-api03-" + fill(95), "sk-ant-oat01-" + fill(40) + "_-" + fill(40)},
		"openai-key":         {"sk-proj-" + fill(100), "sk-" + fill(48), "sk-svcacct-" + fill(60), "sk-admin-" + fill(60)},
		"openrouter-key":     {"sk-or-v1-" + hexes(64)},
		"api-key":            {"sk-" + hexes(32)},
		"github-token":       {"ghp_" + fill(36), "gho_" + fill(36), "ghu_" + fill(36), "ghs_" + fill(36), "ghr_" + fill(76), "github_pat_" + fill(22) + "_" + fill(59)},
		"gitlab-token":       {"glpat-" + fill(20), "glrt-" + fill(20)},
		"slack-token":        {"xoxb-123456789012-1234567890123-" + fill(24), "xoxp-" + fill(40), "xapp-1-" + fill(40)},
		"aws-key-id":         {"AKIA" + strings.ToUpper(fill(16)), "ASIA" + strings.ToUpper(fill(16))},
		"google-key":         {"AIza" + fill(35)},
		"google-token":       {"ya29." + fill(120)},
		"google-secret":      {"GOCSPX-" + fill(28)},
		"npm-token":          {"npm_" + fill(36)},
		"pypi-token":         {"pypi-AgEIcHlwaS5vcmc" + fill(100)},
		"rubygems-key":       {"rubygems_" + hexes(48)},
		"docker-token":       {"dckr_pat_" + fill(27)},
		"huggingface-token":  {"hf_" + fill(34)},
		"digitalocean-token": {"dop_v1_" + hexes(64)},
		"stripe-key":         {"sk_live_" + fill(24), "sk_test_" + fill(24), "rk_live_" + fill(99)},
		"sendgrid-key":       {"SG." + fill(22) + "." + fill(43)},
		"vault-token":        {"hvs." + fill(95)},
		"databricks-token":   {"dapi" + hexes(32)},
		"groq-key":           {"gsk_" + fill(52)},
		"xai-key":            {"xai-" + fill(80)},
		"linear-key":         {"lin_api_" + fill(40)},
		"atlassian-token":    {"ATATT3" + fill(180) + "=ABCDEF12"},
		"supabase-token":     {"sbp_" + hexes(40)},
		"shopify-token":      {"shpat_" + hexes(32), "shpss_" + hexes(32)},
		"figma-token":        {"figd_" + fill(20) + "-_" + fill(18)},
		"notion-token":       {"ntn_" + fill(46)},
		"replicate-token":    {"r8_" + fill(37)},
		"perplexity-key":     {"pplx-" + fill(48)},
		"doppler-token":      {"dp.pt." + fill(43), "dp.st.prd." + fill(43)},
		"postman-key":        {"PMAK-" + hexes(24) + "-" + hexes(34)},
		"twilio-key":         {"SK" + hexes(32)},
		"mailgun-key":        {"key-" + hexes(32)},
		"cloudflare-token":   {"cfut_" + fill(48)},
		"cloudflare-key":     {"v1.0-" + hexes(24) + "-" + hexes(146)},
		"jwt":                {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + fill(43), "eyJ" + fill(400) + ".eyJ" + fill(3000) + "." + fill(342)},
		"age-key":            {"AGE-SECRET-KEY-1" + strings.ToUpper(fill(58))},
	} {
		for _, token := range list {
			for _, around := range []string{
				"%", "key=% and more", "\"%\"", "(%)", "line\n%\nline", `{"text":"line\n%\nline"}`, `\u000a%`, "a%20%%0A",
				"\x1b[31m%\x1b[0m", "\x1b[38;5;123m%", `\x1b[1m%`, "url?token=%&x=1", "%.", "% %",
			} {
				text := place(around, token)
				want := place(around, "[secret:"+name+"]")
				if got := r.String(text); got != want {
					t.Errorf("%s:\n     %q\ngave %q\nwant %q", name, text, got, want)
				}
				if got := writeInPieces(t, r, text, 7); got != want {
					t.Errorf("%s, in pieces:\n     %q\ngave %q\nwant %q", name, text, got, want)
				}
			}
		}
	}
}

// writeInPieces returns what a writer makes of a text that comes in pieces.
func writeInPieces(t *testing.T, r *Redactor, text string, size int) string {
	t.Helper()
	var out strings.Builder
	w := r.Writer(&out)
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := w.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// place puts s where a pattern has a %, but for the percent signs of a URL's escapes.
func place(around, s string) string {
	around = strings.NewReplacer("%20", "\x00", "%0A", "\x01").Replace(around)
	return strings.NewReplacer("\x00", "%20", "\x01", "%0A").Replace(strings.ReplaceAll(around, "%", s))
}

func TestShapesInPlaces(t *testing.T) {
	r := New(nil)
	hook := "https://hooks.slack.com/services/T" + strings.ToUpper(fill(8)) + "/B" + strings.ToUpper(fill(8)) + "/" + fill(24)
	for _, test := range []struct{ text, want string }{
		{"Authorization: Bearer " + fill(20), "Authorization: Bearer [secret:authorization]"},
		{"authorization: bearer " + fill(20) + "\r\nHost: x", "authorization: bearer [secret:authorization]\r\nHost: x"},
		{"AUTHORIZATION=Basic dXNlcjpwYXNzd29yZA==", "AUTHORIZATION=Basic [secret:authorization]"},
		{`{"Authorization": "token ` + fill(16) + `"}`, `{"Authorization": "token [secret:authorization]"}`},
		{"map[Authorization:[Bearer " + fill(5000) + "]]", "map[Authorization:[Bearer [secret:authorization]]]"},
		{`curl -H 'Proxy-Authorization: Basic ` + fill(16) + `'`, `curl -H 'Proxy-Authorization: Basic [secret:authorization]'`},
		{"git clone https://me:" + fill(10) + "@git.internal/x.git", "git clone https://me:[secret:url-password]@git.internal/x.git"},
		{"redis://:p@ss:w0rd!x@cache.internal:6379", "redis://:[secret:url-password]@cache.internal:6379"},
		{"postgres://u:correct-horse@db", "postgres://u:[secret:url-password]@db"},
		{"https://api.telegram.org/bot123456789:AA" + fill(33) + "/getMe", "https://api.telegram.org/bot123456789:[secret:telegram-token]/getMe"},
		{"token 1234567890:AA" + fill(33), "token 1234567890:[secret:telegram-token]"},
		{"CLOUDFLARE_API_TOKEN=" + fill(40), "CLOUDFLARE_API_TOKEN=[secret:cloudflare-token]"},
		{`{"CF_API_TOKEN": "` + fill(40) + `"}`, `{"CF_API_TOKEN": "[secret:cloudflare-token]"}`},
		{"TWILIO_AUTH_TOKEN: " + hexes(32), "TWILIO_AUTH_TOKEN: [secret:twilio-token]"},
		{hook, "https://hooks.slack.com/services/[secret:slack-webhook]"},
		{"AccountName=x;AccountKey=" + fill(86) + "==;End", "AccountName=x;AccountKey=[secret:azure-key];End"},
		{"before\n" + pem("RSA PRIVATE KEY") + "\nafter", "before\n-----[secret:private-key]\nafter"},
		{pem("PRIVATE KEY"), "-----[secret:private-key]"},
		{pem("PGP PRIVATE KEY BLOCK"), "-----[secret:private-key]"},
		{`"` + strings.ReplaceAll(pem("OPENSSH PRIVATE KEY"), "\n", `\n`) + `\n"}`, `"-----[secret:private-key]\n"}`},
		{strings.ReplaceAll(pem("EC PRIVATE KEY"), "\n", `\\n`), "-----[secret:private-key]"},
		{strings.ReplaceAll(pem("EC PRIVATE KEY"), "\n", "\r\n"), "-----[secret:private-key]"},
		{strings.ReplaceAll(pem("EC PRIVATE KEY"), "\n", "\\n\" +\n  \""), "-----[secret:private-key]"},
		{
			strings.Replace(pem("RSA PRIVATE KEY"), "-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B2C\n\n", 1),
			"-----[secret:private-key]",
		},
		// one that breaks off
		{"-----BEGIN PRIVATE KEY-----\n" + fill(64) + "\n" + fill(64) + "\nand so on, in words.", "-----[secret:private-key]\nand so on, in words."},
		{"-----BEGIN PRIVATE KEY-----\n" + fill(30), "-----[secret:private-key]"},
		{pem("PRIVATE KEY") + "\n" + pem("PRIVATE KEY"), "-----[secret:private-key]\n-----[secret:private-key]"},
	} {
		if got := r.String(test.text); got != test.want {
			t.Errorf("     %q\ngave %q\nwant %q", test.text, got, test.want)
		}
	}
}

// TestOrdinaryTextStays: words, hashes, ids, fixtures and what only begins as a token does.
func TestOrdinaryTextStays(t *testing.T) {
	r := New(nil)
	for _, text := range []string{
		"a task-anticipated, disk-" + hexes(32) + ", mask-" + fill(48),
		"commit 2ccab70e0a1b2c3d4e5f60718293a4b5c6d7e8f9", "sha256:" + hexes(64), "550e8400-e29b-41d4-a716-446655440000",
		"sk-learn", "sk-SK", "sk-proj-short", "sk-" + fill(47), "sk-" + fill(52), "sk-" + hexes(40),
		"ghp_", "ghp_short", "ghp_" + fill(35), "xghp_" + fill(36) + "0", "my" + "ghp_" + fill(36), "github_pat_tern",
		"AKIA" + strings.ToUpper(fill(15)), "AKIA" + strings.ToUpper(fill(17)), "AKIAIOSFODNN7" + "EXAMPLE", "ASIATIC", "AIza" + fill(34), "AIza" + fill(36),
		"npm_config_cache", "npm_lifecycle_event", "npm_" + fill(37), "pypi-server", "pypi-AgE", "hf_hub_download", "hf_" + fill(33), "dop_v1_",
		"dapi-client", "SG.", "hvs.example", "xoxo-and-love", "xoxb-", "glpat-x", "ya29.", "sk_test_x", "sk_test_mode_is_off", "sk_live_x",
		"eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.", "eyJ.eyJ.x", "monkeyJar.eyJ", "heyJude",
		"eyJhbGciOiJIUzI1NiJ9." + fill(30) + "." + fill(30), "shpat_ula", "shpat_" + hexes(31), "figd_x", "ntn_" + fill(20), "r8_" + fill(36), "r8_0", "pplx-api-client",
		"dp.pt.x", "dp.pt.width", "udp.pt." + fill(43), "PMAK-" + hexes(20), "SK" + hexes(30), "SK" + hexes(40), "RISK" + hexes(32), "TASK0a1b",
		"cache-key-" + hexes(32), "cache_key-" + hexes(32), "key-" + hexes(40), "key-" + hexes(64), "monkey-" + hexes(32), "12:34:AAA", "1:AA" + fill(33), "123456789:AA" + fill(30),
		"123456789:AA" + fill(40), "2026-11-16T21:45:AA", "v1.0-" + hexes(24), "v1.0-rc1", "cfk_" + fill(20), "CF_API_TOKEN=$TOKEN", "CF_API_TOKEN=${CLOUDFLARE_API_TOKEN}",
		"http://example.com/a:b@c", "https://github.com/x/y@v1.2.3", "see http://x:8080/", "postgres://postgres:postgres@db/x", "://",
		"postgres://user:password@db.internal/x", "postgres://u:hunter2hunter2@localhost:5432/x", "https://u:longpassword@example.com",
		"https://u:longpassword@api.example.org/", "https://user:$PASSWORD1234@host", "https://user:${PASSWORD}@host", "https://user:<password>@host",
		"amqp://u:longpassword@127.0.0.1", "amqp://u:longpassword@[::1]:1", "https://user:********@host", "mailto:me@example.com", "user:longpassword@host",
		"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "Authorization: Bearer YOUR_ACCESS_TOKEN", "Authorization: Bearer short",
		"authorization failed for the bearer of this token", "authorization: none", "organization: internationalization", "localization",
		`if strings.Contains(s, "-----BEGIN PRIVATE KEY-----") {`, "-----BEGIN PRIVATE KEY-----", "-----BEGIN PUBLIC KEY-----\n" + fill(64) + "\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + fill(64) + "\n-----END CERTIFICATE-----", "-----BEGIN RSA PRIVATE KEY-----\nshort words only here", "BEGIN TRANSACTION", "-----BEGIN\n",
		strings.Repeat("-", 200), "[secret:NAME]", "https://me:[secret:url-password]@git.internal/x", "", "s", "sk", "sk-", "\x00\xff\xfe",
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q\ngave %q", text, got)
		}
	}
}
