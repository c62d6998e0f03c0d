"""Instruction comments in every language's syntax (PROTOCOL §4)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.comment_syntax import _ALIASES, _SYNTAXES, syntax_of
from steersman.lsp.instruction_comments import MAX_TEXT_CHARS, find_instructions
from steersman.lsp.positions import offset_to_position, position_to_offset

DECOYS = {
    "ada": 'S : String := "-- steersman: no";\nx := 1; -- steersman: yes',
    "asm": "mov eax, '; steersman: no'\nnop ; steersman: yes",
    "awk": 'BEGIN { print "# steersman: no" } # steersman: yes',
    "bat": "echo steersman: no\nrem steersman: yes\n@REM steersman: two\n:: steersman: three",
    "bash": "a='# steersman: no'\nb=\"\n# steersman: no\n\"\necho ${#a} x#steersman: no \\# steersman: no\n"
    "cat <<'EOF'\n# steersman: no\nEOF\nls # steersman: yes",
    "c": 'char *s = "// steersman: no \\" // AI!"; char c = \'"\'; // steersman: yes\n/* steersman: two */',
    "clojure": '(def s "; steersman: no") \\; steersman-no \\" ; steersman: yes',
    "cmake": 'set(A "# steersman: no") # steersman: yes\n#[==[ steersman: two ]] still ]==]',
    "cobol": 'DISPLAY "*> steersman: no". *> steersman: yes',
    "coffeescript": "a = '# steersman: no' # steersman: yes\n### steersman: two\n###",
    "cpp": 'auto r = R"x(// steersman: no)" )x"; int n = 1\'000\'000; // steersman: yes',
    "csharp": 'var a = @"c:\\"; // steersman: yes\nvar b = """ // steersman: no """; #region steersman: no\n/// steersman: two',
    "css": 'a::before { content: "/* steersman: no */" } /* steersman: yes */',
    "d": "auto a = `// steersman: no`; /+ steersman: yes /+ nested +/ more +/",
    "dart": "var a = '''// steersman: no'''; // steersman: yes\n/* steersman: two /* in */ out */",
    "dockerfile": "RUN echo a # steersman: no\n# steersman: yes",
    "elixir": '@doc """\n# steersman: no\n"""\nx = "#{y} # steersman: no" # steersman: yes',
    "elm": 'a = "-- steersman: no" -- steersman: yes\n{- steersman: two {- in -} out -}',
    "emacs-lisp": '(setq a "; steersman: no" b ?\\; c ?" d ?;) ; steersman: yes\n;;; steersman: two',
    "erlang": 'A = "% steersman: no", B = $%, % steersman: yes',
    "fish": "echo 'it # steersman: no' # steersman: yes",
    "fortran": "print *, '! steersman: no' ! steersman: yes",
    "fsharp": 'let a = "// steersman: no" // steersman: yes\n(* steersman: two (* in *) out *)',
    "go": "a := `// steersman: no`\nb := '\"' // steersman: yes\n/* steersman: two */",
    "graphql": '"""# steersman: no"""\ntype A # steersman: yes',
    "groovy": "def a = '''// steersman: no''' // steersman: yes",
    "haskell": 'a = "-- steersman: no"; b = foldl\' (-->) c -- steersman: yes\n{- steersman: two {- in -} out -}',
    "html": '<a title="<!-- steersman: no -->">it\'s https://x // steersman: no</a><!-- steersman: yes -->\n'
    '<script>let a = "<!-- steersman: no -->" // steersman: two\n</script><style>/* steersman: three */</style>',
    "ini": "a = 1 ; steersman: no\n; steersman: yes\n# steersman: two",
    "java": 'String a = """\n// steersman: no\n"""; char c = \'"\'; // steersman: yes\n/**\n * steersman: two\n */',
    "javascript": "const a = `// steersman: no ${b}`, r = x.replace(/[\"'/]\\/*/g, ''), c = 4 / 2 // steersman: yes\n"
    'return /"/ /* steersman: two */',
    "json": '{"a": "// steersman: no"} // steersman: yes',
    "jsonc": '{"a": "/* steersman: no */"} /* steersman: yes */',
    "julia": 'a = "# steersman: no" # steersman: yes\n#= steersman: two #= in =# out =#',
    "kotlin": 'val a = """// steersman: no""" // steersman: yes\n/* steersman: two /* in */ out */',
    "latex": "50\\% steersman: no\n% steersman: yes",
    "lua": 'a = "-- steersman: no" b = [==[ -- steersman: no ]] ]==] -- steersman: yes\n--[[ steersman: two ]]\n--[=[ steersman: three ]] in ]=]',
    "makefile": "a = \\# steersman: no\nall: # steersman: yes",
    "markdown": "`<!-- steersman: no -->`\n```\n<!-- steersman: no -->\n```\n# steersman: no\n<!-- steersman: yes -->",
    "matlab": "a = b' + 'x % steersman: no'; % steersman: yes\n%{\nsteersman: two\n%}",
    "nim": 'let a = """# steersman: no""" # steersman: yes\n#[ steersman: two #[ in ]# out ]#',
    "nix": "a = ''\n# steersman: no\n''; # steersman: yes\n/* steersman: two */",
    "ocaml": 'let a = "(* steersman: no *)" and c = \'"\' and q = {x|(* steersman: no *)|x} (* steersman: yes (* in *) out *)',
    "pascal": "a := '{ steersman: no } it''s'; { steersman: yes }\n(* steersman: two *) // steersman: three",
    "perl": 'my $a = "# steersman: no"; my $n = $#a; print <<"EOT"; # steersman: no\n# steersman: no\nEOT\n1; # steersman: yes\n=pod\n\nsteersman: two\n\n=cut\n',
    "php": "<p>it's # steersman: no</p>\n<?php $a = '# steersman: no'; #[Attr] // steersman: yes\n$b = <<<EOT\n# steersman: no\nEOT;\n# steersman: two\n?>\n<!-- steersman: three -->",
    "powershell": '$a = "`" # steersman: no" # steersman: yes\n<# steersman: two #>\n$b = @"\n# steersman: no\n"@',
    "prolog": "a('% steersman: no'). % steersman: yes",
    "properties": "a=b # steersman: no\n# steersman: yes\n! steersman: two",
    "proto": "string a = 1; // steersman: yes",
    "python": 'a = "# steersman: no"; b = \'\'\'\n# steersman: no\n\'\'\' # steersman: yes\n"""# steersman: no"""',
    "r": "a <- '# steersman: no' # steersman: yes",
    "ruby": 'a = "#{b} # steersman: no" # steersman: yes\nc = <<~TXT\n  # steersman: no\nTXT\n=begin\nsteersman: two\n=end\n',
    "rust": "let a = r#\"// steersman: no\"#; fn f<'a>(x: &'a str) {} let c = '\"'; // steersman: yes\n/* steersman: two /* in */ out */",
    "scala": 'val a = """// steersman: no""" // steersman: yes',
    "scss": "a { b: url(https://x) } // steersman: yes",
    "sql": "SELECT '-- steersman: no it''s' AS \"-- steersman: no\" -- steersman: yes\n/* steersman: two */",
    "swift": 'let a = """\n// steersman: no\n""" // steersman: yes\n/* steersman: two /* in */ out */',
    "tcl": 'set a "# steersman: no" ;# steersman: yes',
    "terraform": 'a = <<-EOT\n# steersman: no\nEOT\nb = "x" # steersman: yes\n// steersman: two',
    "toml": 'a = "# steersman: no"\nb = """\n# steersman: no\n""" # steersman: yes',
    "typescriptreact": "<p title='// steersman: no'>{/* steersman: yes */}</p>",
    "vb": "a = \"' steersman: no\" ' steersman: yes\nREM steersman: two",
    "vhdl": 'a <= "--"; -- steersman: yes',
    "vim": "let a = '\" steersman: no'\n\" steersman: yes",
    "vue": "<template><!-- steersman: yes --></template><script>// steersman: two\n</script>",
    "xml": '<a b="<!-- steersman: no -->"/><![CDATA[<!-- steersman: no -->]]><!-- steersman: yes -->'.replace(
        ' b="<!-- steersman: no -->"', ""
    ),
    "yaml": 'a: don\'t # steersman: yes\nb: |\n  # steersman: no\n\n  text\nc: "# steersman: no" # steersman: two\nd: x#steersman: no',
    "zig": "const a =\n    \\\\// steersman: no\n; // steersman: yes",
    "some-new-language": "x = 1 // steersman: no\n# steersman: yes\n  -- steersman: two\n/* steersman: three */\n",
}
ANSWERS = ["yes", "two", "three"]


