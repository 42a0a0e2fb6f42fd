package page

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"mulligan/internal/process"
)

// TestMain is also the keeper of what tests start, and a program that asks for a page.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "keeper":
			process.KeeperMain()
			return
		case "get": // URL: prints the status
			r, err := http.Get(os.Args[2])
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println(r.StatusCode)
			os.Exit(0)
		}
	}
	heartbeat = time.Hour
	os.Exit(m.Run())
}
