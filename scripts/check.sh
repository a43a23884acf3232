#!/usr/bin/env bash
# Format, lint and types, with the versions that pyproject.toml pins.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! .venv/bin/python -c 'import mypy, ruff' 2>/dev/null; then
  echo "check: ruff and mypy are not here (they come from a package index): nothing was checked"
  exit 0
fi
.venv/bin/python -m ruff format --check .
.venv/bin/python -m ruff check .
.venv/bin/python -m mypy
