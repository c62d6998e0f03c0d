"""Nothing hidden where a person decides (A2)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.permissions.visible import has_hidden, mixed_letters, visible, visible_name


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("größer, 日本語, Ελλάδα, हिन्दी", "größer, 日本語, Ελλάδα, हिन्दी"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("a\u00adb", "a⟨U+00AD⟩b"),
        ("\ufeffa", "⟨U+FEFF⟩a"),
        ("a\x1b[2Kb", "a⟨U+001B⟩[2Kb"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\x08b", "a⟨U+0008⟩b"),
        ("a\x9bb", "a⟨U+009B⟩b"),
        ("a\x00b", "a⟨U+0000⟩b"),
        ("a\x7fb", "a⟨U+007F⟩b"),
        ("a\u2028b\u2029", "a⟨U+2028⟩b⟨U+2029⟩"),
        ("a\x85b\x0cc\x0bd", "a⟨U+0085⟩b⟨U+000C⟩c⟨U+000B⟩d"),
        ("a\u3164b\u115fc\uffa0", "a⟨U+3164⟩b⟨U+115F⟩c⟨U+FFA0⟩"),
        ("a\u2800b", "a⟨U+2800⟩b"),
        ("a\ufe0fb", "a⟨U+FE0F⟩b"),
        ("a\U000e0041b", "a⟨U+E0041⟩b"),
        ("a\U000e0101b", "a⟨U+E0101⟩b"),
        ("a\ue000b", "a⟨U+E000⟩b"),
        ("a\ud800b", "a⟨U+D800⟩b"),
        ("❤\ufe0f 👩\u200d💻 👍🏽\u200d🌾", "❤\ufe0f 👩\u200d💻 👍🏽\u200d🌾"),
        ("e\u0301\u0301", "e\u0301\u0301"),
        ("e" + "\u0301" * 5, "e\u0301\u0301" + "⟨U+0301⟩" * 3),
        ("a\tb\nc", "a\tb\nc"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str):
    assert visible(text) == shown


@given(st.text())
def test_any_text_is_shown_without_a_hidden_character(text: str):
    shown = visible(text, keep="")
    glue = {"\ufe0f", "\u200d"}
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c not in glue]


@given(
    st.text(st.characters(categories=["L", "N", "P"], max_codepoint=0x2FFF, exclude_characters="\u115f\u1160\u2800"))
)
def test_letters_stay_as_they_are(text: str):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a⏎b"),
        ("a\r\nb", "a⏎b"),
        ("a\tb", "a⇥b"),
        ("a\u00a0b\u3000c", "a⟨U+00A0⟩b⟨U+3000⟩c"),
        ("git status" + " " * 200 + "; rm x", "git status ⟨200 blanks⟩ ; rm x"),
        ("a   b", "a   b"),
    ],
)
def test_a_name_is_one_line_with_nothing_pushed_out_of_sight(text: str, shown: str):
    assert visible_name(text) == shown


@pytest.mark.parametrize("text", ["a\u202e", "\u00a0", "\r", "\x1b", "\u3164", "\u3000", "\ud800"])
def test_hidden_characters_are_found(text: str):
    assert has_hidden(text)


@pytest.mark.parametrize("text", ["a b\tc\nd", "größe", "日本"])
def test_ordinary_text_hides_nothing(text: str):
    assert not has_hidden(text)


@pytest.mark.parametrize("text", ["аpp.py", "src/Αpp.py", "gіt status", "pаypal"])
def test_look_alike_letters_are_noticed(text: str):
    """Cyrillic or Greek letters in a Latin word."""
    assert mixed_letters(text)


@pytest.mark.parametrize("text", ["app.py", "приложение.py", "src/файл.py", "größe", "日本語abc", "Ελλάδα"])
def test_words_of_one_alphabet_are_left_alone(text: str):
    assert not mixed_letters(text)
