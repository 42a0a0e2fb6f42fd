package page

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// loginLasts is how long a browser stays logged in.
const loginLasts = 7 * 24 * time.Hour

// logins are the browsers that have shown a token. Each is a file in the state folder, named for the hash of
// its secret: the browser has the secret itself, in a cookie, and a server that is started again knows it.
type logins struct {
	dir    string
	cookie string // its name
	now    func() time.Time
	token  string
	spent  atomic.Bool // the token was used

	visiting sync.Mutex // held while a login's file is written again
}

// newLogins returns the logins of a state folder. The token lets one browser in.
func newLogins(state, token string, now func() time.Time) *logins {
	sum := sha256.Sum256([]byte(state))
	return &logins{
		dir: filepath.Join(state, "page", "logins"), cookie: "mulligan-" + hex.EncodeToString(sum[:4]), now: now, token: token,
	}
}

// spend reports whether a token lets a browser in. It does so once.
func (l *logins) spend(token string) bool {
	right := subtle.ConstantTimeCompare([]byte(token), []byte(l.token)) == 1
	return right && l.token != "" && l.spent.CompareAndSwap(false, true)
}

// begin logs a browser in: it keeps a new secret, and gives it to the browser. One that was logged in before keeps
// its visits.
func (l *logins) begin(w http.ResponseWriter, r *http.Request) error {
	var entered login
	if old := l.secretOf(r); old != "" {
		entered, _ = readLogin(l.file(old))
	}
	l.dropExpired()
	secret := rand.Text()
	entered.until = l.now().Add(loginLasts)
	if err := entered.write(l.file(secret)); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: l.cookie, Value: secret, Path: "/", MaxAge: int(loginLasts / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	return nil
}

// secretOf returns the secret of a browser that is logged in, or "" if it is not.
func (l *logins) secretOf(r *http.Request) string {
	cookie, err := r.Cookie(l.cookie)
	if err != nil || cookie.Value == "" || len(cookie.Value) > 100 {
		return ""
	}
	if known, ok := readLogin(l.file(cookie.Value)); !ok || !l.now().Before(known.until) {
		return ""
	}
	return cookie.Value
}

// file returns the file of a login. Who reads the folder learns no secret.
func (l *logins) file(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return filepath.Join(l.dir, hex.EncodeToString(sum[:]))
}

// dropExpired removes the logins that hold no longer.
func (l *logins) dropExpired() {
	entries, _ := os.ReadDir(l.dir) // the first login makes the folder
	for _, e := range entries {
		path := filepath.Join(l.dir, e.Name())
		if known, ok := readLogin(path); ok && !l.now().Before(known.until) {
			_ = os.Remove(path) // the next one tries again
		}
	}
}

// formToken returns what a form of a logged-in browser carries: a page of another origin cannot know it.
func formToken(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("form"))
	return hex.EncodeToString(mac.Sum(nil))
}
