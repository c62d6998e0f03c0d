"""What Emacs tells the server of its buffers, and how edits reach them: every way in which a buffer changes."""

from __future__ import annotations

from typing import Any

import pytest

from support.emacs import Emacs, EmacsWorkspace, lisp


def read() -> dict[str, Any]:
    """Return a call that reads the file."""
    return {"call": "read_file", "arguments": {"path": "a.txt"}}


def edit(old: str, new: str) -> dict[str, Any]:
    """Return a call that edits the file."""
    return {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": old, "new_text": new}}


def run(emacs: Emacs, mode: str = "accept-edits") -> str:
    """Start the script in a mode, wait for its end; return all of the conversation."""
    emacs.eval(f'(progn (setq steersman-chosen-mode {lisp(mode)}) (steersman "go") nil)')
    return finished(emacs)


def finished(emacs: Emacs) -> str:
    """Wait for the end of the run; return all of the conversation."""
    whole: str = emacs.wait(
        """(and (get-buffer "*Steersman work*")
             (with-current-buffer "*Steersman work*"
               (and (string-match-p "^\\\\(complete\\\\|stopped\\\\) · " (buffer-string)) (buffer-string))))""",
        "the run's end",
    )
    return whole


def text(emacs: Emacs) -> str:
    """Return the file's buffer."""
    found: str = emacs.eval('(with-current-buffer "a.txt" (save-restriction (widen) (buffer-string)))')
    return found


def change(emacs: Emacs, code: str) -> None:
    """Run Lisp in the file's buffer."""
    emacs.eval(f'(with-current-buffer "a.txt" {code} nil)')


CHANGES = {
    "typing": '(goto-char 4) (insert "X") (insert "Y") (delete-char 1)',
    "a line": '(goto-char (point-max)) (insert "four\\n")',
    "everything": '(erase-buffer) (insert "other\\ntexts\\n")',
    "case": "(upcase-region 1 6)",
    "characters": "(subst-char-in-region 1 (point-max) ?e ?E)",
    "sorting": "(sort-lines nil (point-min) (point-max))",
    "transposing": "(goto-char 5) (transpose-lines 1)",
    "replacing from a buffer": '(let ((source (generate-new-buffer "x"))) (with-current-buffer source (insert "one\\n2\\nthree\\n")) (replace-buffer-contents source) (kill-buffer source))',
    "narrowed": '(narrow-to-region 5 9) (goto-char (point-max)) (insert "in\\n")',
    "undo": '(buffer-enable-undo) (goto-char 1) (insert "gone") (undo-boundary) (primitive-undo 1 buffer-undo-list)',
    "without hooks": '(let ((inhibit-modification-hooks t)) (goto-char 1) (insert "silent "))',
    "an indirect buffer": '(let ((other (make-indirect-buffer (current-buffer) "other"))) (with-current-buffer other (goto-char 1) (insert "indirect ")) (kill-buffer other))',
    "beyond the BMP": '(goto-char 2) (insert "😀é漢\\u0301") (insert "after")',
    "the major mode": '(prog-mode) (goto-char 1) (insert "mode ")',
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_read_is_what_the_buffer_holds(emacs: Emacs, work: EmacsWorkspace, name: str) -> None:
    """The server has the document already when each change is made."""
    work.script([{"gate": "open"}, read()], ["Read."])
    work.open("a.txt", "one\ntwo\nthree\n")
    emacs.eval('(progn (setq steersman-chosen-mode "plan") (steersman "go") nil)')
    work.wait_reached("open")
    change(emacs, CHANGES[name])
    change(emacs, "(steersman-documents-flush-all)")
    work.open_gate("open")
    whole = finished(emacs)
    for line in text(emacs).split("\n"):
        assert f"\t{line}\n" in whole or line in whole


def test_what_was_just_typed_is_sent_before_an_edit_is_applied(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"gate": "open"}, read()], [edit("two", "TWO")], ["Done."])
    work.open("a.txt", "one\n\n\ntwo\n")
    emacs.eval('(progn (setq steersman-chosen-mode "accept-edits") (steersman "go") nil)')
    work.wait_reached("open")
    change(emacs, '(goto-char 1) (insert "first\\n")')
    work.open_gate("open")
    finished(emacs)
    assert text(emacs) == "first\none\n\n\nTWO\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\r\ntwo\r\n", "one\r\nTWO\r\n"),
        ("one\r\nmixed\ntwo\r\n", "one\r\nmixed\nTWO\r\n"),
        ("one\ntwo", "one\nTWO"),
        ("é😀\ntwo 漢\n", "é😀\nTWO 漢\n"),
        ("\ufeffone\ntwo\n", "\ufeffone\nTWO\n"),
    ],
)
def test_everything_outside_the_edit_survives(emacs: Emacs, work: EmacsWorkspace, before: str, after: str) -> None:
    work.script([edit("two", "TWO")], ["Done."])
    work.open("a.txt", before)
    run(emacs)
    assert work.read("a.txt") == after, "a buffer without changes of the person's is saved"


