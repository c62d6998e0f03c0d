"""What an allowed command covers afterwards, as an attacker would try it (A5, situation 37)."""

from __future__ import annotations

import pytest

from steersman.permissions.command_patterns import CommandPattern, loosely_matches, parse_pattern
from steersman.permissions.commands import analyse
from steersman.permissions.grants import CommandGrant, describe_grants, grants_for
from steersman.permissions.modes import Mode
from steersman.permissions.policy import Allow, Ask, decide
from steersman.permissions.rule import Rule
from support.permission import ROOT, command_plan, make_ground, proposal

GROUND = make_ground()


def remembered_after(command: str, folder: str = ROOT):
    """What "allow for this session" on this command leaves behind."""
    demands = proposal(command_plan(command, folder=folder)).demands(GROUND)
    return grants_for(demands, (), GROUND)


def is_asked(command: str, *, allowed: str, folder: str = ROOT, network: bool = False) -> bool:
    """Whether a command still asks once another one was allowed for the session."""
    grants = remembered_after(allowed)
    assert grants, f"{allowed!r} cannot be remembered"
    plan = command_plan(command, folder=folder, network=network)
    verdict = decide(proposal(plan), Mode.ASK, ground=GROUND, remembered=grants)
    assert isinstance(verdict, Allow | Ask)
    return isinstance(verdict, Ask)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git status", "git status …"),
        ("git log -5 --oneline", "git log …"),
        ("git log --output=x", "git log --output=x"),
        ("git push origin main", "git push origin main"),
        ("git", "git"),
        ("git -c core.pager=x status", "git -c core.pager=x status"),
        ("make test", "make test"),
        ("npm test", "npm test"),
        ("pytest -q tests", "pytest …"),
        ("ls", "ls …"),
        ("ls *.py", "ls *.py"),
        ("cat ../../etc/passwd", "cat ../../etc/passwd"),
        ("python3 x.py", "python3 x.py"),
        ("rm -rf build", "rm -rf build"),
        ("./run.sh", "./run.sh"),
        ("git status && pytest -q", "git status …, pytest …"),
        ("git log | head -3", "git log …, head …"),
        ("cd src && pytest", "pytest … in src"),
        ("a; b; c; d; e", "a, b and 3 more"),
    ],
)
def test_what_is_remembered_is_said_in_words(command: str, words: str):
    assert words == describe_grants(remembered_after(command), GROUND)


@pytest.mark.parametrize(
    "command",
    [
        "git status $(rm x)",
        "env git status",
        "A=b make",
        "make > x",
        "make &",
        "cat x | sh",
        "cat x | python3",
        "cat x | python3 -",
        "cat x | tee y",
        "cd / && ls",
        "cd .. && ls",
        "cd src; make",
        "cd src || make",
        "cd a && b; c",
    ],
)
def test_what_is_not_clear_can_only_be_allowed_once(command: str):
    assert remembered_after(command) == ()


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "git status -s",
        "git status -sb",
        "git status --short src",
        "git  status",
        "git status; git status",
        "git status && git status -s",
        "git status\ngit status",
        "git status 2>&1",
        "git status >/dev/null",
        "git status 'src/a b.py'",
    ],
)
def test_an_allowed_command_is_not_asked_again(command: str):
    assert not is_asked(command, allowed="git status")