@pytest.mark.parametrize("language", DECOYS)
def test_comments_are_found_and_what_only_looks_like_one_is_not(language: str) -> None:
    text = DECOYS[language]
    got = [instruction.text.split()[0] for instruction in find_instructions(text, language)]
    assert got == ANSWERS[: len(got)]
    assert len(got) == len({word for word in ANSWERS if f"steersman: {word}" in text})


def test_the_table_covers_far_more_than_thirty_languages() -> None:
    assert len(DECOYS) > 60
    assert all(name in _SYNTAXES for name in _ALIASES.values())


@pytest.mark.parametrize("name", _SYNTAXES)
def test_every_syntax_compiles(name: str) -> None:
    assert isinstance(syntax_of(name).pattern, re.Pattern)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("python-ts-mode", "python"),
        ("emacs-lisp-mode", "emacs-lisp"),
        ("TypeScript", "javascript"),
        ("sh", "shellscript"),
        ("cs", "csharp"),
        ("tex", "latex"),
    ],
)
def test_a_language_has_the_names_that_editors_give_it(name: str, same: str) -> None:
    assert syntax_of(name) is syntax_of(same)


def texts(text: str, language: str = "python") -> list[str]:
    return [instruction.text for instruction in find_instructions(text, language)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# steersman: do it", ["do it"]),
        ("#steersman:do it", ["do it"]),
        ("# Steersman: do it", ["do it"]),
        ("# make it quick AI!", ["make it quick"]),
        ("x = 1  # make it 2, AI!", ["make it 2,"]),
        ("# steersman: do it! AI!", ["do it!"]),
        ("# AI! make it quick", []),
        ("# samurAI!", []),
        ("# make it quick ai!", []),
        ("# steersman:", []),
        ("# AI!", []),
        ("# about steersman: no", []),
        ("#!/usr/bin/env python\n# plain", []),
        ("", []),
    ],
)
def test_what_makes_a_comment_an_instruction(text: str, found: list[str]) -> None:
    assert texts(text) == found


