package jetstream_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"mulligan/journal/jetstream"
)

func TestZZ(t *testing.T) {
	if os.Getenv("ZZDIR") == "" { t.Skip() }
	for i := range 4 {
		dir := t.TempDir()
		s, err := jetstream.Open(t.Context(), jetstream.Options{Dir: dir})
		if err != nil { t.Fatal(err) }
		for after := 0; after < 100000; after += 4 {
			if err := s.Append(t.Context(), benchSession, int64(after), padded(benchSession, int64(after), 4), summary(after)); err != nil { t.Fatal(err) }
		}
		s.Close()
		for range 2 {
		t0 := time.Now()
		s, err := jetstream.Open(context.Background(), jetstream.Options{Dir: dir})
		if err != nil { t.Fatal(err) }
		t1 := time.Now()
		_, err = s.Sessions(context.Background())
		t2 := time.Now()
		n := 0
		for _, err := range s.Read(context.Background(), benchSession, 1) { if err != nil { t.Fatal(err) }; n++ }
		t3 := time.Now()
		s.Close()
		fmt.Println(i, "open", t1.Sub(t0), "list", t2.Sub(t1), "read", t3.Sub(t2), n, "close", time.Since(t3), err)
		}
	}
}
