# One target per task. Missing requirements are installed first (Resources/setup.sh).
# ARGS is passed to the program: make run ARGS=--help

ARGS =
SEEDS = 10000
FROM =
SOURCES = Package.swift Sources Tests
CYCLES = 100
ROUNDS = 500
HISTORIES = 50
EXAMPLES = 50
SECONDS = 60
PREFIX = /usr/local
DESTDIR =
# Tests for `sanitize` and `coverage`: the cores, the library, and the server they use.
MEASURED = AnnotationsTests|AuthorizationTests|SyncProtocolTests|InstantCoreTests|InstantTests|EngineCoreTests|DocumentEngineTests

.PHONY: help run install uninstall dist dist-test unit-test weigh test earlier api-test simulate simulate-files mutations bench format lint clean corpus crash windows crash-files one-file torture fuzz sanitize coverage docs man pictures

help:
	@echo "make run     build Postilla and start the demo: a server, sample documents and the viewer"
	@echo "make install  put a release build, manual pages, completion and licences below PREFIX (/usr/local); DESTDIR is put"
	@echo "             in front, to build packages; make uninstall removes them"
	@echo "make dist    make the files of a release in .build/dist: program, Debian package, sources, SBOM, checksums"
	@echo "make dist-test  install, try and remove them in a new Debian system (needs root and Debian's mirror)"
	@echo "make unit-test  play the systemd unit with a real systemd (needs root, systemd-nspawn and, once, Debian's mirror)"
	@echo "make weigh   print the sizes of the release, and the time that starting takes beside another Swift program"
	@echo "make test    build and run all tests"
	@echo "make earlier  build the program of COMMIT, or of the last release, in .build/earlier; tests then run it beside this one"
	@echo "make api-test  check the server against docs/openapi.json with EXAMPLES generated requests per operation"
	@echo "make simulate  run SEEDS simulated histories of clients and server, starting at seed FROM or a random seed; TRACE=seed prints one, CLUSTER=seed the load of 100 servers"
	@echo "make simulate-files  run SEEDS simulated histories of local PDFs; goes on after a failure; TRACE=seed prints one"
	@echo "make mutations  check that the tests detect errors planted one by one in a copy of the cores"
	@echo "make docs    generate the documentation of the Instant library in .build/docs"
	@echo "make man     generate manual pages, one per command, in .build/man"
	@echo "make pictures  record the screens in README.md again, by running the program"
	@echo "make bench   benchmark a release build against less, fzf, tig, neomutt, curl, nginx, SQLite, PostgreSQL, Redis"
	@echo "             and Yjs; ARGS='--plots docs/images/performance' draws the plots of docs/performance.md;"
	@echo "             BASELINE=path compares with an earlier program, or a folder with postilla and Benchmarks"
	@echo "make corpus DIR=folder  take every PDF of a folder through the server, edit one record of each kind, and compare"
	@echo "             the result with qpdf and poppler; can be interrupted and continued"
	@echo "make crash   kill client and server CYCLES times and check that confirmed data survives (SEED=… repeats a plan)"
	@echo "make crash-files  kill engine and commands on one PDF in CYCLES cycles; cycle n has the seed SEED + n"
	@echo "make one-file  change one PDF in two windows and by another program, in HISTORIES random histories"
	@echo "make windows  open, stop and kill programs on one data folder, in ROUNDS random steps (SEED=… repeats them)"
	@echo "make torture  misuse the real server for SECONDS (SEED=… repeats a plan; STORE=sqlite or postgres;"
	@echo "             ARGS='--campaign connections' and '--campaign slow' misuse connections)"
	@echo "make fuzz    run libFuzzer on every parser for SECONDS each; TARGETS selects some (separate build)"
	@echo "make sanitize  run the tests of cores, library and server under the thread sanitizer (separate build)"
	@echo "make coverage  report line coverage by module, from the tests of cores, library and server (separate build)"
	@echo "make format  format all Swift code with .swift-format"
	@echo "make lint    check the format, and the scripts with shellcheck"
	@echo "make clean   remove build products"

run:
	@Resources/setup.sh run
	@Resources/build.sh debug postilla
	@.build/debug/postilla demo $(ARGS)

install:
	@Resources/setup.sh install
	@Resources/build.sh release postilla
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' Resources/package/install.sh install

uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' Resources/package/install.sh uninstall

dist:
	@Resources/setup.sh dist
	@Resources/build.sh release postilla
	@Resources/package/dist.sh

dist-test: dist
	@Resources/setup.sh dist-test
	@Resources/package/dist-test.sh $(ARGS)

