r"""How comments look in each language, and what looks like one but is none (strings, characters, here-documents).

A table of regular expressions: what is skipped, what is a line comment, what opens and closes a block. Languages go by
the names that editors use for them (VS Code's language ids, Vim's file types, Emacs' modes). Every expression is linear
in the text: no two alternatives of a loop begin with the same character.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType


@dataclass(frozen=True)
class Block:
    """A block comment. ``close`` may name the group ``level`` of ``open``; it then has to be the same text."""

    open: str
    close: str
    nests: bool = False


@dataclass(frozen=True)
class Embedded:
    """A region that is written in another language, such as ``<script>``."""

    open: str
    close: str
    language: str


@dataclass(frozen=True)
class Syntax:
    """One language's comments.

    Attributes:
        line: expressions of the beginning of a comment that ends with its line.
        blocks: block comments.
        skip: expressions of whole strings and the like.
        embedded: regions in other languages.
    """

    line: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    skip: tuple[str, ...] = ()
    embedded: tuple[Embedded, ...] = field(default=())

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """One expression that finds whatever comes next; its last group's name tells what: b0, l, e0, s."""
        parts = [f"(?P<s{number}>{each})" for number, each in enumerate(self.skip)]
        parts += [f"(?P<b{number}>{each.open})" for number, each in enumerate(self.blocks)]
        parts += [f"(?P<e{number}>{each.open})" for number, each in enumerate(self.embedded)]
        parts += [rf"(?P<l{number}>{each})[^\r\n]*" for number, each in enumerate(self.line)]
        return re.compile("|".join(parts), re.MULTILINE)


# What is no comment.
_DQ = r'"(?:\\[\s\S]|[^"\\\n])*+"?'
_SQ = r"'(?:\\[\s\S]|[^'\\\n])*+'?"
_DQ_LINES = r'"(?:\\[\s\S]|[^"\\])*+(?:"|\Z)'
_SQ_LINES = r"'(?:\\[\s\S]|[^'\\])*+(?:'|\Z)"
_SQ_RAW = r"'[^']*+(?:'|\Z)"
_SQ_DOUBLED = r"'(?:''|[^'])*+(?:'|\Z)"
_DQ_DOUBLED = r'"(?:""|[^"])*+(?:"|\Z)'
_SQ_DOUBLED_LINE = r"'(?:''|[^'\n])*+'?"
_VIM_DQ = r'\S[ \t]*+"(?:\\.|[^"\\\n])*+"?'
_DQ_DOUBLED_LINE = r'"(?:""|[^"\n])*+"?'
_TRIPLE_DQ = r'"""(?:\\[\s\S]|(?!""")[^\\])*+(?:"""|\Z)'
_TRIPLE_SQ = r"'''(?:\\[\s\S]|(?!''')[^\\])*+(?:'''|\Z)"
_BACKTICK = r"`[^`]*+(?:`|\Z)"
_TEMPLATE = r"`(?:\\[\s\S]|[^`\\])*+(?:`|\Z)"
_CHAR = r"'(?:\\'|\\[^'\n]*+|[^'\\\n])'"
_RUST_RAW = r'\br(?P<hashes>#*+)"[\s\S]*?(?:"(?P=hashes)|\Z)'
_CPP_RAW = r'R"(?P<mark>[^()\\\s]{0,16})\([\s\S]*?(?:\)(?P=mark)"|\Z)'
_CS_RAW = r'(?P<quotes>"{3,}+)[\s\S]*?(?:(?P=quotes)|\Z)'
_CS_VERBATIM = r'(?:@\$?|\$@)"(?:""|[^"])*+(?:"|\Z)'
_LUA_LONG = r"\[(?P<equals>=*+)\[[\s\S]*?(?:\](?P=equals)\]|\Z)"
_OCAML_QUOTED = r"\{(?P<name>[a-z_]*+)\|[\s\S]*?(?:\|(?P=name)\}|\Z)"
_HERE_LINES = r"(?:[^\n]*\n){0,400}?"  # bounded: an end that never comes must not be looked for at every mark
_SHELL_HERE = rf"<<-?[ \t]*(?P<q>[\"']?)(?P<word>[A-Za-z_]\w*+)(?P=q)[^\n]*\n{_HERE_LINES}^[ \t]*(?P=word)[ \t\r]*$"
_RUBY_HERE = rf"<<[~-]?(?P<q>[\"'`]?)(?P<word>[A-Z_]\w*+)(?P=q)[^\n]*\n{_HERE_LINES}^[ \t]*(?P=word)[ \t\r]*$"
_PHP_HERE = rf"<<<[ \t]*(?P<q>[\"']?)(?P<word>[A-Za-z_]\w*+)(?P=q)\r?\n{_HERE_LINES}^[ \t]*(?P=word)\b"
_HCL_HERE = rf"<<[~-]?(?P<word>[A-Za-z_]\w*+)\r?\n{_HERE_LINES}^[ \t]*(?P=word)[ \t\r]*$"
_JS_REGEX = (
    r"(?:[=(,:;!&|?{}\[+*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|await|yield)\b)[ \t]*+"
    r"/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*+\]|[^/\\\[\n])++/"
)
_YAML_TEXT = (
    r"[ \t][|>][+\-0-9]{0,2}[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*\r?\n)*(?P<indent>[ \t]++)\S[^\n]*"
    r"(?:\n(?:(?P=indent)[^\n]*|[ \t]*(?=\r?$)))*"
)
_YAML_QUOTED = (r'(?<![\w"])"(?:\\[\s\S]|[^"\\])*+(?:"|\Z)', r"(?<![\w'])'(?:''|[^'])*+(?:'|\Z)")
_FENCE = r"^[ \t]*(?P<fence>`{3,}|~{3,})[\s\S]*?(?:^[ \t]*(?P=fence)|\Z)"
_ATTRIBUTE = r"=[ \t]*+(?:\"[^\"\n]*+\"|'[^'\n]*+')"
_PS_STRINGS = (
    r'@"[ \t]*\r?\n[\s\S]*?^"@',
    r"@'[ \t]*\r?\n[\s\S]*?^'@",
    r'"(?:`[\s\S]|""|[^"`])*+(?:"|\Z)',
    _SQ_DOUBLED,
)

