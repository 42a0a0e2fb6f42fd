package page

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan/internal/process"
)

func TestTokenWorksOnce(t *testing.T) {
	_, base, _ := serve(t, Config{Env: newEnv(t)})
	first, second := newBrowser(t), newBrowser(t)
	first.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := first.Get(base + "/?token=" + token)
	if err != nil {
		t.Fatal(err)
	}
	cookies := r.Cookies()
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" || len(cookies) != 1 {
		t.Fatalf("%d, %v", r.StatusCode, r.Header)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Value == token || len(c.Value) < 20 {
		t.Errorf("the cookie is %+v", c)
	}
	for _, browser := range []*http.Client{first, second} {
		r, err := browser.Get(base + "/?token=" + token)
		code, body := readAnswer(t, r, err)
		if code != http.StatusUnauthorized || !strings.Contains(body, "mulligan ui") || len(r.Cookies()) != 0 {
			t.Errorf("used again: %d\n%s", code, body)
		}
	}
}

func TestWrongTokenSpendsNothing(t *testing.T) {
	_, base, _ := serve(t, Config{Env: newEnv(t)})
	for _, given := range []string{"x", "TOKENX", "%00", "token"} {
		r, err := newBrowser(t).Get(base + "/?token=" + given)
		if code, _ := readAnswer(t, r, err); code != http.StatusUnauthorized {
			t.Errorf("%s: %d", given, code)
		}
	}
	r, err := newBrowser(t).Get(base + "/?token=" + token)
	if code, _ := readAnswer(t, r, err); code != http.StatusOK {
		t.Errorf("the right one: %d", code)
	}
}

func TestWithoutLogin(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin("task")...)
	s.browser = newBrowser(t)
	for _, path := range []string{"/", "/live", "/settings", "/s/" + session, "/s/" + session + "/live", "/s/" + session + "/diff", "/s/" + session + "/output/turn-0001.log"} {
		if code, body := s.get(path); code != http.StatusUnauthorized || strings.Contains(body, "task") {
			t.Errorf("%s: %d\n%s", path, code, body)
		}
	}
	if code, _ := s.post("/s/"+session+"/stop", map[string]string{"form": formToken("")}, nil); code != http.StatusUnauthorized {
		t.Errorf("a form: %d", code)
	}
}