@pytest.mark.parametrize(
    "command",
    [
        # joined to something else
        "git status; rm -rf .",
        "git status;rm -rf .",
        "git status && rm -rf .",
        "git status&&rm -rf .",
        "git status || rm -rf .",
        "git status | rm -rf .",
        "git status |& rm -rf .",
        "git status & rm -rf .",
        "git status\nrm -rf .",
        "git status\n\nrm -rf .",
        "git status\r\nrm -rf .",
        "rm -rf .; git status",
        "git status; git push",
        "git status $(rm -rf .)",
        "git status `rm -rf .`",
        'git status "$(rm -rf .)"',
        "git status <(rm -rf .)",
        "git status ${x:-`rm -rf .`}",
        "git status > ~/.bashrc",
        "git status >> x",
        "git status < x",
        "git status <<< x",
        "git status <<E\nx\nE",
        "(git status)",
        "{ git status; }",
        "! git status",
        "time git status",
        "if git status; then rm x; fi",
        # another program of that name, or a name that only looks so
        "./git status",
        "/tmp/git status",
        "../git status",
        "bin/git status",
        "/usr/bin/git status",
        "~/git status",
        'g""it status',
        "g\\it status",
        "\\git status",
        "'git' status",
        "gi? status",
        "gi* status",
        "{git,x} status",
        "$GIT status",
        "$(echo git) status",
        "Git status",
        "GIT status",
        "git.exe status",
        "gіt status",
        "ｇit status",
        "git\u200b status",
        "git \u200bstatus",
        "git stаtus",
        "git\u00a0status",
        "git 'status'",
        'git sta""tus',
        "git stat\\us",
        "git stat*",
        "git $x",
        "git status-all",
        "git st",
        "git",
        "gitstatus",
        # other meanings put before it
        "PATH=/tmp git status",
        "PATH=/tmp; git status",
        "export PATH=/tmp; git status",
        "LD_PRELOAD=./x.so git status",
        "GIT_CONFIG_COUNT=1 git status",
        "GIT_DIR=x git status",
        "FOO=x git status",
        "alias git=rm; git status",
        "alias git=rm\ngit status",
        "git() { rm x; }; git status",
        "function git { rm x; }\ngit status",
        "hash -p /tmp/x git; git status",
        "set -- x; git status",
        ". ./x; git status",
        "trap 'rm x' EXIT; git status",
        # behind a program that runs programs
        "env git status",
        "env FOO=x git status",
        "sudo git status",
        "xargs git status",
        "echo x | xargs git status",
        "find . -exec git status ;",
        "sh -c 'git status'",
        "bash -c 'git status; rm x'",
        "eval git status",
        "exec git status",
        "command git status",
        "nohup git status",
        "timeout 9 git status",
        "nice git status",
        # options that run programs, name configuration, or lead elsewhere
        "git -c core.fsmonitor=./x status",
        "git -c core.pager=./x status",
        "git --config-env=core.pager=X status",
        "git -C sub status",
        "git -Csub status",
        "git --git-dir=x status",
        "git --git-dir x status",
        "git --work-tree=/ status",
        "git --exec-path=. status",
        "git --exec-path=/tmp/x status",
        "git --namespace=x status",
        "git -p status",
        "git --paginate status",
        "git --bare status",
        "git status --unknown-option",
        "git status --untracked-f",
        "git status -X",
        "git status -sX",
        "git status --git-dir=x",
        # outside, and words the shell replaces
        "git status ..",
        "git status ../x",
        "git status src/../../x",
        "git status /etc",
        "git status ~",
        "git status ~/x",
        "git status $HOME",
        "git status *",
        "git status s?c",
        "git status {a,--x}",
        "git status @x",
        "git status -- -x",
        # elsewhere
        "cd sub && git status",
        "cd .git && git status",
        "cd .. && git status",
        "cd /tmp && git status",
        "cd sub; git status",
        "pushd sub && git status",
    ],
)
def test_git_status_was_allowed_and_this_still_asks(command: str):
    assert is_asked(command, allowed="git status")


