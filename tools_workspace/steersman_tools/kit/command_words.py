"""What ``run_command`` says of itself: apart from the tool, because a run's first request needs the words alone."""

from __future__ import annotations

from steersman_tools.kit.process_group import shell_argv


def command_description(*, network: bool, read_only: bool) -> str:
    """Return the description for the model.

    Args:
        network: a confined command may use the network.
        read_only: the run is in plan mode.
    """
    offline = "" if network else " and has no network"
    writes = "It can write nothing" if read_only else "It can write only in the workspace"
    shell = "PowerShell" if shell_argv("")[0].endswith("powershell.exe") else "the shell"
    return (
        f"Run a command in {shell} and return its output and exit code. {writes}{offline} where a sandbox works. "
        "No terminal, no input: use flags that ask nothing. What it starts in the background ends with it, "
        "unless its output goes elsewhere."
    )
