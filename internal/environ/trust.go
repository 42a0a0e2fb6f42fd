package environ

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"mulligan/config"
	"mulligan/internal/durable"
	"mulligan/internal/process"
	"mulligan/internal/regular"
)

// TrustVariable gives trust to what a repository's own file has, for one command.
const TrustVariable = "MULLIGAN_TRUST"

// A Trust is what a person has trusted of a repository.
type Trust struct {
	Version int       `json:"v"`
	Values  []Trusted `json:"values,omitempty"`
}

// Trusted is a value of the repository's own file that a person has trusted.
type Trusted struct {
	Key string `json:"key"`
	ID  string `json:"id"` // as config.Claim has it
}

// Has reports whether a value was trusted.
func (t Trust) Has(c config.Claim) bool {
	return slices.Contains(t.Values, Trusted{Key: c.Key, ID: c.ID()})
}

// trustFile returns the file of what was trusted of the repository in root. All its checkouts share it.
func (f Folders) trustFile(root string) string {
	return filepath.Join(f.State, "trust", repositoryKey(root), "trust.json")
}

// ReadTrust returns what a person has trusted of the repository in root.
func (e *Env) ReadTrust(root string) (Trust, error) {
	var t Trust
	folders, err := e.Folders()
	if err != nil {
		return t, err
	}
	path := folders.trustFile(root)
	data, err := regular.ReadFile(path, config.MaxBytes)
	// A file in a folder's place is a fault of the state folder, which whoever writes there reports.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil {
		return Trust{}, fmt.Errorf("%s is damaged (%w): `mulligan trust --revoke` deletes it, and `mulligan trust` writes it anew", path, err)
	}
	return t, nil
}

// WriteTrust keeps what a person has trusted of the repository in root.
func (e *Env) WriteTrust(root string, t Trust) error {
	folders, err := e.Folders()
	if err != nil {
		return err
	}
	t.Version = 1
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(folders.trustFile(root), append(data, '\n'))
}

// RevokeTrust forgets what a person has trusted of the repository in root. It reports whether there was
// something.
func (e *Env) RevokeTrust(root string) (bool, error) {
	folders, err := e.Folders()
	if err != nil {
		return false, err
	}
	err = os.Remove(folders.trustFile(root))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// TrustsAll reports whether the command was given with --trust or MULLIGAN_TRUST. The variable does not count
// in an environment that an agent has marked.
func (e *Env) TrustsAll() bool {
	given := slices.Contains([]string{"1", "true", "yes"}, e.Getenv(TrustVariable))
	return e.Trust || given && process.AgentMarked(e.Environ) == ""
}

// Claims returns the values of the repository's own file that need trust. A config file outside the
// repository is a person's own.
func (e *Env) Claims(root, file string, c *config.Config) []config.Claim {
	path := e.ConfigPath(root, file)
	if RelativeTo(root, path) == path {
		return nil
	}
	return c.Claims(path, root)
}

// ListUntrusted returns the values of the repository's own file that wait for trust.
func (e *Env) ListUntrusted(root, file string, c *config.Config) ([]config.Claim, error) {
	claims := e.Claims(root, file, c)
	if len(claims) == 0 || e.TrustsAll() {
		return nil, nil
	}
	t, err := e.ReadTrust(root)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(claims, t.Has), nil
}

// CheckTrust returns mistakes, one for each value of the repository's own file that waits for trust.
func (e *Env) CheckTrust(root, file string, c *config.Config) error {
	waiting, err := e.ListUntrusted(root, file, c)
	if err != nil {
		return err
	}
	var mistakes config.Mistakes
	for _, claim := range waiting {
		m := claim.Value.Wrong("%s waits for trust: a repository's own file may not decide this alone", claim.Shown())
		mistakes = append(mistakes, m)
	}
	if n := len(mistakes); n > 0 {
		mistakes[n-1].Hint = "if you want this, give `mulligan trust`, or --trust for this run alone; your own config file needs no trust"
	}
	return mistakes.Err()
}