unit-test:
	@Resources/setup.sh unit-test
	@Resources/build.sh debug postilla
	@Resources/systemd/unit-test.sh $(ARGS)

weigh: dist
	@Resources/package/weigh.py .build/release .build/dist

test:
	@Resources/setup.sh test
	@Resources/python.sh || echo "without the Python packages, the tests of the API description are skipped" >&2
	@Resources/build.sh debug tests
	@Resources/test.sh $(ARGS)

api-test:
	@Resources/setup.sh test
	@Resources/python.sh
	@Resources/build.sh debug tests
	API_EXAMPLES=$(EXAMPLES) swift test --skip-build --filter APIDescriptionTests

earlier:
	@Resources/setup.sh run
	@Resources/earlier.sh $(COMMIT)

simulate:
	@Resources/setup.sh test
	@swift build --configuration release --product simulate --quiet
	@.build/release/simulate $(if $(CLUSTER),--cluster $(CLUSTER),$(if $(TRACE),--trace $(TRACE),$(or $(SEEDS),1000) $(FROM)))

simulate-files:
	@Resources/setup.sh test
	@swift build --configuration release --product simulate-files --quiet
	@.build/release/simulate-files $(if $(TRACE),--trace $(TRACE),$(or $(SEEDS),1000) $(FROM))

mutations:
	@Resources/setup.sh test
	@Resources/build.sh debug mutations
	@.build/debug/mutations $(ARGS)

docs:
	@Resources/setup.sh test
	@Resources/docs.sh

man:
	@Resources/setup.sh run
	@Resources/build.sh debug postilla
	@.build/debug/postilla --experimental-dump-help | \
		Resources/man.py .build/man "$$(Resources/package/version.sh)"

pictures:
	@Resources/setup.sh test
	@Resources/build.sh debug tests
	RECORD_SNAPSHOTS=1 swift test --skip-build --filter PictureStories

bench:
	@Resources/setup.sh bench
	@Resources/python.sh bench || echo "without the Python packages, Yjs is left out" >&2
	@Resources/build.sh release postilla
	@Resources/build.sh release Benchmarks
	@.build/release/Benchmarks $(if $(BASELINE),compare --baseline $(BASELINE)) $(ARGS)

corpus:
	@test -n "$(DIR)" || { echo "which folder? make corpus DIR=path" >&2; exit 64; }
	@Resources/setup.sh test
	@Resources/build.sh debug postilla
	@Resources/build.sh debug corpus
	@.build/debug/corpus $(DIR) $(ARGS)

crash:
	@Resources/setup.sh test
	@Resources/build.sh debug postilla
	@Resources/build.sh debug Crash
	@.build/debug/Crash cycles --cycles $(CYCLES) $(if $(SEED),--seed $(SEED)) $(ARGS)

windows:
	@Resources/setup.sh test
	@Resources/build.sh debug postilla
	@Resources/build.sh debug Crash
	@.build/debug/Crash windows --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED)) $(ARGS)

crash-files:
	@Resources/setup.sh test
	@Resources/build.sh debug postilla
	@Resources/build.sh debug Crash
	@.build/debug/Crash files --cycles $(CYCLES) $(if $(SEED),--seed $(SEED)) $(ARGS)

one-file:
	@Resources/setup.sh test
	@Resources/build.sh debug postilla
	@Resources/build.sh debug Crash
	@.build/debug/Crash one-file --histories $(HISTORIES) $(if $(SEED),--seed $(SEED)) $(ARGS)

torture:
	@Resources/setup.sh test
	@Resources/build.sh debug postilla
	@Resources/build.sh debug torture
	@.build/debug/torture --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(if $(STORE),--store $(STORE)) $(ARGS)

fuzz:
	@Resources/setup.sh test
	@Resources/fuzz.sh $(SECONDS) $(TARGETS)

sanitize:
	@Resources/setup.sh test
	@Resources/sanitize.sh '$(MEASURED)' $(ARGS)

coverage:
	@Resources/setup.sh test
	swift test --scratch-path .build/coverage --enable-code-coverage --filter '$(MEASURED)' $(ARGS)
	@Resources/coverage.sh .build/coverage/debug

format:
	swift format --in-place --parallel --recursive $(SOURCES)

lint:
	swift format lint --strict --parallel --recursive $(SOURCES)
	@if command -v shellcheck >/dev/null; then shellcheck Resources/*.sh Resources/package/*.sh Resources/systemd/*.sh .ci/run; fi

clean:
	swift package clean
