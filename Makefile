# What is done often. `make test` is all that CI runs; with QUICK=1 it leaves out the real agents, the package managers and
# the browser, and with DISK=1 what tests write is on the disk, and not in memory.

SHELL = bash
FUZZTIME ?= 60s
STEPS = tools/test.sh

.PHONY: test build lint cross race agents demo-claude fuzz bench bench-retry distill stress crash persons faults load honest audit clean

test:
	@QUICK=$(QUICK) DISK=$(DISK) $(STEPS)

build:
	CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/mulligan ./cmd/mulligan-keeper

lint:
	@$(STEPS) gofumpt tidy vet staticcheck exhaustive deadcode

# The program and its tests for the other systems. `make test` builds the program for one processor of each.
cross:
	GOOS=darwin GOARCH=amd64 CGO_ENABLED=0 go build -o /dev/null ./cmd/...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet ./...
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go vet ./...

# The scripts in which things happen at the same time, with the race detector in every process.
race:
	. tools/environment.sh && choose_temp && CGO_ENABLED=1 go test -race -count=1 -timeout 60m -parallel 6 -run '^TestRaced$$' ./cmd/mulligan

# The real agent programs that tests run, as test/agents pins them: about 1 GB, kept between runs.
agents:
	@$(STEPS) install_all

# The demo with the real Claude Code; only its model is played, by a stand-in on 127.0.0.1.
demo-claude: build agents
	@go -C test/demo test -count=1 -run '^TestClaude$$' -program ../../bin/mulligan -show

# Every fuzz target for FUZZTIME.
fuzz:
	@FUZZTIME=$(FUZZTIME) tools/fuzz.sh

audit:
	@CI=true $(STEPS) audit

bench: build
	go run ./test/bench -program bin/mulligan $(BENCH)

# How many of the failing items of real outputs the distiller keeps whole.
distill:
	@go run ./test/distill $(DISTILL)

# What ways to retry are worth, on agents that are played by chance.
bench-retry:
	go run ./test/retrysim $(BENCH)

# Eight processes append to one journal while its hosts are killed, stopped and started.
stress:
	go test -count=1 -timeout 20m -v -run '^TestStress$$' ./journal/jetstream -stress 200 $(STRESS)

# Every kind of session, killed at every point of it, in memory as the tests are. `make test` runs a sample of this.
crash: build
	@. tools/environment.sh && $(if $(wildcard /dev/shm),TMPDIR=/dev/shm) choose_temp && go test -count=1 -timeout 150m -v -run '^TestCrashMatrix$$' ./cmd/mulligan -crash.all -crash.program ../../bin/mulligan $(CRASH)

# A person's work beside sessions, in sequences that are drawn anew. `make test` plays the same ones every time.
persons:
	go test -count=1 -timeout 60m -v -run '^TestPersonsWork$$' ./cmd/mulligan -person.fresh -person.runs 60 $(PERSONS)

# What the world and a careless agent may do, at full size, with what the program said.
faults:
	go -C cmd/mulligan test -count=1 -timeout 20m -run '^TestFaults$$' -faults.all

# Sessions side by side in one journal, all alive at once.
load: build
	go -C cmd/mulligan test -count=1 -timeout 30m -run '^TestLoad$$' -load.sessions 200 -load.turns 4 -load.think 15s -load.program ../../bin/mulligan $(LOAD)

# Agents that cheat and agents that do not, under three configs. `make test` plays each under one of them.
honest: build
	@go run ./test/honest -program bin/mulligan $(HONEST)

clean:
	rm -rf bin .tools