# Where comments begin.
_SLASHES = "//"
_HASH = "#"
_HASH_WORD = r"(?<![^\s;&|(){}])#"
_PERL_HASH = r"(?<![$@%&\\\w])#"
_HASH_OWN_LINE = r"^[ \t]*+#"
_DASHES = "--"
_SYMBOLS = r"!#$%&*+./<=>?@\\^|~:"
_HASKELL_DASHES = rf"(?<![{_SYMBOLS}-])--+(?![{_SYMBOLS}])"
_C_BLOCK = Block(r"/\*", r"\*/")
_C_NESTED = Block(r"/\*", r"\*/", nests=True)
_HTML_BLOCK = Block("<!--", "-->")
_PAREN_STAR = Block(r"\(\*", r"\*\)", nests=True)
_HASKELL_BLOCK = Block(r"\{-", r"-\}", nests=True)
_LISP_BLOCK = Block(r"#\|", r"\|#", nests=True)

_C = Syntax((_SLASHES,), (_C_BLOCK,), (_DQ, _CHAR))
_C_MORE = (_TRIPLE_DQ, _DQ, _CHAR)
_JS = Syntax((_SLASHES,), (_C_BLOCK,), (_TEMPLATE, _DQ, _SQ, _JS_REGEX))
_CSS = Syntax((), (_C_BLOCK,), (_DQ, _SQ))
_SCRIPT = (
    Embedded(r"<script\b[^>]*+>", r"</script", "javascript"),
    Embedded(r"<style\b[^>]*+>", r"</style", "css"),
)
_HTML = Syntax((), (_HTML_BLOCK,), (_ATTRIBUTE,), _SCRIPT)
_PYTHON = Syntax((_HASH,), (), (_TRIPLE_DQ, _TRIPLE_SQ, _DQ, _SQ))
_PLAIN_HASH = Syntax((_HASH,), (), (_DQ, _SQ))
_HASKELL = Syntax((_HASKELL_DASHES,), (_HASKELL_BLOCK,), (_TRIPLE_DQ, _DQ, _CHAR))
_SQL = Syntax((_DASHES,), (_C_BLOCK,), (_SQ_DOUBLED, _DQ_DOUBLED))
_LISP = Syntax((";",), (_LISP_BLOCK,), (r"#\\.", _DQ_LINES))

