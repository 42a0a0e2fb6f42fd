package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// badAgent is the test binary as an agent that does what a shell cannot, or not quickly.
func badAgent() {
	var err error
	switch os.Args[1] {
	case "zombies": // leaves 400 zombies and 100 orphans, and notes them
		err = makeZombies(400, 100)
	case "files": // N: makes so many
		err = makeFiles(os.Args[2])
	case "socket": // PATH: makes one, and leaves it
		var l *net.UnixListener
		if l, err = net.ListenUnix("unix", &net.UnixAddr{Name: os.Args[2], Net: "unix"}); err == nil {
			l.SetUnlinkOnClose(false)
		}
	}
	if err == nil {
		err = os.WriteFile("made", []byte("x\n"), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func makeZombies(zombies, orphans int) error {
	start := func(argv ...string) error {
		_, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{nil, nil, nil}})
		return err
	}
	for range zombies {
		if err := start("/bin/sh", "-c", ":"); err != nil {
			return err
		}
	}
	for range orphans {
		if err := start("/bin/sh", "-c", "sleep 1000 & echo $! >>../orphans"); err != nil {
			return err
		}
	}
	count := 0
	for end := time.Now().Add(30 * time.Second); count < zombies+orphans && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		count = 0
		files, _ := filepath.Glob("/proc/[0-9]*/status")
		for _, file := range files {
			status, _ := os.ReadFile(file)
			if strings.Contains(string(status), "State:\tZ") && strings.Contains(string(status), fmt.Sprintf("PPid:\t%d\n", os.Getpid())) {
				count++
			}
		}
	}
	return os.WriteFile("../zombies", fmt.Appendln(nil, count), 0o644)
}

func makeFiles(number string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	for i := range n {
		dir := filepath.Join("many", strconv.Itoa(i%100))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), []byte(strconv.Itoa(i)), 0o644); err != nil {
			return err
		}
	}
	return nil
}
