# The VS Code extension: built, checked and tried in a real VS Code. Included by the Makefile at the top.
VSCODE := editors/vscode
VSCODE_BUILD := PYTHON=$(CURDIR)/$(BIN)/python $(VSCODE)/scripts/tools.sh build
VSCODE_TEST := PYTHON=$(CURDIR)/$(BIN)/python STEERSMAN_TEST_PYTHON=$(CURDIR)/$(BIN)/python $(VSCODE)/scripts/tools.sh test

.PHONY: vsix vscode-protocol vscode-check test-vscode

# editors/vscode/steersman.vsix, with the server in it.
vsix: $(STAMP)
	@$(VSCODE_BUILD) scripts/package.sh

# The wire's types, from the server's own code.
vscode-protocol: $(STAMP)
	@$(BIN)/python $(VSCODE)/scripts/protocol_types.py

# Types, style and what can be tested without a VS Code.
vscode-check: $(STAMP)
	@$(BIN)/python $(VSCODE)/scripts/protocol_types.py --check
	@$(VSCODE_TEST) npm run --silent check

# The same and the whole extension in a real VS Code, driven through a browser. Pictures: editors/vscode/test-results.
test-vscode: vscode-check vsix
	@$(VSCODE_TEST) node --test --test-isolation=none "test/real/*.test.ts"