_SYNTAXES: Mapping[str, Syntax] = MappingProxyType(
    {
        "ada": Syntax((_DASHES,), (), (_DQ_DOUBLED, _CHAR)),
        "asm": Syntax((";", _HASH, _SLASHES, "@"), (_C_BLOCK,), (_DQ, _SQ)),
        "awk": Syntax((_HASH,), (), (_DQ,)),
        "bat": Syntax((r"^[ \t]*+@?[Rr][Ee][Mm]\b", r"^[ \t]*+::"), (), ()),
        "c": _C,
        "clojure": Syntax((";",), (), (r"\\.", _DQ_LINES)),
        "cmake": Syntax((_HASH,), (Block(r"#\[(?P<level>=*+)\[", r"\](?P=level)\]"),), (_DQ_LINES,)),
        "cobol": Syntax((r"\*>",), (), (_DQ, _SQ)),
        "coffeescript": Syntax((_HASH,), (Block("###", "###"),), (_TRIPLE_DQ, _TRIPLE_SQ, _DQ, _SQ)),
        "cpp": Syntax((_SLASHES,), (_C_BLOCK,), (_CPP_RAW, _DQ, _CHAR)),
        "csharp": Syntax((_SLASHES,), (_C_BLOCK,), (_CS_VERBATIM, _CS_RAW, _DQ, _CHAR)),
        "css": _CSS,
        "d": Syntax((_SLASHES,), (_C_BLOCK, Block(r"/\+", r"\+/", nests=True)), (_BACKTICK, _DQ_LINES, _CHAR)),
        "dart": Syntax((_SLASHES,), (_C_NESTED,), (_TRIPLE_DQ, _TRIPLE_SQ, _DQ, _SQ)),
        "dockerfile": Syntax((_HASH_OWN_LINE,)),
        "elixir": Syntax((_HASH,), (), (_TRIPLE_DQ, _TRIPLE_SQ, _DQ_LINES, _SQ)),
        "elm": _HASKELL,
        "emacs-lisp": Syntax((";",), (), (r"\?\\?.", _DQ_LINES)),
        "erlang": Syntax(("%",), (), (r"\$\\?.", _DQ_LINES, _SQ)),
        "fortran": Syntax(("!",), (), (_DQ_DOUBLED_LINE, r"'[^'\n]*+'?")),
        "fsharp": Syntax((_SLASHES,), (_PAREN_STAR,), (_TRIPLE_DQ, _DQ_LINES, _CHAR)),
        "go": Syntax((_SLASHES,), (_C_BLOCK,), (_BACKTICK, _DQ, _CHAR)),
        "graphql": Syntax((_HASH,), (), (_TRIPLE_DQ, _DQ)),
        "groovy": Syntax((_SLASHES,), (_C_BLOCK,), (_TRIPLE_DQ, _TRIPLE_SQ, _DQ, _SQ)),
        "haskell": _HASKELL,
        "hcl": Syntax((_HASH, _SLASHES), (_C_BLOCK,), (_HCL_HERE, _DQ)),
        "html": _HTML,
        "ini": Syntax((r"^[ \t]*+[;#]",)),
        "java": Syntax((_SLASHES,), (_C_BLOCK,), _C_MORE),
        "javascript": _JS,
        "julia": Syntax((_HASH,), (Block("#=", "=#", nests=True),), (_TRIPLE_DQ, _DQ_LINES, _CHAR)),
        "kotlin": Syntax((_SLASHES,), (_C_NESTED,), _C_MORE),
        "lisp": _LISP,
        "lua": Syntax((_DASHES,), (Block(r"--\[(?P<level>=*+)\[", r"\](?P=level)\]"),), (_LUA_LONG, _DQ, _SQ)),
        "makefile": Syntax((r"(?<!\\)#",)),
        "markdown": Syntax((), (_HTML_BLOCK,), (_FENCE, r"`[^`\n]*+`")),
        "matlab": Syntax(
            ("%",),
            (Block(r"^[ \t]*+%\{[ \t\r]*$", r"^[ \t]*%\}[ \t\r]*$", nests=True),),
            (_DQ_DOUBLED_LINE, r"(?<![\w)\]}.'])'(?:''|[^'\n])*+'?"),
        ),
        "nim": Syntax((_HASH,), (Block(r"#\[", r"\]#", nests=True),), (_TRIPLE_DQ, _DQ, _CHAR)),
        "nix": Syntax((_HASH,), (_C_BLOCK,), (r"''(?:''[$'\\]|'(?!')|[^'])*+(?:''|\Z)", _DQ_LINES)),
        "ocaml": Syntax((), (_PAREN_STAR,), (_OCAML_QUOTED, _DQ_LINES, _CHAR)),
        "pascal": Syntax((_SLASHES,), (Block(r"\{", r"\}"), Block(r"\(\*", r"\*\)")), (r"'[^'\n]*+'?",)),
        "perl": Syntax(
            (r"(?<![$@%&\\\w])#",), (Block(r"^=[a-z]\w*+", r"^=cut\b"),), (_RUBY_HERE, _DQ_LINES, _SQ_LINES)
        ),
        "php": Syntax((), (_HTML_BLOCK,), (), (Embedded(r"<\?(?:php\b|=)", r"\?>", "php-code"), *_SCRIPT)),
        "php-code": Syntax((_SLASHES, r"#(?!\[)"), (_C_BLOCK,), (_PHP_HERE, _DQ_LINES, _SQ_LINES)),
        "powershell": Syntax((r"(?<![^\s;(){}|])#",), (Block("<#", "#>"),), _PS_STRINGS),
        "prolog": Syntax(("%",), (_C_BLOCK,), (r"0'\\?.", _DQ, _SQ)),
        "properties": Syntax((r"^[ \t]*+[#!]",)),
        "python": _PYTHON,
        "r": Syntax((_HASH,), (), (_DQ_LINES, _SQ_LINES, _BACKTICK)),
        "ruby": Syntax((_HASH,), (Block(r"^=begin\b", r"^=end\b"),), (_RUBY_HERE, _DQ, _SQ)),
        "rust": Syntax((_SLASHES,), (_C_NESTED,), (_RUST_RAW, _DQ_LINES, _CHAR)),
        "scala": Syntax((_SLASHES,), (_C_NESTED,), _C_MORE),
        "scss": Syntax((r"(?<!:)//",), (_C_BLOCK,), (_DQ, _SQ)),
        "shellscript": Syntax((_HASH_WORD,), (), (_SHELL_HERE, r"\\.", _SQ_RAW, _DQ_LINES)),
        "sql": _SQL,
        "mysql": Syntax((_DASHES, _HASH), (_C_BLOCK,), _SQL.skip),
        "svelte": _HTML,
        "swift": Syntax((_SLASHES,), (_C_NESTED,), (_TRIPLE_DQ, _DQ)),
        "tcl": Syntax((r"(?:^|;)[ \t]*+#",), (), (_DQ_LINES,)),
        "tex": Syntax((r"(?<!\\)%",)),
        "thrift": Syntax((_HASH, _SLASHES), (_C_BLOCK,), (_DQ, _SQ)),
        "toml": Syntax((_HASH,), (), (_TRIPLE_DQ, r"'''[\s\S]*?(?:'''|\Z)", _DQ, r"'[^'\n]*+'?")),
        "vb": Syntax(("'", r"(?:^|:)[ \t]*+[Rr][Ee][Mm]\b"), (), (_DQ_DOUBLED_LINE,)),
        "vhdl": Syntax((_DASHES,), (_C_BLOCK,), (_DQ, _CHAR)),
        "vim": Syntax((r'^[ \t]*+"', r"^[ \t]*+#", r"[ \t]#[ \t]"), (), (_VIM_DQ, _SQ_DOUBLED_LINE)),
        "xml": Syntax((), (_HTML_BLOCK,), (r"<!\[CDATA\[[\s\S]*?(?:\]\]>|\Z)",)),
        "yaml": Syntax((r"(?<!\S)#",), (), (_YAML_TEXT, *_YAML_QUOTED)),
        "zig": Syntax((_SLASHES,), (), (r"\\\\[^\n]*", _DQ, _CHAR)),
    }
)

