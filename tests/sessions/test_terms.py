from hypothesis import given

from steersman.sessions.terms import LINE_CHARS, fold, holds_all, matching_line, parse_terms
from support.session_store import any_text


def test_words_and_quoted_phrases_are_the_terms():
    assert parse_terms('parser "two words" x').words == ("parser", "two words", "x")


def test_quotes_alone_are_no_terms():
    assert parse_terms('"" " ').words == ()


def test_operators_of_the_index_are_plain_words():
    assert parse_terms('NOT a"b').match_expression() == '"NOT"* AND "a""b"*'


def test_signs_and_scripts_without_spaces_need_a_scan():
    assert not parse_terms("->").has_words
    assert not parse_terms("検索").has_words
    assert parse_terms("suche naïve поиск").has_words


def test_wildcards_are_looked_for_literally():
    assert parse_terms("100%_\\").like_patterns() == (r"%100\%\_\\%",)


def test_the_line_with_most_terms_is_shown():
    text = "only alpha here\nalpha and beta\nbeta"
    assert matching_line(text, parse_terms("beta alpha")) == "alpha and beta"


def test_case_and_accents_do_not_matter():
    assert matching_line("Une NAÏVE idée", parse_terms("naive idee")) == "Une NAÏVE idée"
    assert holds_all("Straße", parse_terms("STRASSE"))


def test_a_long_line_is_clipped_around_the_match():
    line = matching_line("x" * 500 + " needle " + "y" * 500, parse_terms("needle")) or ""
    assert "needle" in line
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) <= LINE_CHARS + 2


def test_no_line_is_no_match():
    assert matching_line("nothing here", parse_terms("absent")) is None


@given(any_text, any_text)
def test_any_query_on_any_text_gives_a_printable_line_or_none(text: str, query: str):
    line = matching_line(text, parse_terms(query))
    assert line is None or line.isprintable()


@given(any_text)
def test_folding_twice_changes_nothing_more(text: str):
    assert fold(fold(text)) == fold(text)
