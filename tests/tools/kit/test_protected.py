"""The files that always ask: one list that no spelling evades (DESIGN W7; report 39)."""

from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from steersman_tools.kit import protected
from steersman_tools.kit.protected import SecretFinder, is_secret, protection_of
from steersman_tools.kit.protected_paths import ProtectedPaths
from support.reading import plant

ROOT = PurePosixPath("/home/u/ws")


def kind_of(path: str) -> str | None:
    found = protection_of(ROOT / path, [ROOT])
    return found.kind if found else None


@pytest.mark.parametrize(
    ("kind", "paths"),
    [
        (
            "git",
            ".git .git/hooks/pre-commit sub/.git/HEAD .gitmodules .gitattributes .husky/pre-push bare.git/hooks/x a/HEAD",
        ),
        ("git", ".pre-commit-config.yaml lefthook.yml .hg/hgrc .jj/x .githooks/commit-msg .git/modules/m/hooks/x"),
        (
            "editor",
            ".vscode/settings.json .vscode x.code-workspace .idea/x .nvim.lua .exrc .vimrc .dir-locals.el .helix/c",
        ),
        ("editor", ".zed/tasks.json .devcontainer/devcontainer.json .config/nvim/init.lua .emacs.d/init.el .nvimrc"),
        (
            "agent",
            ".steersman/x AGENTS.md sub/AGENTS.md .mcp.json CLAUDE.md .claude/settings.json .cursor/rules .cursorrules",
        ),
        ("agent", ".github/copilot-instructions.md GEMINI.md .codex/config.toml .aider.conf.yml opencode.json"),
        (
            "startup",
            ".bashrc .zshrc .profile .zshenv .config/fish/config.fish .inputrc .tmux.conf .gdbinit sitecustomize.py",
        ),
        (
            "startup",
            "profile.ps1 Microsoft.PowerShell_profile.ps1 .cargo/config.toml mise.toml .Rprofile .config/autostart/x",
        ),
        ("ci", ".github/workflows/a.yml .gitlab-ci.yml Jenkinsfile .circleci/config.yml azure-pipelines.yml .ci/run"),
        (
            "ci",
            "bitbucket-pipelines.yml .travis.yml .woodpecker.yml .buildkite/p.yml .github/actions/a/action.yml CODEOWNERS",
        ),
        (
            "secret",
            ".env .env.local a/.env.production .envrc prod.env id_rsa .ssh/config server.pem tls.key .netrc .npmrc",
        ),
        (
            "secret",
            ".aws/credentials .kube/config .git/config .git-credentials .pypirc terraform.tfstate x.tfvars .bash_history",
        ),
        (
            "secret",
            "credentials.json service-account-prod.json secrets.yml release.keystore .docker/config.json .htpasswd",
        ),
    ],
)
def test_each_kind_is_on_the_list(kind: str, paths: str) -> None:
    assert dict.fromkeys(paths.split(), kind) == {path: kind_of(path) for path in paths.split()}


@pytest.mark.parametrize(
    "path",
    [
        *(
            "src/app.py",
            "README.md",
            "Makefile",
            ".gitignore",
            "git/x",
            "environment.py",
            "src/Head/index.tsx",
            "id_rsa.pub",
        ),
        *("credentials/models.py", "vscode/settings.json", "docs/agents.txt", "keys.py", ".github/ISSUE_TEMPLATE/a.md"),
        *("config.toml", "package.json", "src/.hidden", "profile.py", "monkey", "tests/ci/x.py"),
    ],
)
def test_ordinary_files_are_not(path: str) -> None:
    assert kind_of(path) is None


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".GIT/hooks/x",
            ".Git/x",
            ".git./x",
            ".git /x",
            ".git. . /x",
            "GIT~1/x",
            "git~2/x",
            ".git::$INDEX_ALLOCATION/x",
        ),
        *(".g\u200cit/x", "\ufeff.git/x", ".gi\u2060t/x", "．git/x", ".ｇit/x", ".ｇıt".replace("ı", "i") + "/x"),
        *(
            ".VSCODE/settings.json",
            ".vſcode/x",
            ".vscode./x",
            "AGENTS.MD",
            "agents.md",
            "Agents.md ",
            ".ENV",
            ".Env.Local",
        ),
        *(".ſsh/x", "JENKINSFILE", ".ﬃ".replace("ﬃ", "git") + "/x", ".STEERSMAN/x", "ID_RSA", "SERVER.PEM"),
    ],
)
def test_no_spelling_evades_it(path: str) -> None:
    assert kind_of(path) is not None


def test_windows_paths_are_judged_alike() -> None:
    root = PureWindowsPath(r"C:\Users\u\ws")

    assert protection_of(PureWindowsPath(r"c:\users\U\WS\.GIT\config"), [root]) is not None
    assert protection_of(PureWindowsPath(r"C:\Users\u\ws\src\a.py"), [root]) is None


def test_what_lies_above_the_workspace_does_not_count_except_git_and_secrets() -> None:
    def inside(root: str) -> bool:
        return protection_of(PurePosixPath(root) / "a.py", [PurePosixPath(root)]) is not None

    assert not inside("/home/u/.vscode/extensions/mine")
    assert not inside("/builds/.ci/ws")
    assert inside("/home/u/.ssh")
    assert inside("/srv/repo/.git/x")


def test_a_root_inside_another_hides_nothing() -> None:
    assert protection_of(ROOT / ".vscode/a.json", [ROOT / ".vscode", ROOT]) is not None