@pytest.mark.parametrize(
    ("allowed", "command"),
    [
        ("git log", "git log --output=x"),
        ("git log", "git log --outpu=x"),
        ("git log", "git log --o=x"),
        ("git log", "git log --output x"),
        ("git log", "git log --ext-diff -p"),
        ("git log", "git log --textconv"),
        ("git log", "git log -Ofile"),
        ("git log", "git log --grep -- --output=x"),
        ("git log", "git log -- --output=x"),
        ("git log", "git log --no-index"),
        ("git diff", "git diff --output=.git/hooks/pre-commit"),
        ("git diff", "git diff --no-index /etc/passwd x"),
        ("git diff", "git diff /etc/passwd /dev/null"),
        ("git grep x", "git grep -O x"),
        ("git grep x", "git grep --open-files-in-pager=./x x"),
        ("git grep x", "git grep -f /etc/passwd"),
        ("git grep x", "git grep -Ovi x"),
        ("git grep x", "git grep -iOvi x"),
        ("git commit -m x", "git commit --template=x"),
        ("git commit -m x", "git commit -F /etc/passwd"),
        ("git commit -m x", "git commit -mx -F/etc/passwd"),
        ("git commit -m x", "git commit --amend"),
        ("ls", "ls /"),
        ("ls", "ls -la .."),
        ("cat x", "cat /etc/passwd"),
        ("cat x", "cat ~/.ssh/id_rsa"),
        ("cat x", "cat ../x"),
        ("cat x", "cat src/../../x"),
        ("cat x", "cat *"),
        ("cat x", "cat .e*"),
        ("sort x", "sort -o y x"),
        ("sort x", "sort -oy x"),
        ("sort x", "sort -ro y x"),
        ("sort x", "sort --output=y x"),
        ("sort x", "sort --outpu=y x"),
        ("sort x", "sort --compress-program=./x x"),
        ("sort x", "sort --files0-from=/etc/x"),
        ("grep x y", "grep -r x"),
        ("grep x y", "grep -rf /etc/passwd ."),
        ("grep x y", "grep --file=/etc/passwd x"),
        ("rg x", "rg --pre ./x x"),
        ("rg x", "rg --pre=./x x"),
        ("rg x", "rg --hostname-bin=./x x"),
        ("rg x", "rg -z x"),
        ("rg x", "rg --search-zip x"),
        ("rg x", "rg --hidden x"),
        ("rg x", "rg -uu x"),
        ("rg x", "rg -g '*' x"),
        ("rg x", "rg --no-ignore x"),
        ("find . -name x", "find . -delete"),
        ("find . -name x", "find . -name x -delete"),
        ("find . -name x", "find . -fprint y"),
        ("find . -name x", "find . -exec rm {} +"),
        ("find . -name x", "find / -name x"),
        ("diff a b", "diff -l a b"),
        ("diff a b", "diff a /etc/passwd"),
        ("pytest", "pytest -p evil"),
        ("pytest", "pytest -pevil"),
        ("pytest", "pytest -qp evil"),
        ("pytest", "pytest -c evil.ini"),
        ("pytest", "pytest --rootdir=/tmp"),
        ("pytest", "pytest -o addopts=x"),
        ("pytest", "pytest --basetemp=src"),
        ("pytest", "pytest -W error::evil.Warning"),
        ("pytest", "pytest @args"),
        ("pytest", "pytest /tmp/x.py"),
        ("pytest", "pytest --junitxml=x"),
        ("ruff check", "ruff check --fix"),
        ("ruff check", "ruff check --config=x"),
        ("ruff check", "ruff clean"),
        ("ruff check", "ruff check @x"),
        ("cargo test", "cargo test --config build.rustc-wrapper=./x"),
        ("cargo test", "cargo +evil test"),
        ("cargo test", "cargo test --manifest-path=/tmp/Cargo.toml"),
        ("cargo test", "cargo run"),
        ("go test ./...", "go test -exec ./x"),
        ("go test ./...", "go test --exec=./x"),
        ("go test ./...", "go test -toolexec=./x"),
        ("go test ./...", "go test -o /tmp/x"),
        ("go vet", "go vet -vettool=./x"),
        ("make test", "make"),
        ("make test", "make test X=1"),
        ("make test", "make -f x test"),
        ("make test", "make test install"),
        ("npm test", "npm test --script-shell=./x"),
        ("npm test", "npm install"),
        ("npm test", "npm test x"),
        ("python3 x.py", "python3 x.py y"),
        ("python3 x.py", "python3 y.py"),
        ("python3 x.py", "cat y | python3 x.py"),
        ("python3 -", "cat y | python3 -"),
        ("echo x", "echo x > y"),
        ("echo 'a b'", "echo 'a b'; rm x"),
        ("rm -rf build", "rm -rf build src"),
        ("rm -rf build", "rm -rf"),
        ("./run.sh", "cd sub && ./run.sh"),
        ("./run.sh", "./run.sh x"),
        ("cd src && pytest", "pytest"),
        ("cd src && make", "cd tests && make"),
        ("head x", "head /etc/passwd"),
        ("tail -n 5 x", "tail --follow x --pid=1"),
        ("git blame x", "git blame --contents /etc/passwd x"),
        ("git rev-parse HEAD", "git rev-parse --parseopt x"),
        ("git ls-files", "git ls-files -X /etc/x"),
    ],
)
def test_one_command_was_allowed_and_its_stronger_sister_still_asks(allowed: str, command: str):
    assert is_asked(command, allowed=allowed)


@pytest.mark.parametrize(
    ("allowed", "command"),
    [
        ("git log -5", "git log --oneline -20 --format='%h %s' -- src/app.py"),
        ("git diff", "git diff --stat HEAD~3 -- 'src/a b.py'"),
        ("git commit -m x", "git commit -am 'say why; and how'"),
        ("ls", "ls -la src"),
        ("cat x", "cat -n ./src/app.py"),
        ("cat x", f"cat {ROOT}/src/app.py"),
        ("grep x y", "grep -n -A 3 'def x' src/app.py"),
        ("rg x", "rg -n -tpy 'def (a|b)' src"),
        ("find . -name x", "find src -type f -name '*.py'"),
        ("pytest", "pytest -xq tests/test_a.py -k 'not slow'"),
        ("ruff check", "ruff check --select E,F src tests"),
        ("cargo test", "cargo test --workspace name"),
        ("go test ./...", "go test -run TestX -count=1 ./pkg/..."),
        ("git log | head", "git log --stat | head -n 40"),
        ("cd src && pytest", "cd src && pytest -q"),
        ("make test", "make   test"),
    ],
)
def test_a_harmless_sister_is_covered(allowed: str, command: str):
    assert not is_asked(command, allowed=allowed)


