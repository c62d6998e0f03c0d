"""A real Emacs in a terminal, for tests: driven by its keys and by its own emacsclient; every wait is for a condition."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from steersman.models.gates import FileGates
from support.installed_editors import ROOT, SERVER, installed, isolated
from support.polling import wait_until
from support.tmux import Tmux

PACKAGE = ROOT / "editors" / "emacs"

_INIT = """
(setq inhibit-startup-screen t initial-scratch-message nil create-lockfiles nil make-backup-files nil
      auto-save-default nil native-comp-jit-compilation nil use-short-answers t ring-bell-function #'ignore
      server-socket-dir {home} server-name "emacs")
(menu-bar-mode -1)
(require 'server)
(server-start)
"""


def lisp(value: str | Path | Sequence[str]) -> str:
    """Return a text, a path or a list of texts as Lisp."""
    if isinstance(value, str | Path):
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "(list " + " ".join(lisp(item) for item in value) + ")"


class Emacs:
    """One Emacs that knows nothing of this machine's user.

    Args:
        home: a folder of its own.
        configuration: Lisp for its start.
    """

    def __init__(self, home: Path, configuration: str) -> None:
        self._home = home
        environment = isolated(home)
        init = home / "init.el"
        init.write_text(_INIT.format(home=lisp(home)) + configuration, encoding="utf-8")
        argv = [installed("emacs"), "-nw", "-Q", "-L", str(PACKAGE), "-l", str(init)]
        self.terminal = Tmux(home, argv, environment | {"TERM": "screen-256color"}, size=(100, 30))
        self._client = [installed("emacsclient"), "-s", str(home / "emacs"), "--eval"]
        wait_until((home / "emacs").exists, "the start of Emacs")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.terminal.close()

    def eval(self, code: str) -> Any:
        """Evaluate Lisp, in the buffer of the selected window; its value must be JSON (``json-serialize``) or nil."""
        wrapped = (
            "(with-current-buffer (window-buffer (frame-selected-window (car (last (frame-list)))))"
            f" (let ((value (progn {code}))) (decode-coding-string"
            " (json-serialize (list :value value) :null-object nil :false-object :json-false) 'utf-8)))"
        )
        done = subprocess.run(
            [*self._client, wrapped], capture_output=True, text=True, encoding="utf-8", check=False, timeout=60
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}{done.stderr}"
        printed = re.sub(r"\\(.)", r"\1", done.stdout.strip()[1:-1])
        return json.loads(printed)["value"]

    def command(self, name: str) -> None:
        """Run a command as a person does."""
        self.terminal.keys("M-x")
        self.terminal.type(name)
        self.terminal.keys("Enter")

    def wait(self, code: str, what: str | None = None) -> Any:
        """Wait until Lisp is non-nil; return its value."""
        found: list[Any] = []

        def holds() -> bool:
            found[:] = [self.eval(code)]
            return bool(found[0])

        try:
            wait_until(holds, what or code, pause_s=0.1)  # each look is a process
        except AssertionError as error:
            messages = self.text("*Messages*")[-2000:]
            raise AssertionError(f"{error}; the screen:\n{self.terminal.screen()}\nmessages:\n{messages}") from None
        return found[0]

    def text(self, buffer: str) -> str:
        """Return the text of the buffer whose name begins so, as it is shown: without what is folded."""
        shown: str = self.eval(f"""
            (with-current-buffer
                (seq-find (lambda (each) (string-prefix-p {lisp(buffer)} (buffer-name each))) (buffer-list))
              (let ((text "") (pos (point-min)))
                (while (< pos (point-max))
                  (let ((next (next-single-char-property-change pos 'invisible)))
                    (unless (invisible-p pos)
                      (setq text (concat text (buffer-substring-no-properties pos next))))
                    (setq pos next)))
                text))
        """)
        return shown

    def buffers(self) -> list[str]:
        """Return the names of the buffers that are shown in windows."""
        names: list[str] = self.eval("(vconcat (mapcar (lambda (w) (buffer-name (window-buffer w))) (window-list)))")
        return names


class EmacsWorkspace:
    """One test's folder in an Emacs that many tests share.

    Attributes:
        emacs: the editor.
        folder: the folder.
    """

    def __init__(self, emacs: Emacs, folder: Path) -> None:
        self.emacs = emacs
        self.folder = folder
        (folder / ".git").mkdir(parents=True)
        self._script = folder.with_name("script.jsonl")
        self._gates = FileGates(folder.with_name("script.jsonl.gates"))

    def script(self, *replies: Sequence[Any] | dict[str, Any]) -> None:
        """Let the server that is started next play these replies (``models.script_file``)."""
        self._script.write_text("".join(json.dumps(each) + "\n" for each in replies), encoding="utf-8")
        self.emacs.eval(f'(setenv "STEERSMAN_MODEL" {lisp(f"scripted/{self._script}")}) nil')

    def wait_reached(self, gate: str) -> None:
        """Wait until the model stands at a gate."""
        wait_until(lambda: self._gates.is_reached(gate), f"the gate {gate}")

    def open_gate(self, gate: str) -> None:
        """Let the model pass a gate."""
        self._gates.open(gate)

    def write(self, name: str, text: str) -> Path:
        """Write a file, without translating line ends."""
        path = self.folder / name
        path.write_bytes(text.encode())
        return path

    def open(self, name: str, text: str) -> Path:
        """Write a file and open it in the selected window, which is then the only one."""
        path = self.write(name, text)
        self.emacs.eval(f"(progn (delete-other-windows) (switch-to-buffer (find-file-noselect {lisp(path)})) nil)")
        return path

    def read(self, name: str) -> str:
        """Return a file's text as it is on the disk."""
        return (self.folder / name).read_bytes().decode()

    def close(self) -> None:
        """Leave prompts, stop the server, forget the buffers."""
        self.emacs.terminal.keys("C-g")
        self.emacs.terminal.keys("C-g")
        self.emacs.eval(f"""
            (progn
              (setenv "STEERSMAN_MODEL" nil)
              (when (fboundp 'steersman-connections)
                (setq steersman-chosen-mode nil)
                (mapc (lambda (each) (delete-process (jsonrpc--process each))) (steersman-connections)))
              (let ((kill-buffer-query-functions nil))
                (dolist (buffer (buffer-list))
                  (when (or (string-prefix-p "*Steersman" (buffer-name buffer))
                            (string-prefix-p {lisp(self.folder)} (or (buffer-file-name buffer) "")))
                    (with-current-buffer buffer (set-buffer-modified-p nil))
                    (kill-buffer buffer))))
              (delete-other-windows)
              nil)
        """)


def steersman_configuration() -> str:
    """Return the package's configuration for tests: this checkout's own server."""
    return f"(require 'steersman)\n(setq steersman-command {lisp(SERVER)})\n"