def test_a_protection_says_why_and_whether_reading_asks() -> None:
    found = protection_of(ROOT / ".vscode/tasks.json", [ROOT])

    assert found is not None
    assert (found.is_secret, found.reason) == (False, "it holds settings of an editor, which may run what they say")
    assert is_secret(ROOT / ".env")
    assert not is_secret(PurePath("src/app.py"))


class TestLinks:
    def test_what_a_protected_link_leads_to_is_protected(self, tmp_path: Path) -> None:
        ws = plant(tmp_path, "conf/settings.json", "scripts/pre-commit", "other/x", **{".git/HEAD": "x"})
        (ws / ".vscode").symlink_to("conf")
        (ws / ".git/hooks").mkdir()
        (ws / ".git/hooks/pre-commit").symlink_to("../../scripts/pre-commit")
        (ws / ".github").mkdir()
        (ws / ".github/workflows").symlink_to("../flows")
        protected = ProtectedPaths([ws])
        expected = {
            "conf/settings.json": "editor",
            "conf/new.json": "editor",
            "scripts/pre-commit": "git",
            "flows/a.yml": "ci",
            "scripts/other": None,
            "other/x": None,
        }

        kinds = {name: found.kind if (found := protected(str(ws / name))) else None for name in expected}

        assert kinds == expected

    def test_a_link_to_the_workspace_itself_does_not_protect_everything(self, tmp_path: Path) -> None:
        ws = plant(tmp_path / "ws", "a.py")
        (ws / ".vscode").symlink_to(".")
        (ws / ".idea").symlink_to("..")

        assert ProtectedPaths([ws])(str(ws / "a.py")) is None

    def test_a_missing_workspace_folder_protects_by_name_alone(self, tmp_path: Path) -> None:
        protected = ProtectedPaths([tmp_path / "gone"])

        assert protected(str(tmp_path / "gone/a.py")) is None
        assert protected(str(tmp_path / "gone/.env")) is not None


class TestSecretFinder:
    """The quick way says the same as the list."""

    @pytest.mark.parametrize(
        "path",
        [
            *("a/b.py", ".env", "a/.ENV.local", "x/id_rsa", "x/ID_RSA.", "tls.key", "sub/.git/config", ".git/hooks/x"),
            *(
                "credentials",
                "credentials/x.py",
                "a/credentials",
                ".config/gh/hosts.yml",
                "config/gh/hosts.yml",
                "ｉd_rsa",
            ),
            *(
                ".cargo/credentials",
                "cargo/credentials.toml",
                ".docker/config.json",
                "docker/config.json",
                "HEAD",
                "x.git/config",
            ),
        ],
    )
    def test_it_agrees_with_the_list(self, path: str) -> None:
        assert SecretFinder(ROOT, [ROOT])(path) == is_secret(ROOT / path, [ROOT])

    def test_everything_in_a_secret_folder_is_secret(self) -> None:
        assert SecretFinder(ROOT / ".ssh", [ROOT])("config")
        assert not SecretFinder(ROOT / "src", [ROOT])("config")

    def test_patterns_of_several_names_begin_with_a_dot_as_it_takes_for_granted(self) -> None:
        secrets = dict(protected._PATTERNS)["secret"].split()

        assert all(pattern.startswith(".") for pattern in secrets if "/" in pattern)


@pytest.mark.parametrize(
    ("setting", "value", "path"),
    [
        ("core.hooksPath", "scripts/hooks", "scripts/hooks/pre-commit"),
        ("core.hooksPath", "./scripts/../hooks/", "hooks/pre-commit"),
        ("include.path", "../shared/git.conf", "shared/git.conf"),
        ("includeIf.onbranch:main.path", "../shared/git.conf", "shared/git.conf"),
        ("core.attributesFile", "attributes", "attributes"),
    ],
)
@pytest.mark.parametrize("is_linked", [False, True])
def test_where_gits_configuration_leads_to_is_protected(
    tmp_path: Path, setting: str, value: str, path: str, is_linked: bool
):
    root = tmp_path.resolve() / "ws"
    repository = root / ".git"
    repository.mkdir(parents=True)
    if is_linked:
        repository = root.parent / "main"
        own = repository / "worktrees" / "ws"
        own.mkdir(parents=True)
        (own / "commondir").write_text("../..\n")
        (root / ".git").rmdir()
        (root / ".git").write_text(f"gitdir: {own}\n")
        value = value.replace("../shared", "../ws/shared")
    section, _, name = setting.rpartition(".")
    kind, dot, which = section.partition(".")
    header = f'{kind} "{which}"' if dot else kind
    (repository / "config").write_text(f"[{header}]\n\t{name} = {value}\n")

    found = ProtectedPaths([root])(str(root / path))

    assert found is not None
    assert found.kind == "git"
    assert ProtectedPaths([root])(str(root / "src" / "app.py")) is None


def test_hooks_that_an_included_configuration_leads_to_are_protected(tmp_path: Path):
    root = plant(tmp_path.resolve(), ".git/HEAD", shared="[core]\n\thooksPath = scripts\n")
    (root / ".git" / "config").write_text("[include]\n\tpath = ../shared\n")

    assert ProtectedPaths([root])(str(root / "scripts" / "pre-commit")) is not None


def test_a_configuration_that_includes_itself_is_read_to_an_end(tmp_path: Path):
    root = plant(tmp_path.resolve(), ".git/HEAD", shared="[include]\n\tpath = shared\n")
    (root / ".git" / "config").write_text("[include]\n\tpath = ../shared\n")

    assert ProtectedPaths([root])(str(root / "app.py")) is None
