# Emacs and Helix, installed beside the system, and the tests that need them.
.PHONY: test-editors
EDITORS := $(CURDIR)/.cache/editors

test-editors: $(STAMP)
	editors/emacs/install-for-tests.sh $(EDITORS)
	editors/helix/install-for-tests.sh $(EDITORS)
	$(EDITORS)/emacs -Q --batch -l editors/emacs/check.el
	STEERSMAN_TEST_EDITORS=$(EDITORS) $(BIN)/python -m pytest -m heavy_editor tests/editors
