package redact

import "strings"

// A token is a secret that is known by its beginning and by the alphabet and the length of the rest. All
// three must match, since ordinary words begin so too.
type token struct {
	name     string
	heads    []string
	of       string // the bytes of the text after the head
	min, max int    // length of that text
	keepHead bool   // the head is no part of the secret
	alone    bool   // no hyphen or underscore stands before the head
}

// tokenShapes returns the shapes that services document for their tokens, or use in their own scanners.
func tokenShapes() []token {
	const long = 512
	return []token{
		{name: "anthropic-key", heads: []string{"sk-ant-"}, of: base64URL, min: 24, max: long},
		{name: "openai-key", heads: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, of: base64URL, min: 24, max: long},
		{name: "openai-key", heads: []string{"sk-"}, of: letters + digits, min: 48, max: 51},
		{name: "openrouter-key", heads: []string{"sk-or-v1-"}, of: lowHex, min: 64, max: 64},
		{name: "api-key", heads: []string{"sk-"}, of: lowHex, min: 32, max: 32},
		{name: "github-token", heads: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, of: letters + digits, min: 36, max: 255},
		{name: "github-token", heads: []string{"github_pat_"}, of: letters + digits + "_", min: 36, max: 255},
		{name: "gitlab-token", heads: []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-"}, of: base64URL, min: 20, max: 255},
		{name: "slack-token", heads: []string{"xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xoxe-", "xapp-"}, of: letters + digits + "-", min: 20, max: 255},
		{name: "slack-webhook", heads: []string{"hooks.slack.com/services/"}, of: letters + digits + "/", min: 36, max: 120, keepHead: true},
		{name: "aws-key-id", heads: []string{"AKIA", "ASIA"}, of: upper + digits, min: 16, max: 16},
		{name: "google-key", heads: []string{"AIza"}, of: base64URL, min: 35, max: 35},
		{name: "google-token", heads: []string{"ya29."}, of: base64URL, min: 40, max: 2048},
		{name: "google-secret", heads: []string{"GOCSPX-"}, of: base64URL, min: 28, max: 28},
		{name: "npm-token", heads: []string{"npm_"}, of: letters + digits, min: 36, max: 36},
		{name: "pypi-token", heads: []string{"pypi-AgE"}, of: base64URL, min: 32, max: long},
		{name: "rubygems-key", heads: []string{"rubygems_"}, of: lowHex, min: 48, max: 48},
		{name: "docker-token", heads: []string{"dckr_pat_"}, of: base64URL, min: 27, max: 36},
		{name: "huggingface-token", heads: []string{"hf_", "api_org_"}, of: letters + digits, min: 34, max: 40},
		{name: "digitalocean-token", heads: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, of: lowHex, min: 64, max: 64},
		{name: "stripe-key", heads: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_"}, of: letters + digits, min: 16, max: 255},
		{name: "sendgrid-key", heads: []string{"SG."}, of: base64URL + ".", min: 66, max: 66},
		{name: "vault-token", heads: []string{"hvs.", "hvb."}, of: base64URL, min: 80, max: 255},
		{name: "databricks-token", heads: []string{"dapi"}, of: lowHex, min: 32, max: 32},
		{name: "groq-key", heads: []string{"gsk_"}, of: letters + digits, min: 52, max: 52},
		{name: "xai-key", heads: []string{"xai-"}, of: letters + digits, min: 80, max: 80},
		{name: "linear-key", heads: []string{"lin_api_"}, of: letters + digits, min: 40, max: 40},
		{name: "atlassian-token", heads: []string{"ATATT3"}, of: base64URL + "=", min: 150, max: 255},
		{name: "supabase-token", heads: []string{"sbp_"}, of: lowHex, min: 40, max: 40},
		{name: "azure-key", heads: []string{"AccountKey="}, of: base64Std, min: 86, max: 88, keepHead: true},
		{name: "mulligan-token", heads: []string{"mgd_"}, of: lowHex, min: 48, max: 48}, // the agents' door
		{name: "shopify-token", heads: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, of: lowHex + "ABCDEF", min: 32, max: 32},
		{name: "figma-token", heads: []string{"figd_", "figu_"}, of: base64URL, min: 36, max: 64},
		{name: "notion-token", heads: []string{"ntn_"}, of: letters + digits, min: 43, max: 50},
		{name: "replicate-token", heads: []string{"r8_"}, of: letters + digits, min: 37, max: 37},
		{name: "perplexity-key", heads: []string{"pplx-"}, of: letters + digits, min: 40, max: 64},
		{name: "doppler-token", heads: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, of: base64URL + ".", min: 40, max: 80},
		{name: "postman-key", heads: []string{"PMAK-"}, of: lowHex + "-", min: 59, max: 59},
		{name: "twilio-key", heads: followedBy("SK", lowHex), of: lowHex, min: 31, max: 31},
		{name: "twilio-token", heads: assignTo("TWILIO_AUTH_TOKEN"), of: lowHex, min: 32, max: 32, keepHead: true},
		{name: "mailgun-key", heads: []string{"key-"}, of: lowHex, min: 32, max: 32, alone: true},
		{name: "cloudflare-token", heads: []string{"cfut_", "cfat_", "cfk_"}, of: letters + digits, min: 40, max: 64},
		{name: "cloudflare-token", heads: assignTo("CLOUDFLARE_API_TOKEN", "CF_API_TOKEN", "CLOUDFLARE_API_KEY", "CF_API_KEY"), of: base64URL, min: 37, max: 45, keepHead: true},
		{name: "cloudflare-key", heads: []string{"v1.0-"}, of: lowHex + "-", min: 171, max: 171},
		{name: "age-key", heads: []string{"AGE-SECRET-KEY-1"}, of: upper + digits, min: 58, max: 58},
	}
}

// shapePatterns returns the patterns that do not depend on the environment.
func shapePatterns() []pattern {
	list := []pattern{
		{name: "url-password", head: "://", match: matchURLPassword},
		{name: "private-key", head: "BEGIN ", match: matchPrivateKey},
		// The middle of the word, because its first letters are too frequent.
		{name: "authorization", head: "ization", match: matchAuthorization},
		{name: "authorization", head: "IZATION", match: matchAuthorization},
		{name: "jwt", head: "eyJ", match: matchJWT},
		{name: "telegram-token", head: ":AA", match: matchTelegram},
	}
	for _, t := range tokenShapes() {
		in := isIn(t.of)
		for _, head := range t.heads {
			list = append(list, pattern{name: t.name, head: head, match: func(v view, at int) (span, decision) {
				return t.matchAt(v, at, len(head), in)
			}})
		}
	}
	return list
}

// matchAt matches a token whose head, of the given length, stands at `at`.
func (t token) matchAt(v view, at, head int, in func(byte) bool) (span, decision) {
	left := v.textBefore(at)
	if !canStartWord(left) || t.alone && len(left) > 0 && strings.IndexByte("-_", left[len(left)-1]) >= 0 {
		return span{}, no
	}
	n := v.countRun(at+head, t.max+1, in)
	if n <= t.max && v.isOpenAt(at+head+n) {
		return span{}, undecided
	}
	for n > 0 && v.b[at+head+n-1] == '.' { // the end of a sentence
		n--
	}
	if n < t.min || n > t.max {
		return span{}, no
	}
	end := at + head + n
	// An example of the service's documentation, which stands in many tests.
	if strings.HasSuffix(string(v.b[at:end]), "EXAMPLE") {
		return span{}, no
	}
	if t.keepHead {
		at += head
	}
	return span{start: at, end: end}, yes
}

// The bytes that tokens are made of.
const (
	upper     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	letters   = upper + "abcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
	lowHex    = digits + "abcdef"
	base64URL = letters + digits + "_-"
	base64Std = letters + digits + "+/="
)

// isIn returns a function that reports whether a byte is one of those.
func isIn(bytes string) func(byte) bool {
	var set [256]bool
	for i := range len(bytes) {
		set[bytes[i]] = true
	}
	return func(c byte) bool { return set[c] }
}
