package memory_test

import (
	"testing"

	"mulligan"
	"mulligan/journal/journaltest"
	"mulligan/journal/memory"
)

func TestJournal(t *testing.T) {
	journaltest.Run(t, func(*testing.T) mulligan.Journal { return &memory.Journal{} })
}