_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        alias: name
        for name, aliases in {
            "asm": "assembly nasm gas masm asm-mode armasm mips",
            "bat": "dosbatch batch cmd",
            "c": "objective-c objc cuda cuda-cpp glsl hlsl wgsl opencl metal proto proto3 protobuf solidity"
            " verilog systemverilog apex vala jsonc json5 json v gleam odin qml actionscript idl bison yacc lex c3",
            "clojure": "clojurescript edn clojurec fennel",
            "coffeescript": "coffee",
            "cpp": "c++ objective-cpp objcpp arduino",
            "csharp": "cs c-sharp",
            "dockerfile": "docker containerfile gitignore ignore gitattributes codeowners",
            "elixir": "eelixir heex",
            "emacs-lisp": "elisp lisp-data lisp-interaction",
            "fortran": "fortran-modern fortranfreeform f90",
            "fsharp": "fs",
            "go": "gomod go.mod templ",
            "groovy": "jenkinsfile gradle",
            "haskell": "lhaskell purescript idris agda lean",
            "hcl": "terraform opentofu tf packer",
            "html": "vue astro handlebars htmldjango mhtml xhtml django-html",
            "ini": "conf dosini cfg gitconfig editorconfig systemd autohotkey",
            "javascript": "javascriptreact typescript typescriptreact js jsx ts tsx js2 rjsx mjs typescript.tsx"
            " javascript.jsx deno",
            "lisp": "commonlisp common-lisp scheme racket guile",
            "makefile": "make makefile-gmake just justfile",
            "markdown": "mdx rmd quarto gfm",
            "matlab": "octave",
            "ocaml": "reason ocaml.interface tuareg sml standardml",
            "pascal": "delphi objectpascal",
            "perl": "perl5 perl6 raku cperl",
            "powershell": "ps1",
            "properties": "jproperties java-properties",
            "python": "starlark bazel bzl gdscript mojo snakemake cython xonsh sage",
            "r": "rscript ess-r",
            "ruby": "crystal erb enh-ruby",
            "scss": "less sass stylus",
            "shellscript": "sh bash zsh ksh fish csh tcsh shell sh-script nushell nu bats ebuild desktop elvish",
            "sql": "plsql pgsql postgres sqlite tsql hive",
            "tex": "latex bibtex plaintex context latex-mode bib",
            "toml": "cargo.toml pip-requirements requirements",
            "vb": "vbnet vb.net vba visualbasic basic freebasic",
            "vim": "viml vimscript vim9",
            "xml": "svg xsl xsd plist nxml ant xaml",
            "yaml": "yml docker-compose dockercompose ansible yaml.ansible helm github-actions-workflow salt",
        }.items()
        for alias in aliases.split()
    }
    | {"jq": "awk", "puppet": "awk", "rego": "awk", "meson": "awk", "gnuplot": "awk", "elm": "haskell"}
)

_ANY = Syntax(
    (r"^[ \t]*+(?://+|#+|--+|;+|%+|!+|'+|\"|\*>|::|@?[Rr][Ee][Mm]\b)",),
    (Block(r"^[ \t]*+/\*", r"\*/"), _HTML_BLOCK),
)
"""For languages not in the table: what stands on a line of its own behind any language's mark."""


def syntax_of(language_id: str) -> Syntax:
    """Return the syntax for a language under any of its names; what is not known gets a cautious one."""
    name = language_id.casefold().removesuffix("-ts-mode").removesuffix("-mode").removesuffix("-ts")
    return _SYNTAXES.get(_ALIASES.get(name, name), _ANY)
