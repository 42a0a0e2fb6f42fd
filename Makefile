# What is done often. `make test` is all that CI runs.

FUZZTIME ?= 60s
VERIFY = .tools/bin/verify

.PHONY: test build lint fuzz bench crash audit verify clean

test: verify
	@$(VERIFY)

build:
	CGO_ENABLED=0 go build -trimpath -o bin/mulligan ./cmd/mulligan

lint: verify
	@$(VERIFY) gofumpt vet staticcheck

fuzz: verify
	@$(VERIFY) -fuzztime $(FUZZTIME) fuzz

# An audit that could not run is not a clean one: -strict.
audit: verify
	@$(VERIFY) -strict audit

bench: build
	go run ./internal/bench -program bin/mulligan $(BENCH)

# Every kind of session, killed at every point of it. `make test` runs a sample of this.
crash:
	go test -count=1 -timeout 60m -v -run '^TestCrashMatrix$$' ./cmd/mulligan -crash.all $(CRASH)

verify:
	@go -C tools build -o ../$(VERIFY) ./verify

clean:
	rm -rf bin .tools