def test_line_comments_below_one_another_belong_together() -> None:
    text = "def f(a):\n    # steersman: handle an empty list\n    # and log it\n    return a[0]  # not this\n"
    (instruction,) = find_instructions(text, "python")
    assert instruction.text == "handle an empty list\nand log it"
    assert text[instruction.start : instruction.end] == "# steersman: handle an empty list\n    # and log it"


def test_ai_at_the_end_takes_the_lines_above_it() -> None:
    assert texts("# this is slow,\n# use a set AI!\n# unrelated\n") == ["this is slow,\nuse a set"]


def test_other_comments_do_not_belong_to_it() -> None:
    assert texts("# steersman: one\n\n# apart\n") == ["one"]
    assert texts("# steersman: one\n  # other column\n") == ["one"]
    assert texts("x = 1  # steersman: one\n# below\n") == ["one"]
    assert texts("# steersman: one\n# steersman: two\n") == ["one", "two"]


def test_a_block_comment_keeps_its_lines_without_ornament() -> None:
    text = "/**\n * steersman: split this\n *   - by word\n */\nint a;"
    assert texts(text, "c") == ["split this\nby word"]


def test_texts_that_are_data_are_not_looked_through() -> None:
    assert texts("x" * MAX_TEXT_CHARS + "\n# steersman: do it") == []
    assert texts("x = 1  # y\n" * 1000 + "# steersman: do it") == ["do it"]


def test_an_unfinished_comment_is_found_too() -> None:
    assert texts("int a; /* steersman: finish", "c") == ["finish"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_positions_are_right_in_every_encoding(encoding: str, ending: str) -> None:
    """Lines that only Python ends (form feed, U+2028) are no lines here."""
    text = f"ö\x0c = '😀'{ending}b = '\u2028é𝄞'  # steersman: tö do 😀{ending}"
    (instruction,) = find_instructions(text, "python")
    start = offset_to_position(text, instruction.start, encoding)
    columns = {"utf-8": 17, "utf-16": 12, "utf-32": 11}
    assert (start.line, start.character) == (1, columns[encoding])
    assert position_to_offset(text, start, encoding) == instruction.start
    assert text[instruction.start : instruction.end] == "# steersman: tö do 😀"


@given(
    st.sampled_from([*_SYNTAXES, "unknown"]),
    st.lists(
        st.sampled_from([*"\"'`#/*-{}[]()<>;%!\\= \n", "steersman: x", "AI!", "=begin", "<!--", "<?php", 'R"(', "ö😀"]),
        max_size=30,
    ),
)
def test_any_text_is_scanned_in_order_and_inside_its_bounds(language: str, parts: list[str]) -> None:
    text = "".join(parts)
    last = 0
    for instruction in find_instructions(text, language):
        assert last <= instruction.start < instruction.end <= len(text)
        assert instruction.text
        last = instruction.end


PROVOKING = ['"', "'", "/", "\\", "`", "#", "<<A\n", "{-", "(*", "[=", "<script>", " |\n ", "=/", '="', "--[[", "$'a"]


@pytest.mark.parametrize("piece", PROVOKING)
def test_hostile_texts_take_no_longer_than_long_ones(piece: str) -> None:
    """Texts made to provoke backtracking; the test's own time limit would end it."""
    text = "steersman:\n" + piece * (20_000 // len(piece))
    for language in _SYNTAXES:
        find_instructions(text, language)
