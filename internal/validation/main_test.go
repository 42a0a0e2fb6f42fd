package validation

import (
	"testing"

	"mulligan/internal/process/processtest"
)

func TestMain(m *testing.M) { processtest.Main(m) }
