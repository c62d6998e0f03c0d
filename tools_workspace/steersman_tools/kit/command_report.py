"""What the model is told of a command: how it ended, what it printed, and what it may have run into (DESIGN W10)."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

from steersman_tools.kit.command_runner import Ended

_WANTS_INPUT = re.compile(
    r"(?i)not a (?:tty|terminal)|isn't a tty|inappropriate ioctl|EOFError|EOF when reading a line|"
    r"no tty present|terminal is required|requires a (?:tty|terminal)|TTY initialization failed|cannot open /dev/tty|"
    r"could not read (?:Username|Password)|/dev/tty: No such device|terminal prompts disabled|Error opening terminal|"
    r"input device is not|stdin (?:is )?not|\[y/n\]:? ?$|password(?: for [^\n:]+)?: ?$",
)
_HELD_BACK = re.compile(
    r"Read-only file system|Device or resource busy|EROFS|Permission denied|Operation not permitted"
)
_NO_NETWORK = re.compile(
    r"Could not resolve host|Temporary failure in name resolution|Name or service not known|Network is unreachable|"
    r"ENOTFOUND|EAI_AGAIN|ENETUNREACH|getaddrinfo|No address associated with hostname|Connection refused|"
    r"Failed to establish a new connection",
)
_TAIL_CHARS = 4000
_MAX_NAMED = 8


@dataclass(frozen=True, slots=True)
class Report:
    """One command's end in words.

    Attributes:
        ended: how it ended.
        output: what it printed, bounded and plain.
        seconds: how long it took.
        timeout_s: its time limit.
        unsaved: documents with unsaved edits of ours, which it did not see.
        is_held: it ran in a sandbox.
        read_only: that sandbox could write nothing.
        network: that sandbox had the network.
        news: protected paths that it made.
        set_aside: paths that git would have obeyed, and that were given another name.
        crowds: folders in which it made many protected paths.
    """

    ended: Ended
    output: str
    seconds: float
    timeout_s: float
    unsaved: tuple[str, ...] = ()
    is_held: bool = False
    read_only: bool = False
    network: bool = False
    news: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    crowds: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether it did not end by itself with success."""
        return self.ended.why != "exit" or self.ended.code != 0

    def text(self) -> str:
        """Return it all: the end first, then the output, then remarks."""
        output = self.output.strip("\n")
        parts = [f"{self._ending()}{':' if output else ', and printed nothing.'}"]
        if output:
            parts.append(output)
        remarks = self._remarks()
        if remarks:
            parts.append("\n".join(f"({remark})" for remark in remarks))
        return "\n".join(parts)

    def warnings(self) -> tuple[str, ...]:
        """Return what the person must know, whatever the model makes of it."""
        warnings: list[str] = []
        if self.news:
            warnings.append(f"A command made or changed what is protected: {_some(self.news)}.")
        if self.set_aside:
            warnings.append(
                f'Set aside, as git would have obeyed it (now ends with ".set-aside"): {_some(self.set_aside)}.'
            )
        return tuple(warnings)

    def _ending(self) -> str:
        code = self.ended.code
        if self.ended.why == "timeout":
            return f"Ended at its time limit of {self.timeout_s:g} s, with everything it had started"
        if self.ended.why == "cancelled":
            return f"Cancelled after {self.seconds:.1f} s, and ended with everything it had started"
        return f"Ended by signal {_signal_name(-code)}" if code < 0 else f"Exit code {code}"

    def _remarks(self) -> list[str]:
        remarks: list[str] = []
        tail = self.output[-_TAIL_CHARS:]
        if self.is_error and _WANTS_INPUT.search(tail):
            remarks.append("It seems to want a terminal or an answer. There is neither: use flags that ask nothing.")
        if self.is_held and self.is_error:
            remarks += self._limits(tail)
        if self.ended.held:
            remarks.append(
                "Something it left in the background still held its output, and was ended. "
                "What shall go on has to send its output elsewhere."
            )
        if self.ended.runs_on:
            remarks.append("Something it left in the background is still running.")
        if self.news:
            remarks.append(f"It made or changed what is protected, tell the person: {_some(self.news)}")
        if self.crowds:
            remarks.append(f"It made or changed files with protected names in {_some(self.crowds)}.")
        if self.set_aside:
            remarks.append(
                f"It made what git would have obeyed, tell the person: {_some(self.set_aside)}. "
                'Each now has another name, with ".set-aside" at its end.'
            )
        if self.unsaved:
            remarks.append(f"Not saved in the editor, so the command did not see your edits: {', '.join(self.unsaved)}")
        return remarks

    def _limits(self, tail: str) -> list[str]:
        remarks: list[str] = []
        if _HELD_BACK.search(tail):
            where = "nothing" if self.read_only else "only the workspace, without .git, editor and agent settings"
            remarks.append(f"It ran in a sandbox that can write {where}.")
        if not self.network and _NO_NETWORK.search(tail):
            remarks.append("It ran in a sandbox that has no network.")
        return remarks


def _some(paths: tuple[str, ...]) -> str:
    shown = ", ".join(paths[:_MAX_NAMED])
    return shown if len(paths) <= _MAX_NAMED else f"{shown} and {len(paths) - _MAX_NAMED} more"


def _signal_name(number: int) -> str:
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:
        return str(number)