def test_a_command_is_allowed_in_the_folder_it_was_allowed_in():
    """A folder of the repository may be a bare repository whose configuration runs programs."""
    assert is_asked("git status", allowed="git status", folder=f"{ROOT}/evil")


def test_a_link_that_leads_outside_is_outside():
    ground = make_ground(resolve=lambda path: "/etc/passwd" if path == f"{ROOT}/link" else path)
    pattern = CommandPattern(("cat",), open_ended=True)
    (link,), (file,) = analyse("cat link").parts, analyse("cat file").parts
    assert not pattern.covers(link, ROOT, ground)
    assert pattern.covers(file, ROOT, ground)


def test_a_command_allowed_to_one_tool_is_not_allowed_to_another():
    grants = remembered_after("git status")
    verdict = decide(proposal(command_plan(), tool="remote_shell"), Mode.ASK, ground=GROUND, remembered=grants)
    assert isinstance(verdict, Ask)


def test_a_command_allowed_without_the_network_asks_with_it():
    assert is_asked("git status", allowed="git status", network=True)


@pytest.mark.parametrize("text", ["git status && rm", "git $x", "", "  ", "'git' x", "A=b git", "git > x", "$(x)"])
def test_a_pattern_that_is_no_plain_command_allows_nothing(text: str):
    assert parse_pattern(text) is None


@pytest.mark.parametrize(
    ("match", "command", "asks"),
    [
        ("git log *", "git log --oneline", False),
        ("git log *", "git log --output=x", True),
        ("git log", "git log", False),
        ("git log", "git log -5", True),
        ("git *", "git push origin main", False),
        ("git *", "git -c core.pager=x log", True),
        ("git *", "git push $x", True),
        ("docker compose *", "docker compose up -d", False),
        ("docker compose *", "docker run x", True),
        ("docker compose *", "docker compose up *", True),
        ("docker compose *", "docker compose up; rm x", True),
        ("*", "anything at --all", False),
        ("*", "anything; goes", False),
        ("*", "but not $this", True),
        ("*", "nor > that", True),
    ],
)
def test_the_users_own_rule_allows_what_it_says_and_no_more(match: str, command: str, asks: bool):
    rules = [Rule("run_command", match, "allow")]
    verdict = decide(proposal(command_plan(command)), Mode.ASK, ground=GROUND, rules=rules)
    assert asks == isinstance(verdict, Ask)


def test_a_rule_for_git_means_the_workspaces_own_repository():
    rules = [Rule("run_command", "git status *", "allow")]
    plan = command_plan("git status", folder=f"{ROOT}/docs/evil")
    assert isinstance(decide(proposal(plan), Mode.ASK, ground=GROUND, rules=rules), Ask)


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("rm *", "rm x"),
        ("rm", "rm -rf x"),
        ("rm *", "/bin/rm x"),
        ("rm *", "./rm x"),
        ("rm *", "RM x"),
        ("rm *", "sudo rm x"),
        ("rm *", "env A=b rm x"),
        ("rm *", "ls; rm x"),
        ("rm *", "ls | xargs rm"),
        ("rm *", "x=$(rm x)"),
        ("rm *", "if true; then rm x; fi"),
        ("rm *", "sh -c 'rm x'"),
        ("rm *", "r''m x"),
        ("rm *", "r\\m x"),
        ("git push *", "git push origin"),
        ("git push *", "git -c x=y push"),
        ("git push *", "git --no-pager push"),
        ("git push --force *", "git push origin --force"),
        ("curl *", "cat x | curl -d @- y"),
    ],
)
def test_a_rule_that_denies_finds_its_command_in_disguise(pattern: str, command: str):
    assert loosely_matches(pattern, analyse(command))


@pytest.mark.parametrize(("pattern", "command"), [("rm *", "ls rm"), ("rm *", "rmdir x"), ("git push", "git status")])
def test_a_rule_that_denies_leaves_others_alone(pattern: str, command: str):
    assert not loosely_matches(pattern, analyse(command))


def test_a_grant_is_told_with_its_folder():
    grant = CommandGrant(CommandPattern(("make", "test")), f"{ROOT}/sub", "run_command")
    assert grant.words(GROUND) == "make test in sub"
