"""The files that are hard to reach on purpose: the one complete list (DESIGN W7).

Writing to any of them asks in every mode; what is secret also asks when read, and ``search`` never shows it. Whoever
could change one of these unasked could make a later program, editor, agent or pipeline do anything. Pure: it looks at
the text of a path, which must be canonical (links resolved). No spelling of a name that some file system takes for the
same file may evade it, so names are compared folded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path, PurePath
from typing import Literal, TypeAlias

ProtectionKind: TypeAlias = Literal["git", "editor", "agent", "startup", "ci", "secret"]

_REASONS: dict[ProtectionKind, str] = {
    "secret": "it may hold secrets",
    "git": "it belongs to version control, which runs what it says",
    "editor": "it holds settings of an editor, which may run what they say",
    "agent": "it gives orders to coding agents",
    "startup": "it is read by a shell or another program when it starts",
    "ci": "it defines what runs on the build servers",
}

# Patterns of one name or several joined by "/", at any depth; "*" stays in a name. A folder protects all that is in it;
# a name with "!" counts as the path's last only. ("head!": a folder with a HEAD is a repository, hooks and all.)
_CREDENTIAL_FILES = """
.env* *.env .dev.vars local.settings.json .secrets* secrets.yml secrets.yaml secrets.json secrets.toml secret.yml
secret.yaml secret.json secret.toml .streamlit/secrets.toml
*.pem *.key *.p12 *.pfx *.p8 *.pk8 *.jks *.keystore *.kdbx *.kdb *.ppk *.keytab *.ovpn *.gpg *.pgp secring.asc
id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_xmss *_rsa *_ed25519 ssh_host_*_key
.ssh .gnupg .password-store .aws .azure .kube kubeconfig *.kubeconfig .config/gcloud .config/gh .config/hub
.config/op .config/doctl .config/glab-cli .oci .bluemix .databrickscfg .snowsql .s3cfg .boto .rclone.conf rclone.conf
.docker/config.json .dockercfg .dockerconfigjson .netrc _netrc .authinfo .authinfo.gpg .git-credentials
.config/git/credentials .git/config .git/credentials .git/modules/*/config .git/worktrees/*/config.worktree
.git/config.worktree .npmrc .yarnrc .yarnrc.yml .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml
.composer/auth.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .nuget/nuget.config
.pgpass pgpass.conf .my.cnf .mylogin.cnf .mongorc.js .htpasswd .vault-token .vault_pass* .vault-pass* vault_pass*
.terraformrc terraform.rc .terraform.d *.tfvars *.tfvars.json *.tfstate *.tfstate.* credentials! credentials.json
credentials.yml credentials.yaml credentials.csv client_secret*.json service-account*.json service_account*.json
*serviceaccount*.json gcp-key*.json firebase-adminsdk*.json *-firebase-adminsdk-*.json .*_history .node_repl_history
.config/rclone .config/sops .sops .age wallet.dat
"""
_GIT = """
.git .gitmodules .gitattributes .gitconfig .config/git .lfsconfig head! *.git/hooks *.git/config
*.git/head *.git/info *.git/objects *.git/refs .hg .hgrc hgrc .hgsub .svn .bzr .jj .jjconfig.toml .fossil-settings
.pijul .githooks git-hooks .husky .huskyrc* .lefthook .lefthook-local lefthook.* lefthook-local.* .lefthook.*
.lefthook-local.* .pre-commit-config.* .pre-commit-hooks.* prek.toml .overcommit.yml .git-hooks .captainhook.json
captainhook.json .simple-git-hooks.* simple-git-hooks.* .lintstagedrc* lint-staged.config.*
"""
_EDITOR = """
.vscode .vscode-insiders .vscode-server .vscodium *.code-workspace .idea *.iml *.ipr *.iws .fleet .zed .helix .nova
.theia .vs *.suo *.vcxproj.user *.csproj.user launch.vs.json tasks.vs.json .settings .project .externaltoolbuilders
nbproject *.sublime-project *.sublime-workspace .sublime-project .kateproject .kateconfig .kakrc .kak .micro
.nvim.lua .nvimrc .nvim .exrc .vimrc _vimrc .gvimrc _gvimrc .vim .vimrc.local .local.vimrc .lvimrc .vimprojects
.neoconf.json .nlsp-settings .lazy.lua .nfnl.fnl coc-settings.json .ycm_extra_conf.py .config/nvim .config/vim
.config/helix .config/zed .config/emacs .config/kak .config/micro .config/code
.dir-locals.el .dir-locals-2.el .emacs .emacs.el .emacs.d .spacemacs .spacemacs.d .doom.d .config/doom
.devcontainer .devcontainer.json devcontainer.json .replit replit.nix .idx .gitpod.yml .gitpod.dockerfile .clangd
"""
_AGENT = """
.steersman agents.md agents.*.md agent.md .agents .agent .mcp.json mcp.json .mcp .cursor .cursorrules .cursorignore
.cursorindexingignore claude.md claude.*.md .claude .claude.json .claudeignore .windsurf .windsurfrules .codeium
.codeiumignore .clinerules* .cline .clineignore .roo .roorules* .roomodes .rooignore .kilocode .kilocodemodes
.kilocoderules* .github/copilot-instructions.md .github/copilot .github/instructions .github/prompts .github/agents
.github/chatmodes .github/skills .copilot gemini.md .gemini .geminiignore .codex .aider* .continue .continuerc.json
.continuerules .continueignore .junie .kiro .amazonq .augment .augmentrules .augment-guidelines .augmentignore
.goosehints .goose .opencode opencode.json opencode.jsonc qwen.md .qwen .crush crush.md crush.json .crush.json warp.md
.warp .trae .tabnine .cody .sourcegraph .rules .openhands .openhands_instructions .serena .devin .pi .amp .factory .eca
.zencoder .firebender .rulesync .ruler .bolt .lovable .qodo .pr_agent.toml .coderabbit.y*ml .sweep.yml skill.md
"""
_STARTUP = """
.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .bash_completion .profile .zshrc .zshenv
.zprofile .zlogin .zlogout .zsh .zshrc.* .bashrc.* .kshrc .mkshrc .shrc .shinit .cshrc .tcshrc .login .logout .inputrc
.config/fish config.fish .xonshrc .config/xonsh .config/nushell .elvish .config/elvish .aliases .functions .exports
profile.ps1 *_profile.ps1 *profile.ps1 .config/powershell .xinitrc .xserverrc .xsession .xsessionrc .xprofile
.xresources .pam_environment .config/autostart .config/systemd .config/environment.d launchagents launchdaemons
.tmux.conf .config/tmux .screenrc .direnvrc .config/direnv .autoenv .autoenv.zsh mise.toml .mise.toml
mise.*.toml .mise.*.toml .mise .rtx.toml .config/mise .rprofile rprofile.site .renviron .pythonrc .pythonrc.py
.pythonstartup sitecustomize.py usercustomize.py .pdbrc .pdbrc.py .gdbinit .gdbearlyinit .lldbinit .irbrc .pryrc
.railsrc .rdebugrc .psqlrc .sqliterc .ghci .guile .iex.exs .erlang .julia/config .octaverc .rspec.local .curlrc _curlrc
.wgetrc .mailcap .lesskey .condarc .cargo/config .cargo/config.toml .bazelrc .bazeliskrc .plan .forward .procmailrc
.crontab crontab .rhosts .shosts .hushlogin .dircolors .sdkmanrc .hammerspoon .skhdrc .yabairc
.config/karabiner .config/i3 .config/sway .config/hypr
"""
_CI = """
.github/workflows .github/actions .github/dependabot.y*ml .github/codeowners codeowners .gitlab-ci.y*ml
*.gitlab-ci.y*ml .gitlab .gitlab-ci .circleci .travis.y*ml .travis appveyor.y*ml .appveyor.y*ml .appveyor
azure-pipelines*.y*ml .azure-pipelines .azuredevops .vsts-ci.y*ml .pipelines jenkinsfile* *.jenkinsfile .jenkins
bitbucket-pipelines.y*ml .drone.y*ml .drone.star .drone.jsonnet .woodpecker .woodpecker.y*ml .buildkite .cirrus.y*ml
.cirrus.star .semaphore .teamcity .forgejo .gitea .builds .build.yml .onedev-buildspec.yml .ci .tekton codemagic.yaml
bitrise.yml wercker.yml .harness cloudbuild.y*ml cloudbuild.json buildspec.y*ml screwdriver.yaml .zuul.y*ml .zuul.d
.prow.yaml .gocd.yaml .ado .evergreen.yml .taskcluster.y*ml .kokoro .gitlab-ci-local .agola .earthly
"""
_PATTERNS: tuple[tuple[ProtectionKind, str], ...] = (  # the first that fits tells why
    ("secret", _CREDENTIAL_FILES),
    ("git", _GIT),
    ("agent", _AGENT),
    ("editor", _EDITOR),
    ("ci", _CI),
    ("startup", _STARTUP),
)
_NAMES_KEPT = 4096
_VARIANT = re.compile("[\u034f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_LAST_ONLY = frozenset(
    name.removesuffix("!") for _, patterns in _PATTERNS for name in patterns.split() if name.endswith("!")
)
_WHOLE_PATH: frozenset[ProtectionKind] = frozenset({"secret", "git"})


@dataclass(frozen=True, slots=True)
class Protection:
    """Why a path always asks.

    Attributes:
        kind: which part of the list it is on.
        reason: in plain words, to follow the path's name and "asks because".
    """

    kind: ProtectionKind
    reason: str

    @property
    def is_secret(self) -> bool:
        """Whether reading it asks too, and search never shows its content."""
        return self.kind == "secret"


def protection_of(path: str | PurePath, roots: Iterable[PurePath] = ()) -> Protection | None:
    """Return why a canonical path always asks, or None when it does not.

    Args:
        path: canonical absolute path, or one relative to a workspace folder.
        roots: the workspace folders. What lies above them is not looked at, except that a workspace inside a
            version control folder or a folder of secrets is protected as a whole.
    """
    pure = path if isinstance(path, PurePath) else Path(path)
    above = min((len(root.parts) for root in roots if pure.is_relative_to(root)), default=1 if pure.anchor else 0)
    whole = "/".join(map(_fold, pure.parts[1 if pure.anchor else 0 :]))
    inner = "/".join(map(_fold, pure.parts[above:]))
    for kind, pattern in _compiled():
        if pattern.search(whole if kind in _WHOLE_PATH else inner):
            return Protection(kind, _REASONS[kind])
    return None


def is_secret(path: str | PurePath, roots: Iterable[PurePath] = ()) -> bool:
    """Whether a canonical path may hold secrets: ``search`` never shows its content."""
    found = protection_of(path, roots)
    return found is not None and found.is_secret


class SecretFinder:
    """Says which of very many paths may hold secrets, in about a microsecond a name.

    Args:
        folder: canonical folder that the paths are below.
        roots: the workspace folders.
    """

    def __init__(self, folder: PurePath, roots: Iterable[PurePath]) -> None:
        self._folder = folder
        self._roots = tuple(roots)
        self._all = is_secret(folder, self._roots)
        self._names: dict[str, bool | None] = {}
        self._folders: dict[str, bool | None] = {"": False}

    def __call__(self, path: str) -> bool:
        """Whether a path below the folder, with "/", may hold secrets."""
        if self._all:
            return True
        folder, _, name = path.rpartition("/")
        around = self._folders[folder] if folder in self._folders else self._judge_folder(folder)
        verdict = self._names[name] if name in self._names else self._judge(name)
        if around is None or verdict is None:  # what the names beside it are decides
            return is_secret(self._folder / path, self._roots)
        return around or verdict

    def _judge_folder(self, folder: str) -> bool | None:
        verdicts = {self._names[name] if name in self._names else self._judge(name) for name in folder.split("/")}
        verdict = None if None in verdicts else True in verdicts
        self._folders[folder] = verdict
        return verdict

    def _judge(self, name: str) -> bool | None:
        """Judge a name by itself. Every pattern of several names begins with one that begins with a dot."""
        verdict = self._names[name] = _verdict_on(name)
        return verdict


@lru_cache(_NAMES_KEPT)
def _verdict_on(name: str) -> bool | None:
    folded = _fold(name)
    return None if folded.startswith(".") or folded in _LAST_ONLY else _secret_names().search(folded) is not None


@cache
def _secret_names() -> re.Pattern[str]:
    return next(pattern for kind, pattern in _compiled() if kind == "secret")


@cache
def _compiled() -> tuple[tuple[ProtectionKind, re.Pattern[str]], ...]:
    return tuple(
        (kind, re.compile(rf"(?:\A|/)(?:{'|'.join(map(_translate, patterns.split()))})(?:/|\Z)"))
        for kind, patterns in _PATTERNS
    )


def _translate(pattern: str) -> str:
    return re.escape(pattern.removesuffix("!")).replace(r"\*", "[^/]*") + (r"\Z" if pattern.endswith("!") else "")


def _fold(name: str) -> str:
    """Return the name as the most forgiving file system sees it.

    Case, compatible and composed forms, invisible characters (old macOS file systems skip them), trailing dots and
    spaces, alternate streams and the short form of ``.git`` (Windows) all count for nothing.
    """
    if not name.isascii():
        visible = "".join(char for char in name if unicodedata.category(char) != "Cf" and not _VARIANT.match(char))
        name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    name = name.lower().partition(":")[0].rstrip(". ")
    return re.sub(r"\Agit~\d+\Z", ".git", name) if "~" in name else name
