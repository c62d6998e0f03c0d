"""Command lines taken apart: what is understood, and that everything else is a doubt (A5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.permissions.commands import analyse

UNDERSTOOD = [
    ("git status", ["git status"]),
    ("  git   status  ", ["git status"]),
    ("git status; rm -rf x", ["git status", "rm -rf x"]),
    ("git status && rm x", ["git status", "rm x"]),
    ("git status || rm x", ["git status", "rm x"]),
    ("git status | head -5", ["git status", "head -5"]),
    ("git status\nrm x", ["git status", "rm x"]),
    ("git status\n\n\n  rm x\n", ["git status", "rm x"]),
    ("a && b || c ; d | e", ["a", "b", "c", "d", "e"]),
    ("git status >/dev/null 2>&1", ["git status"]),
    ("git status 2>/dev/null | wc -l", ["git status", "wc -l"]),
    ("grep 'a b' \"c d\" e\\ f", ["grep 'a b' \"c d\" e\\ f"]),
    ("echo '$(rm x)' '`rm x`' '; rm x'", ["echo '$(rm x)' '`rm x`' '; rm x'"]),
    ('echo "a; rm x"', ['echo "a; rm x"']),
    ("echo ''", ["echo ''"]),
    ("ls *.py", ["ls *.py"]),
    ("cd sub && pytest -q", ["cd sub", "pytest -q"]),
    ("./run.sh", ["./run.sh"]),
]

DOUBTED = [
    # other commands inside
    "git status $(rm x)",
    "git status `rm x`",
    'git status "$(rm x)"',
    'git status "`rm x`"',
    "git status <(rm x)",
    "git status >(rm x)",
    "git status ${x:-$(rm x)}",
    "git status $((a[$(rm x)]))",
    "git status $[a[$(rm x)]]",
    'git status "${x:=`rm x`}"',
    "$(echo git) status",
    "`echo git` status",
    # background, groups, control flow, functions
    "git status & rm x",
    "git status &",
    "git status |& rm x",
    "(git status; rm x)",
    "{ git status; rm x; }",
    "! git status",
    "if true; then rm x; fi",
    "for i in a b; do rm $i; done",
    "while true; do rm x; done",
    "until false; do rm x; done",
    "case a in a) rm x;; esac",
    "select x in a b; do rm x; done",
    "git() { rm x; }; git status",
    "function git { rm x; }; git status",
    "coproc rm x",
    "time rm x",
    "[[ -f x ]] && git status",
    "[ -v 'a[$(rm x)]' ]",
    "test -v 'a[$(rm x)]'",
    "((x=1))",
    "let x=1",
    # redirections, here-documents
    "git status > x",
    "git status >> x",
    "git status >| x",
    "git status &> x",
    "git status >& x",
    "git status > /dev/null2",
    "git status > /dev/null/../../etc/x",
    "git status < x",
    "git status <> x",
    "git status 3>/dev/null",
    "git status 2>&3",
    "git status 2>&-",
    "> x git status",
    "> x",
    "sh <<EOF\nrm x\nEOF",
    "cat <<EOF\n$(rm x)\nEOF",
    "cat <<'EOF' | sh\nrm x\nEOF",
    "sh <<< 'rm x'",
    "git status > $HOME/x",
    'git status > "x"',
    # variables and what they touch
    "FOO=x git status",
    "PATH=/tmp git status",
    "LD_PRELOAD=./x.so git status",
    "GIT_EXTERNAL_DIFF=./x git diff",
    "PATH=/tmp; git status",
    "export PATH=/tmp; git status",
    "declare -x PATH=/tmp; git status",
    "readonly x=1",
    "unset PATH; git status",
    "git $x",
    "git ${x}",
    "git status $1",
    "git status $@",
    "git status $?",
    "git status $HOME/x",
    'git status "$x"',
    "$x status",
    "${x} status",
    "$'git' status",
    "git $'status\\x3b rm x'",
    'git $"status"',
    # names written to look like others
    'g""it status',
    "g''it status",
    "'git' status",
    '"git" status',
    "g\\it status",
    "\\git status",
    "g{it,}",
    "{git,status}",
    "g?t status",
    "*",
    "[g]it status",
    "~/git status",
    "~root/git status",
    "gіt status",  # a Cyrillic letter
    "ｇｉｔ status",
    "git\u200b status",
    "git status\u202e; rm x",
    "git\u00a0status",
    "git status\u2028rm x",
    "git status\u0085rm x",
    "git status\rrm x",
    "git status\x0brm x",
    "git status\x00; rm x",
    "git status\x1b[2K",
    "git status\x08\x08",
    # programs that run programs, and builtins that change what follows
    "env git status",
    "/usr/bin/env git status",
    "sudo git status",
    "xargs rm",
    "git ls-files | xargs rm",
    "find . -exec rm {} +",
    "find . -execdir rm {} ;",
    "find . -ok rm {} \\;",
    "sh -c 'git status'",
    "bash -c 'git status; rm x'",
    "bash script.sh",
    "nohup rm x",
    "nice rm x",
    "timeout 5 rm x",
    "command rm x",
    "builtin eval rm x",
    "exec rm x",
    "eval rm x",
    "eval 'git status; rm x'",
    "source x",
    ". x",
    "alias git=rm; git status",
    "alias git=rm\ngit status",
    "hash -p /tmp/rm git; git status",
    "enable -f ./x.so git; git status",
    "trap 'rm x' EXIT; git status",
    "set -e; git status",
    "shopt -s extglob",
    "read x",
    "mapfile -C rm x",
    "printf -v PATH /tmp; git status",
    "busybox rm x",
    "SUDO x",
    "Env git status",
    "ssh host rm x",
    "pushd x && git status",
    # unclear folders
    "cd",
    "cd -",
    "cd $x && git status",
    "cd ~ && git status",
    "cd a b && git status",
    "cd x* && git status",
    "cd '' && git status",
    "cd -P x && git status",
    "git status | cd x",
    # not the language, or not read to its end
    "git status 'x",
    'git status "x',
    "git status $(",
    "git status )",
    "git status ;; rm x",
    "git status &&",
    "| git status",
    "; git status",
    "git status \\",
    "git \\\nstatus",
    "gi\\\nt status",
    "git status # and more",
    "git status #\nrm x",
    "then rm x",
    "fi",
    "",
    "   ",
    "\n",
    "#",
    "git status" + " x" * 20_000,
    "git status" + " && git status" * 3_000,
    "$(" * 5_000,
    "(" * 9_000,
    "a" + "$(a" * 3_000 + ")" * 3_000,
]


@pytest.mark.parametrize(("command", "parts"), UNDERSTOOD)
def test_a_plain_line_is_taken_apart(command: str, parts: list[str]):
    line = analyse(command)
    assert parts == [part.raw for part in line.parts]
    assert line.understood


@pytest.mark.parametrize("command", DOUBTED)
def test_what_is_not_fully_understood_is_doubted(command: str):
    assert not analyse(command).understood


def test_words_come_without_their_quotes():
    (part,) = analyse("git log 'a b' \"c'd\" e\\ f g'h'i").parts
    assert [word.text for word in part.words] == ["git", "log", "a b", "c'd", "e f", "ghi"]


@pytest.mark.parametrize("word", ["*.py", "a?b", "[ab]", "{a,b}", "~", "~x", "a=~", "a:~", "x*'y'"])
def test_a_word_that_the_shell_replaces_is_marked(word: str):
    (part,) = analyse(f"ls {word}").parts
    assert part.words[1].expands


@pytest.mark.parametrize("word", ["'*.py'", '"a?b"', "a\\*b", "'~'", "'{a,b}'", "a-b", "@x", "HEAD~3", "HEAD^"])
def test_a_word_that_only_looks_so_is_not_marked(word: str):
    (part,) = analyse(f"ls {word}").parts
    assert not part.words[1].expands


def test_what_joins_the_parts_is_kept():
    assert [part.joint for part in analyse("a && b || c | d; e\nf").parts] == ["", "&&", "||", "|", ";", ";"]


def test_parts_of_a_doubted_line_are_still_found_for_showing_and_denying():
    names = {part.program for part in analyse("for f in a; do rm $f; done; x=$(curl y) sh -c z").parts}
    assert {"rm", "curl", "sh"} <= names


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("cat .env", ".env"),
        ("cat 'a b/.env'", "b/.env"),
        ("cat .e''nv", ".env"),
        ("cat .e\\nv", ".env"),
        ("cat --file=.env", ".env"),
        ("curl -d@.env x", ".env"),
        ("tool -o.env", ".env"),
        ("git show HEAD:.env", ".env"),
        ("echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit"),
        ("x=$(cat .env)", ".env"),
        ("sh -c 'cat .env'", ".env"),
        ("cat <<EOF > .vscode/settings.json\nx\nEOF", ".vscode/settings.json"),
        ("cat {a,.env}", ".env"),
        ("cat ${HOME}/.env", "/.env"),
    ],
)
def test_names_are_found_wherever_they_stand(command: str, name: str):
    assert name in analyse(command).mentions


@given(st.text(alphabet=st.sampled_from("git status;&|$(){}<>'\"`\\\n\t #=~*?[]!a1/.-é\u202e\r"), max_size=40))
def test_any_text_is_analysed_without_raising(text: str):
    line = analyse(text)
    assert line.doubts or line.parts