def test_a_buffer_with_unsaved_text_stays_unsaved(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([edit("two", "TWO")], ["Done."])
    work.open("a.txt", "one\n\n\ntwo\n")
    change(emacs, '(goto-char 1) (insert "mine ")')
    run(emacs)
    assert text(emacs) == "mine one\n\n\nTWO\n"
    assert work.read("a.txt") == "one\n\n\ntwo\n"


def test_several_places_are_one_undo(emacs: Emacs, work: EmacsWorkspace) -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n two\n@@\n eight\n-nine\n+NINE\n*** End Patch"
    work.script([read(), {"call": "apply_patch", "arguments": {"patch": patch}}], ["Done."])
    start = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
    work.open("a.txt", start)
    run(emacs)
    assert text(emacs) == start.replace("one", "ONE").replace("nine", "NINE")
    emacs.eval('(progn (pop-to-buffer "a.txt") nil)')
    emacs.terminal.keys("C-/")
    emacs.wait(f"(equal (buffer-string) {lisp(start)})".replace("\n", "\\n"), "one undo")


def test_a_read_only_buffer_is_left_alone_and_the_model_is_told(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([edit("two", "TWO")], ["Done."])
    work.open("a.txt", "one\ntwo\n")
    change(emacs, "(read-only-mode 1)")
    assert "read-only" in run(emacs)
    assert text(emacs) == "one\ntwo\n"


def test_a_file_changed_on_the_disk_is_taken_over_without_asking(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"gate": "open"}, edit("two", "TWO")], ["Done."])
    work.open("a.txt", "one\ntwo\n")
    emacs.eval('(progn (setq steersman-chosen-mode "accept-edits") (steersman "go") nil)')
    work.wait_reached("open")
    work.write("a.txt", "formatted\none\ntwo\n")
    work.open_gate("open")
    told = finished(emacs)
    assert text(emacs) == "formatted\none\nTWO\n", told


def test_open_files_are_moved_and_deleted_with_their_buffers(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(
        [{"call": "move_file", "arguments": {"path": "a.txt", "new_path": "b.txt"}}],
        [{"call": "delete_file", "arguments": {"path": "c.txt"}}],
        ["Done."],
    )
    work.open("c.txt", "three\n")
    work.open("a.txt", "one\n")
    run(emacs, "auto")
    assert sorted(path.name for path in work.folder.iterdir()) == [".git", "b.txt"]
    assert emacs.eval(
        "(vconcat (delq nil (mapcar (lambda (b) (and (buffer-file-name b) (buffer-name b))) (buffer-list))))"
    ) == ["b.txt"]


def test_a_file_saved_under_another_name_is_known_by_that(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"gate": "open"}, {"call": "read_file", "arguments": {"path": "b.txt"}}], ["Done."])
    work.open("a.txt", "one\n")
    emacs.eval('(progn (steersman "go") nil)')
    work.wait_reached("open")
    change(emacs, f"(write-file {lisp(work.folder / 'b.txt')})")
    emacs.eval('(with-current-buffer "b.txt" (insert "unsaved ") (steersman-documents-flush-all) nil)')
    work.open_gate("open")
    assert "unsaved one" in finished(emacs)


def test_diagnostics_of_flymake_reach_the_model(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"call": "get_diagnostics", "arguments": {"path": "a.txt"}}], ["Done."])
    work.open("a.txt", "one\ntwo\n")
    change(
        emacs,
        """(setq-local flymake-diagnostic-functions
             (list (lambda (report &rest _)
                     (funcall report (list (flymake-make-diagnostic (current-buffer) 5 8 :warning "two is not a word"))))))
           (flymake-mode 1) (flymake-start)""",
    )
    emacs.wait('(with-current-buffer "a.txt" (and (flymake-diagnostics) t))', "the diagnostic")
    assert "two is not a word" in run(emacs, "plan")
