# One word for each thing a person does here. Everything that is missing is installed first (Resources/setup.sh).
# ARGS goes to the program: make run ARGS=--help

ARGS =
SEEDS = 10000
FROM = 0
SOURCES = Package.swift Sources Tests
CYCLES = 100
EXAMPLES = 50
SECONDS = 60
# What the sanitizer and the coverage look at: the cores, the library, and the server they talk to.
MEASURED = AnnotationsTests|AuthorizationTests|SyncProtocolTests|InstantCoreTests|InstantTests|EngineCoreTests|DocumentEngineTests

.PHONY: help run test api-test simulate mutations bench format lint clean crash torture fuzz sanitize coverage docs man pictures

help:
	@echo "make run     build Postilla and start its demo: a server, sample documents, the viewer"
	@echo "make test    build and run all tests"
	@echo "make api-test  make up EXAMPLES requests for each operation of docs/openapi.json, and see that it tells the truth"
	@echo "make simulate  run SEEDS histories of clients and server FROM a seed on (else from a drawn one); TRACE=seed tells one"
	@echo "make mutations  plant one error after the other in a copy of the cores, and see that each is noticed"
	@echo "make docs    write the pages of the Instant library to .build/docs"
	@echo "make man     write manual pages, one for each command, to .build/man"
	@echo "make pictures  draw the screens in README anew, by the program itself"
	@echo "make bench   measure, in a release build, beside less, fzf, tig, neomutt, curl, nginx, SQLite, PostgreSQL and Redis;"
	@echo "             BASELINE=path compares with a program built before, or a folder with postilla and Benchmarks"
	@echo "make crash   kill client and server CYCLES times and compare with what was promised (SEED=… plans it again)"
	@echo "make torture  drive the real server as no client should, for SECONDS (SEED=… plans it again; STORE=sqlite or postgres)"
	@echo "make fuzz    let libFuzzer break every reader, each for SECONDS; TARGETS names some (a build of its own)"
	@echo "make sanitize  run the tests of cores and library under the thread sanitizer (a build of its own)"
	@echo "make coverage  which lines the tests of cores and library run, by module (a build of its own)"
	@echo "make format  write all Swift as .swift-format says"
	@echo "make lint    check the same, and the scripts"
	@echo "make clean   remove what was built"

run:
	@Resources/setup.sh run
	@Resources/build.sh debug postilla
	@.build/debug/postilla demo $(ARGS)

test:
	@Resources/setup.sh test
	@Resources/python.sh || echo "without its Python packages the API's description is not tried out" >&2
	@Resources/build.sh debug tests
	@Resources/test.sh $(ARGS)

api-test:
	@Resources/setup.sh test
	@Resources/python.sh
	@Resources/build.sh debug tests
	API_EXAMPLES=$(EXAMPLES) swift test --skip-build --filter APIDescriptionTests

simulate:
	@Resources/setup.sh test
	@swift build --configuration release --product simulate --quiet
	@.build/release/simulate $(if $(TRACE),--trace $(TRACE),$(or $(SEEDS),1000) $(FROM))

mutations:
	@Resources/setup.sh test
	@swift build --product mutations --quiet
	@.build/debug/mutations $(ARGS)

docs:
	@Resources/setup.sh test
	@Resources/docs.sh

man:
	@Resources/setup.sh run
	@Resources/build.sh debug postilla
	@.build/debug/postilla --experimental-dump-help | \
		Resources/man.py .build/man "$$(.build/debug/postilla --version)"

pictures:
	@Resources/setup.sh test
	@Resources/build.sh debug tests
	RECORD_SNAPSHOTS=1 swift test --skip-build --filter PictureStories

bench:
	@Resources/setup.sh bench
	@Resources/build.sh release postilla
	@Resources/build.sh release Benchmarks
	@.build/release/Benchmarks $(if $(BASELINE),compare --baseline $(BASELINE)) $(ARGS)

crash:
	@Resources/setup.sh test
	@Resources/build.sh debug postilla
	@Resources/build.sh debug Crash
	@.build/debug/Crash cycles --cycles $(CYCLES) $(if $(SEED),--seed $(SEED)) $(ARGS)

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
	@if command -v shellcheck >/dev/null; then shellcheck Resources/*.sh .ci/run; fi

clean:
	swift package clean
