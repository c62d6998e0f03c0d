from hypothesis import given

from steersman.sessions.titles import MAX_TITLE_CHARS, UNTITLED, clip, one_line, title_from
from support.session_store import any_text


def test_the_title_is_the_first_line_that_says_something():
    assert title_from("\n  \n\tFix   the parser\nand then the tests") == "Fix the parser"


def test_a_long_line_is_clipped_at_a_word():
    assert clip("one two three four", 12) == "one two…"


def test_a_long_word_is_clipped_where_it_must_be():
    assert clip("x" * 30, 10) == "x" * 9 + "…"


def test_a_prompt_without_a_visible_character_is_untitled():
    assert title_from(" \n\t\u200b\u202e ") == UNTITLED


def test_control_and_bidirectional_characters_do_not_reach_a_title():
    assert one_line("a\x1b[31mb\u202ec") == "a[31mbc"


@given(any_text)
def test_any_prompt_gives_one_printable_short_line(prompt: str):
    title = title_from(prompt * 10)
    assert 0 < len(title) <= MAX_TITLE_CHARS
    assert title.isprintable()
