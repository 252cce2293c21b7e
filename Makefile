# One word for each thing a person does here. Everything that is missing is installed first (Resources/setup.sh).
# ARGS goes to the program: make run ARGS=--help

ARGS =
SOURCES = Package.swift Sources Tests

.PHONY: help run test bench format lint clean

help:
	@echo "make run     build Postilla and start its demo: a server, sample documents, the viewer"
	@echo "make test    build and run all tests"
	@echo "make bench   measure, in a release build, beside less, neomutt, curl, SQLite and PostgreSQL"
	@echo "make format  write all Swift as .swift-format says"
	@echo "make lint    check the same, and the scripts"
	@echo "make clean   remove what was built"

run:
	@Resources/setup.sh run
	@Resources/build.sh debug postilla
	@.build/debug/postilla demo $(ARGS)

test:
	@Resources/setup.sh test
	@Resources/build.sh debug tests
	swift test --skip-build $(ARGS)

bench:
	@Resources/setup.sh bench
	@Resources/build.sh release postilla
	@Resources/build.sh release Benchmarks
	@.build/release/Benchmarks $(ARGS)

format:
	swift format --in-place --parallel --recursive $(SOURCES)

lint:
	swift format lint --strict --parallel --recursive $(SOURCES)
	@if command -v shellcheck >/dev/null; then shellcheck Resources/*.sh .ci/run; fi

clean:
	swift package clean
