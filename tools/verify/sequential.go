package main

// sequentialPackages are packages in which nothing happens at the same time: the race detector has nothing to find in
// their tests, which compute much, and take up to seven times as long with it. A test fails where one of them starts a
// goroutine. What calls them from several goroutines is tested with the detector.
var sequentialPackages = []string{
	"./config",
	"./feedback",
	"./gate/scope",
	"./guard",
	"./guard/transcript",
	"./history",
	"./internal/clock",
	"./internal/durable",
	"./internal/escape",
	"./internal/gitfolder",
	"./internal/jsonlines",
	"./internal/jsonsearch",
	"./internal/layout",
	"./internal/redact",
	"./internal/regular",
	"./internal/shellword",
	"./internal/text",
	"./internal/touched",
	"./internal/turnlog",
	"./report",
	"./report/block",
	"./retry",
	"./task",
	"./view",
	"./view/markup",
	"./view/plot",
	"./view/sessionreport",
	"./view/timeline",
	"./view/viewtest",
	"./view/web",
}

// heavyPackages have tests, beside others, that compute much or move much data: these are in files that are not built
// with the race detector, which tells nothing about them that it does not tell about smaller ones. The packages are
// tested with it and without it.
var heavyPackages = []string{
	".",
	"./agent",
	"./gate/command",
	"./hook",
	"./hook/claudecode",
	"./internal/cli",
	"./internal/page",
	"./view/tui",
}
