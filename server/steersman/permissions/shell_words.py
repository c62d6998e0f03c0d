"""Words with a meaning of their own in a shell: what makes a command line more than it seems."""

from __future__ import annotations

KEYWORDS = frozenset(
    {"!", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select"}
    | {"then", "time", "until", "while", "{", "}", "[[", "]]", "((", "))"}
)
"""Reserved words: where one stands as a program's name, the line was not read as the shell reads it."""

MEANING_CHANGERS = frozenset(
    {".", ":", "[", "alias", "autoload", "bg", "bind", "break", "builtin", "caller", "chdir", "compgen", "complete"}
    | {"compopt", "continue", "declare", "dirs", "disown", "emulate", "enable", "exit", "export", "fc", "fg"}
    | {"getopts", "hash", "history", "jobs", "let", "local", "logout", "mapfile", "popd", "pushd", "read", "readarray"}
    | {"readonly", "return", "set", "setopt", "shift", "shopt", "source", "suspend", "test", "times", "trap", "type"}
    | {"typeset", "ulimit", "umask", "unalias", "unset", "unsetopt", "wait", "zmodload"}
)
"""Builtins that change what later commands mean, or read and compute more than their words say."""

RUNNERS = frozenset(
    {"ash", "bash", "busybox", "bwrap", "chroot", "chrt", "cmd", "cmd.exe", "command", "csh", "dash", "doas", "doskey"}
    | {"elvish", "env", "eval", "exec", "expect", "firejail", "fish", "flock", "gdb", "gosu", "hyperfine", "ionice"}
    | {"ksh", "ltrace", "mksh", "nice", "nohup", "nsenter", "parallel", "pkexec", "powershell", "powershell.exe"}
    | {"proot", "pwsh", "rbash", "rlwrap", "runuser", "script", "setarch", "setpriv", "setsid", "sh", "socat", "ssh"}
    | {"stdbuf", "strace", "su", "sudo", "systemd-run", "taskset", "tcsh", "timeout", "tmux", "toybox", "unbuffer"}
    | {"unshare", "valgrind", "watch", "wsl", "wsl.exe", "xargs", "xterm", "xvfb-run", "yash", "zsh"}
)
"""Programs whose arguments are another program to run."""
