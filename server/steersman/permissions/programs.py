"""Programs whose further words may be left open once the program was allowed (DESIGN A5).

"Allow for this session" on ``git log -5`` is expected to cover ``git log -20``, but not ``git log --output=x``. So for
each program here (with its sub-command) stand the options that are known neither to write files, nor to run another
program, nor to read a configuration of the caller's choice. An option that is not listed asks, so that a new version's
options and abbreviations are never let through. A program that is not listed is remembered word by word.

It must only list what was looked up in the program's own documentation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

_OPEN: dict[tuple[str, ...], str] = {
    # The letters after "-" are those that may be used, ":" after a letter that takes a value, "#" a bare number.
    # Behind "|" stand more options that only read, but read so much that they are not left open.
    ("git", "status"): "reads -sbvzu: short branch show-stash porcelain long verbose ahead-behind no-ahead-behind "
    "ignored untracked-files column no-column renames no-renames find-renames",
    ("git", "log"): "reads -n:pusbziS:G:L:EFPMCRDwq# oneline graph all decorate no-decorate stat shortstat numstat "
    "name-only name-status patch no-patch follow max-count skip since after until before author committer grep "
    "all-match invert-grep merges no-merges first-parent reverse date format pretty abbrev-commit no-abbrev-commit "
    "abbrev full-history branches tags remotes topo-order date-order author-date-order diff-filter unified "
    "word-diff color no-color left-right cherry-pick cherry raw summary",
    ("git", "diff"): "reads -pusbzwMCRDqS:G:U:# cached staged stat shortstat numstat name-only name-status patch "
    "no-patch unified word-diff color no-color ignore-all-space ignore-space-change ignore-blank-lines diff-filter "
    "summary merge-base check quiet exit-code raw minimal patience histogram function-context find-renames "
    "no-renames",
    ("git", "show"): "reads -pusqbzwMCU:# stat shortstat numstat name-only name-status patch no-patch format pretty "
    "oneline abbrev-commit unified word-diff color no-color summary quiet date",
    ("git", "blame"): "reads -L:wMClstfenp# date color-lines porcelain line-porcelain root show-name show-number",
    ("git", "shortlog"): "reads -sne# summary numbered email since until",
    ("git", "rev-parse"): "reads -q# short verify abbrev-ref symbolic symbolic-full-name show-toplevel show-prefix "
    "show-cdup is-inside-work-tree is-inside-git-dir is-bare-repository all branches tags remotes quiet",
    ("git", "ls-files"): "reads -cdmosuztkv cached deleted modified others stage unmerged exclude-standard full-name "
    "error-unmatch abbrev deduplicate",
    ("git", "ls-tree"): "reads -rdtlz name-only name-status full-name full-tree abbrev long",
    ("git", "merge-base"): "reads -a all octopus independent is-ancestor fork-point",
    ("git", "rev-list"): "reads -n:# count all max-count since until author grep left-right merges no-merges "
    "first-parent reverse branches tags remotes oneline",
    ("git", "describe"): "reads - all tags contains abbrev always dirty long match exclude exact-match first-parent",
    (
        "git",
        "grep",
    ): "reads -inwvlLcEFGPheA:B:C:m:# line-number ignore-case word-regexp invert-match files-with-matches "
    "name-only count cached extended-regexp fixed-strings perl-regexp and or not max-count context before-context "
    "after-context show-function function-context heading break color no-color all-match",
    ("git", "add"): "-nvAuN dry-run verbose all update intent-to-add no-all",
    ("git", "commit"): "-m:aqvs message all quiet verbose signoff allow-empty dry-run short branch porcelain",
    (
        "ls",
    ): "reads -aAbcCdfFgGhiklmnopqQrRsStTuUvw:xXZ1 all almost-all human-readable recursive reverse size directory "
    "classify color sort time full-time group-directories-first inode numeric-uid-gid si",
    ("cat",): "reads -nbAEsTtvue number number-nonblank show-all show-ends squeeze-blank show-tabs show-nonprinting",
    ("head",): "reads -n:c:qvz# lines bytes quiet silent verbose",
    ("tail",): "reads -n:c:qvz# lines bytes quiet silent verbose",
    ("find",): "reads -=name=iname=path=ipath=type=maxdepth=mindepth=size=mtime=mmin=newer=not=o=a=or=and=print=print0"
    "=empty=prune",
    ("wc",): "reads -clmwL bytes chars lines words max-line-length total",
    ("nl",): "reads -b:n:w:s:v:i: body-numbering number-format number-width number-separator",
    ("cut",): "reads -b:c:d:f:ns bytes characters delimiter fields only-delimited complement output-delimiter",
    ("tr",): "reads -cCdst complement delete squeeze-repeats truncate-set1",
    ("sort",): "reads -bdfgiMhnRrVk:t:cCmsuz ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
    "month-sort human-numeric-sort numeric-sort reverse version-sort key field-separator check merge stable unique",
    ("grep",): "reads -EFGPe:ivwxcLlm:oqshHnA:B:C:abIyz# extended-regexp fixed-strings basic-regexp perl-regexp regexp "
    "ignore-case invert-match word-regexp line-regexp count color files-without-match files-with-matches max-count "
    "only-matching quiet silent no-messages with-filename no-filename line-number after-context before-context "
    "context text | -rR recursive include exclude exclude-dir",
    ("rg",): "reads -Fie:svwxcloqm:A:B:C:t:T:nNSHIUpVP fixed-strings ignore-case regexp case-sensitive smart-case "
    "invert-match word-regexp line-regexp count count-matches files-with-matches files-without-match only-matching "
    "quiet max-count after-context before-context context type type-not line-number no-line-number "
    "with-filename no-filename multiline pcre2 json vimgrep column heading no-heading color files type-list stats "
    "sort sortr max-depth trim | -g:u. glob iglob hidden no-ignore unrestricted",
    ("diff",): "reads -uU:c:C:qsyiEbwBaNtT# unified context brief report-identical-files side-by-side ignore-case "
    "ignore-all-space ignore-space-change ignore-blank-lines text new-file width color",
    ("cmp",): "reads -bi:ln:s print-bytes verbose bytes quiet silent",
    ("stat",): "reads -Lfc:t dereference file-system format printf terse",
    (
        "du",
    ): "reads -0abcd:hHkLlmPsSt:x all apparent-size bytes total max-depth human-readable summarize one-file-system",
    ("df",): "reads -aBhHiklPTt:x: all human-readable inodes local portability print-type total",
    ("pwd",): "reads -LP",
    ("echo",): "reads -neE",
    ("true",): "reads -",
    ("false",): "reads -",
    ("basename",): "reads -as:z multiple suffix zero",
    ("dirname",): "reads -z zero",
    ("realpath",): "reads -emLPqsz canonicalize-existing canonicalize-missing logical physical quiet relative-to "
    "relative-base no-symlinks zero",
    ("readlink",): "reads -femnqsvz canonicalize canonicalize-existing canonicalize-missing no-newline",
    ("which",): "reads -as all",
    ("uname",): "reads -asnrvmpio all",
    ("nproc",): "reads - all ignore",
    ("md5sum",): "reads -bt binary text tag",
    ("sha256sum",): "reads -bt binary text tag",
    (
        "pytest",
    ): "-k:m:qvxslr:n:hV# help version quiet verbose exitfirst maxfail keyword marker last-failed lf failed-first ff "
    "new-first nf stepwise sw durations durations-min tb showlocals no-header no-summary collect-only co capture "
    "color lfnf strict strict-markers strict-config deselect ignore numprocesses timeout no-cov",
    ("ruff", "check"): "-qvens no-fix diff show-files statistics select ignore extend-select quiet verbose exit-zero "
    "preview no-preview show-fixes output-format",
    ("ruff", "format"): "-qv check diff quiet verbose preview no-preview line-length",
    (
        "mypy",
    ): "-vhV help version strict pretty show-error-codes show-error-context no-error-summary ignore-missing-imports "
    "check-untyped-defs warn-unused-ignores no-incremental",
    ("pyright",): "-h help version stats verbose warnings level outputjson",
    ("black",): "-ql:vSh help version check diff quiet verbose line-length color no-color",
    ("cargo", "check"): "-qvp:j: all all-targets all-features no-default-features features workspace tests benches "
    "examples lib bins release quiet verbose package locked offline message-format keep-going",
    ("cargo", "build"): "-qvp:j:r all all-targets all-features no-default-features features workspace tests benches "
    "examples lib bins release quiet verbose package locked offline message-format keep-going",
    (
        "cargo",
        "test",
    ): "-qvp:j:r all all-targets all-features no-default-features features workspace tests doc lib bins "
    "release quiet verbose package locked offline no-run no-fail-fast",
    ("go", "build"): "-=v=x=race=trimpath=a=n",
    ("go", "test"): "-=v=run=race=count=short=timeout=bench=benchmem=cover=failfast=parallel=list=json",
    ("go", "vet"): "-=v=json",
}


@dataclass(frozen=True, slots=True)
class OpenProgram:
    """What is known of one program (with its sub-command).

    Attributes:
        head: the program and its sub-command.
        reads: it only reads; a protected file may be named if it is not a secret.
        short: allowed letters; those that take a value are also in ``valued``.
        valued: letters that take a value.
        numbers: ``-5`` is an option.
        long: allowed names after ``--`` (after ``-`` too where ``single_dash``).
        single_dash: long options are written with one dash.
        wider: the same program with more options, all of which only read; None when there are none.
    """

    head: tuple[str, ...]
    reads: bool
    short: frozenset[str]
    valued: frozenset[str]
    numbers: bool
    long: frozenset[str]
    single_dash: bool = False
    wider: OpenProgram | None = None

    def allows(self, option: str) -> bool:
        """Whether a word that begins with "-" is one of the options known to be harmless."""
        if self.single_dash or option.startswith("--"):
            return option.lstrip("-").partition("=")[0] in self.long
        if self.numbers and re.fullmatch(r"-\d+", option):
            return True
        for letter in option[1:]:
            if letter in self.valued:
                return True
            if letter not in self.short:
                return False
        return True


def find_program(words: Sequence[str]) -> OpenProgram | None:
    """Return what is known of the program that the words begin with, or None."""
    for length in (2, 1):
        spec = _OPEN.get(tuple(words[:length]))
        if spec is not None:
            return _parse(tuple(words[:length]), spec)
    return None


def has_subcommands(program: str) -> bool:
    """Whether the program is one whose sub-commands are listed here."""
    return any(head[0] == program and len(head) > 1 for head in _OPEN)


def _parse(head: tuple[str, ...], spec: str) -> OpenProgram:
    reads = spec.startswith("reads ")
    narrow, _, more = spec.removeprefix("reads ").partition("|")
    letters, *names = narrow.split()
    if letters.startswith("-="):
        long = frozenset(letters[2:].split("="))
        return OpenProgram(head, reads, frozenset(), frozenset(), numbers=False, long=long, single_dash=True)
    program = _with_options(
        OpenProgram(head, reads, frozenset(), frozenset(), numbers=False, long=frozenset()), letters, names
    )
    if not more:
        return program
    letters, *names = more.split()
    return replace(program, wider=_with_options(program, letters, names))


def _with_options(program: OpenProgram, letters: str, names: Sequence[str]) -> OpenProgram:
    return replace(
        program,
        short=program.short | (frozenset(letters) - {"-", ":", "#"}),
        valued=program.valued | frozenset(re.findall(r"(.):", letters)),
        numbers=program.numbers or "#" in letters,
        long=program.long | frozenset(names),
    )