func TestForeignHost(t *testing.T) {
	s := newScene(t, nil)
	for host, want := range map[string]int{
		"127.0.0.1:" + s.server.port: http.StatusOK, "evil.example": http.StatusMisdirectedRequest, "evil.example:" + s.server.port: http.StatusMisdirectedRequest,
		"127.0.0.1": http.StatusMisdirectedRequest, "127.0.0.1:1": http.StatusMisdirectedRequest, "127.0.0.1.evil.example:" + s.server.port: http.StatusMisdirectedRequest,
	} {
		r, err := http.NewRequest(http.MethodGet, s.base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := s.browser.Do(r)
		if code, _ := readAnswer(t, answer, err); code != want {
			t.Errorf("%s: %d, want %d", host, code, want)
		}
	}
}

func TestForeignOrigin(t *testing.T) {
	s := newScene(t, nil)
	s.write(s.begin("task")...)
	heard := s.answerPings()
	_, page := s.get("/s/" + session)
	form := map[string]string{"form": formOf(t, page), "text": "Use tabs."}
	for name, headers := range map[string]map[string]string{
		"another site":       {"Origin": "http://evil.example"},
		"another port":       {"Origin": "http://127.0.0.1:1"},
		"the other name":     {"Origin": "http://localhost:" + s.server.port},
		"an opaque origin":   {"Origin": "null"},
		"a site's fetch":     {"Origin": "", "Sec-Fetch-Site": "cross-site"},
		"a port's fetch":     {"Origin": s.base, "Sec-Fetch-Site": "same-site"},
		"no word about it":   {"Origin": ""},
		"a person's address": {"Origin": "", "Sec-Fetch-Site": "none"},
	} {
		if code, _ := s.post("/s/"+session+"/tell", form, headers); code != http.StatusForbidden {
			t.Errorf("%s: %d", name, code)
		}
	}
	for name, given := range map[string]string{"no token": "", "another's token": formToken("x")} {
		if code, _ := s.post("/s/"+session+"/tell", map[string]string{"form": given, "text": "x"}, nil); code != http.StatusForbidden {
			t.Errorf("%s: %d", name, code)
		}
	}
	select {
	case text := <-heard:
		t.Errorf("the session heard %s", text)
	default:
	}
	if code, _ := s.post("/s/"+session+"/tell", form, map[string]string{"Sec-Fetch-Site": "same-origin"}); code != http.StatusOK {
		t.Errorf("our own page: %d", code)
	}
	select {
	case text := <-heard:
		if !strings.Contains(text, "Use tabs.") {
			t.Errorf("the session heard %s", text)
		}
	case <-time.After(10 * time.Second):
		t.Error("the session heard nothing")
	}
}

func TestForeignRead(t *testing.T) {
	s := newScene(t, nil)
	for _, tt := range []struct {
		site, mode, dest string
		want             int
	}{
		{"cross-site", "no-cors", "script", http.StatusForbidden},
		{"same-site", "cors", "empty", http.StatusForbidden},
		{"cross-site", "navigate", "iframe", http.StatusForbidden},
		{"cross-site", "navigate", "document", http.StatusOK},
		{"same-origin", "cors", "empty", http.StatusOK},
		{"none", "navigate", "document", http.StatusOK},
	} {
		r, err := http.NewRequest(http.MethodGet, s.base+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sec-Fetch-Site", tt.site)
		r.Header.Set("Sec-Fetch-Mode", tt.mode)
		r.Header.Set("Sec-Fetch-Dest", tt.dest)
		answer, err := s.browser.Do(r)
		if code, _ := readAnswer(t, answer, err); code != tt.want {
			t.Errorf("%+v: %d", tt, code)
		}
	}
}

func TestReadOnly(t *testing.T) {
	s := newScene(t, func(c *Config) { c.ReadOnly = true })
	s.write(s.begin("task")...)
	code, page := s.get("/s/" + session)
	if code != http.StatusOK || strings.Contains(page, "<form method=\"post\"") {
		t.Errorf("%d: the page has forms", code)
	}
	var secret string
	for _, c := range s.browser.Jar.Cookies(mustParse(t, s.base)) {
		secret = c.Value
	}
	for _, action := range []string{"answer", "tell", "pause", "stop", "resume"} {
		code, body := s.post("/s/"+session+"/"+action, map[string]string{"form": formToken(secret), "text": "x", "question": "1"}, nil)
		if code != http.StatusForbidden || !strings.Contains(body, "read-only") {
			t.Errorf("%s: %d", action, code)
		}
	}
}

// Every answer has the policy, whatever it is.
func TestHeaders(t *testing.T) {
	s := newScene(t, nil)
	for _, path := range []string{"/", "/no/such/page", "/static/app.css", "/static/app.js", "/static/none", "/s/none", "/settings"} {
		r, err := s.browser.Get(s.base + path)
		readAnswer(t, r, err)
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Errorf("the policy is %s", policy)
	}
}

// A browser stays logged in when the server is started again, and not for ever.
func TestLoginSurvivesARestart(t *testing.T) {
	s := newScene(t, nil)
	other, base, _ := serve(t, Config{Env: s.env, Token: "OTHER"})
	answer := func() int {
		r, err := s.browser.Get(base + "/")
		code, _ := readAnswer(t, r, err)
		return code
	}
	if code := answer(); code != http.StatusOK {
		t.Errorf("after a restart: %d", code)
	}
	files, err := filepath.Glob(filepath.Join(other.state, "page", "logins", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v, %v", info, err)
	}
	other.logins.now = func() time.Time { return time.Now().Add(loginLasts + time.Minute) }
	if code := answer(); code != http.StatusUnauthorized {
		t.Errorf("after a week: %d", code)
	}
	other.logins.dropExpired()
	if _, err := os.Stat(files[0]); err == nil {
		t.Error("it is kept for ever")
	}
}

// What an agent, a check or a hook of a session starts is refused, whatever it knows.
func TestChildrenAreRefused(t *testing.T) {
	env := newEnv(t)
	s, base, _ := serve(t, Config{Env: env})
	for role, want := range map[process.Role]string{
		process.RoleNone: "401", process.RoleAgent: "403", process.RoleCheck: "403", process.RoleHook: "403",
	} {
		pool := process.NewPool(process.PoolOptions{State: s.state})
		var out strings.Builder
		exit, err := pool.Run(t.Context(), process.Spec{Argv: []string{os.Args[0], "get", base + "/"}, Role: role, Stdout: &out})
		if err != nil || !exit.OK() {
			t.Fatalf("%q: %v, %v, %s", role, exit, err, out.String())
		}
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("%q: %s, want %s", role, got, want)
		}
	}
}

func TestMetricsNeedNoLogin(t *testing.T) {
	_, base, _ := serve(t, Config{Env: newEnv(t), Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("up 1\n")) })})
	r, err := newBrowser(t).Get(base + "/metrics")
	if code, body := readAnswer(t, r, err); code != http.StatusOK || body != "up 1\n" {
		t.Errorf("%d: %s", code, body)
	}
}
