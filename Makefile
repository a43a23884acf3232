# `make demo` and `make test` are all a newcomer needs; both set up what they use.
PY := .venv/bin/python
FUZZ ?= 300
REPORT_DATE ?= 1794873600

.DEFAULT_GOAL := help
.PHONY: help env notebooks site demo test engines test-fast r live live-slow fuzz oracle record record-check cases data docs check versions coverage dist bench bench-more bench-syn bench-import bench-growth bench-engines published-long clean mutants fuzz-files faults report

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

env:
	@bash scripts/setup_env.sh

demo: env  ## set up, then print the paper's example (no R needed)
	@$(PY) examples/demo.py

test: env  ## set up, then run all tests; live comparison with R where R is installed
	@SYNTHPOP_PY_FUZZ=$(FUZZ) bash scripts/test.sh

engines: env  ## every recorded case through polars, Arrow, DuckDB, SQLite; some through Spark, PostgreSQL; the report in a browser (minutes)
	@bash scripts/engines.sh

test-fast: env  ## unit tests and recorded parity only, without R
	@SYNTHPOP_PY_NO_R=1 $(PY) -m pytest -q

r:  ## install R's side: dependencies and each version of synthpop
	@bash r_reference/install.sh

live: env  ## every recorded case run in R now and compared with its record
	@SYNTHPOP_PY_REQUIRE_R=1 $(PY) -m pytest -q tests/parity/test_live.py tests/parity/test_syn_cases.py

live-slow: env  ## the same for the cases that need minutes and 17 GB
	@SYNTHPOP_PY_REQUIRE_R=1 SYNTHPOP_PY_SLOW=1 $(PY) -m pytest -q tests/parity/test_live.py -k slow

fuzz: env  ## random calls in R and Python side by side: make fuzz FUZZ=5000
	@SYNTHPOP_PY_REQUIRE_R=1 SYNTHPOP_PY_FUZZ=$(FUZZ) $(PY) -m pytest -q tests/parity -k "fuzz or random"

fuzz-files: env  ## damaged files by the thousand: refused in one way, or read (a minute)
	@$(PY) scripts/fuzz_files.py
	@$(PY) docs/build.py explanation/untrusted-files.md

faults: env  ## interrupts and lack of memory at random lines of every public function (minutes)
	@$(PY) scripts/faults.py
	@$(PY) docs/build.py explanation/untrusted-files.md

oracle: env  ## the oracle judges every recorded call, Adult included, and random calls of certainty= and of intruders (long)
	@SYNTHPOP_PY_ORACLE=1 $(PY) -m pytest -q tests/parity/test_recorded.py -k oracle
	@SYNTHPOP_PY_ORACLE=1 $(PY) -m pytest -q tests/unit/test_nearly_sure.py
	@SYNTHPOP_PY_ORACLE=1 $(PY) -m pytest -q tests/unit/test_intruders_oracle.py

cases: env  ## write the case files again
	@$(PY) -m r_reference.case_maker

record: env  ## run every case in R and write fixtures/expected (add NAMES="ledger random" for some files)
	@$(PY) -m r_reference.record $(NAMES)

record-check: env  ## record again to a temporary folder and compare bytes
	@$(PY) -m r_reference.record --check $(NAMES)

data:  ## export the data sets and make the syntheses again (needs R)
	@R_LIBS=$(CURDIR)/r_reference/library/1.9-3 Rscript r_reference/export_data.R
	@R_LIBS=$(CURDIR)/r_reference/library/1.9-3 Rscript r_reference/synthesise.R

report: env  ## the reports in examples/ and the picture of one (the picture needs Chromium)
	@SOURCE_DATE_EPOCH=$(REPORT_DATE) $(PY) examples/reports.py

docs: env  ## make the pages under docs/pages from docs/src, and what README's code prints
	@$(PY) docs/build.py
	@$(PY) docs/readme.py

notebooks: env  ## make the notebooks from notebooks/src, each run in a fresh kernel (a minute)
	@$(PY) notebooks/build.py

site: env  ## the documentation as a site, in build/site
	@$(PY) docs/site.py

check: env  ## format, lint and types (ruff, mypy; they come from a package index)
	@bash scripts/check.sh

versions: env  ## all tests with the lowest and the newest versions, under every Python from 3.11 on
	@$(PY) scripts/versions.py
	@$(PY) docs/build.py reference/versions.md

coverage: env  ## branch coverage of all tests (minutes)
	@$(PY) scripts/coverage.py
	@$(PY) docs/build.py reference/versions.md

mutants: env  ## change the code at random, 300 times: do the tests notice? (hours; goes on where it ended)
	@$(PY) scripts/mutants.py

bench: env  ## R and Python side by side. Writes docs/speed.json and the table in README.md
	@$(PY) benchmarks/bench_disclosure.py
	@$(PY) docs/build.py reference/speed.md

bench-more: env  ## identification risk, IFPR, masks and utility measures, up to a million records
	@$(PY) benchmarks/bench_matching.py
	@$(PY) benchmarks/bench_ifpr.py
	@$(PY) benchmarks/bench_risk_utility.py

bench-syn: env  ## syn() beside R's recorded times, by step and as data grow. Writes docs/syn_speed.json
	@$(PY) benchmarks/bench_syn.py
	@$(PY) docs/build.py reference/synthesis-and-estimation.md

bench-growth: env  ## does time grow with the records or with their square? Writes docs/growth.json
	@$(PY) benchmarks/bench_growth.py
	@$(PY) docs/build.py reference/identification-risk.md

bench-engines: env  ## disclosure() on DuckDB, polars and Spark beside their bare GROUP BYs; FULL=--full for the sizes of the record
	@$(PY) benchmarks/bench_engines.py $(FULL)
	@$(PY) docs/build.py reference/speed.md

bench-import: env  ## what importing the package costs, beside pandas
	@$(PY) benchmarks/bench_import.py

published-long: env  ## the published tables with many seeds, and R's utility.gen() again (minutes; runs of Reiter and Mitra's table that are not recorded are made and recorded)
	@$(PY) -m tests.published.reiter_mitra_runs
	@SYNTHPOP_PY_LONG=1 SYNTHPOP_PY_SLOW=1 $(PY) -m pytest -q tests/published tests/unit/test_utility.py tests/unit/test_ifpr_found.py tests/unit/test_ifpr_matrix.py

dist: env  ## build wheel and sdist, use each in an empty environment (needs a package index)
	@$(PY) scripts/dist.py

clean:
	@rm -rf .venv build dist .pytest_cache .hypothesis
