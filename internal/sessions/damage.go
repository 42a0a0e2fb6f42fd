package sessions

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/usererror"
)

// DamageHint is what a person can do about a damaged journal.
const DamageHint = "`mulligan journal check` says what is damaged, `mulligan journal repair` keeps what can be read"

// DamageError returns the error of a command that could not do all of its work because the journal
// is damaged.
func DamageError(err error) error {
	return usererror.New(mulligan.ExitInternal, DescribeDamage(err), DamageHint)
}

// DescribeDamage returns the first damage that err has, and how many more there are.
func DescribeDamage(err error) string {
	lines := strings.Split(err.Error(), "\n")
	text := "the journal is damaged: " + lines[0]
	if more := len(lines) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}
