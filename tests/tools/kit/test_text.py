"""Bytes to text and back (DESIGN W3; reports 9, 10, 11)."""

import codecs

import pytest

from steersman.agent.changes import text_digest
from steersman_tools.kit.text import (
    Decoded,
    UnencodableError,
    bytes_digest,
    check_encodable,
    decode,
    decoded_digest,
    encode,
)
from steersman_tools.kit.workspace import NotTextError

JAPANESE = "// 設定ファイルを読み込み、値を検証してから返します。\nint x = 1;\n"
CHINESE = "# 这个函数读取配置文件，检查其中的值，然后返回结果。\nx = 1\n"
TAIWANESE = "# 這個函式讀取設定檔，檢查其中的值，然後傳回結果給使用者。\nx = 1\n"
KOREAN = "# 이 함수는 설정 파일을 읽고 값을 검사한 다음 결과를 반환합니다.\nx = 1\n"
RUSSIAN = (
    "# Эта функция читает файл настроек, проверяет значения и возвращает результат. Сегодня хорошая погода.\nx = 1\n"
)

CERTAIN = [
    (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"),
    (CHINESE, "gb18030"),
    (TAIWANESE, "cp950"),
    (KOREAN, "cp949"),
    (RUSSIAN, "cp1251"),
    (RUSSIAN, "koi8_r"),
    (RUSSIAN, "cp866"),
    (RUSSIAN, "iso8859_5"),
]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", Decoded("", "utf-8", has_bom=False)),
        ("é\r\n".encode(), Decoded("é\r\n", "utf-8", has_bom=False)),
        (codecs.BOM_UTF8 + b"x", Decoded("x", "utf-8", has_bom=True)),
        (codecs.BOM_UTF8, Decoded("", "utf-8", has_bom=True)),
        (codecs.BOM_UTF16_LE + "é😀".encode("utf-16-le"), Decoded("é😀", "utf-16-le", has_bom=True)),
        (codecs.BOM_UTF16_BE + "é😀".encode("utf-16-be"), Decoded("é😀", "utf-16-be", has_bom=True)),
        (codecs.BOM_UTF32_LE + "é😀".encode("utf-32-le"), Decoded("é😀", "utf-32-le", has_bom=True)),
        (codecs.BOM_UTF32_BE + "é😀".encode("utf-32-be"), Decoded("é😀", "utf-32-be", has_bom=True)),
        (b"a\fb\x1b[31mc", Decoded("a\fb\x1b[31mc", "utf-8", has_bom=False)),
    ],
)
def test_unicode_files_are_read_and_written_as_they_are(data: bytes, expected: Decoded) -> None:
    decoded = decode(data)

    assert expected == decoded
    assert data == encode(*decoded)


@pytest.mark.parametrize("text", ["", "plain\n" * 30_000, "é😀\r\n" * 10_000, "\ufeffx"])
@pytest.mark.parametrize("has_bom", [False, True])
def test_a_text_that_is_expected_is_not_made_anew(text: str, has_bom: bool) -> None:
    data = codecs.BOM_UTF8 * has_bom + text.encode()
    if text.startswith("\ufeff") and not has_bom:
        assert decode(data, text) == Decoded("x", "utf-8", has_bom=True)
        return

    assert decode(data, text).text is text
    assert decode(data) == decode(data, text)


@pytest.mark.parametrize("expected", ["", "abc", "abd", "abcd", "ab\ud800", "\ufeffabc", "ab\0"])
@pytest.mark.parametrize("data", [b"abc", codecs.BOM_UTF8 + b"abc", "abc".encode("utf-16"), JAPANESE.encode("cp932")])
def test_an_expected_text_changes_nothing_about_what_the_bytes_say(data: bytes, expected: str) -> None:
    assert decode(data) == decode(data, expected)


@pytest.mark.parametrize(
    "data", [b"abc", codecs.BOM_UTF8 + "é".encode(), "é".encode("utf-16"), JAPANESE.encode("cp932")]
)
def test_the_digest_of_bytes_is_that_of_their_text(data: bytes) -> None:
    assert text_digest(decode(data).text) == decoded_digest(data, decode(data))


@pytest.mark.parametrize(
    ("text", "encoding"), [("\ud800", "utf-8"), ("\ufeffx", "utf-8"), ("é", "cp932"), ("¥", "cp932")]
)
def test_what_cannot_be_encoded_is_told_before_it_is_to_be(text: str, encoding: str) -> None:
    check_encodable("plain", encoding, has_bom=False)

    with pytest.raises(UnencodableError):
        check_encodable(text, encoding, has_bom=False)


@pytest.mark.parametrize(("text", "codec"), CERTAIN)
def test_a_long_text_in_an_unmistakable_script_is_read_and_written_in_its_encoding(text: str, codec: str) -> None:
    decoded = decode(text.encode(codec))

    assert (text, codec, False) == decoded
    assert text.encode(codec) == encode(*decoded)


@pytest.mark.parametrize(
    "data",
    [
        b"const x = 1\n" + "中文".encode("gb18030"),  # report 9
        "// 設定\n".encode("cp932"),
        "caf\xe9 au lait".encode("latin-1"),
        "Größe und Länge der Straße müssen übereinstimmen, größer als nötig.".encode("cp1252"),
        "Zażółć gęślą jaźń, proszę państwa, źdźbło".encode("cp1250"),
    ],
)
def test_what_cannot_be_told_for_certain_is_refused_with_the_reason(data: bytes) -> None:
    with pytest.raises(NotTextError, match="cannot be told for certain"):
        decode(data)


@pytest.mark.parametrize(
    ("data", "codec"),
    [
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso8859-1"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "cp1252"),
        (b'<?xml version="1.0" encoding="ISO-8859-2"?><a>\xb1</a>', "iso8859-2"),
        (b'<html><meta charset="windows-1252"><p>\xe9', "cp1252"),
        (b'@charset "shift_jis";\n/* ' + "設".encode("shift_jis"), "shift_jis"),
    ],
)
def test_a_declared_encoding_is_certain(data: bytes, codec: str) -> None:
    decoded = decode(data)

    assert codec == decoded.encoding
    assert data == encode(*decoded)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"# coding: shift_jis\n\x81\xff", "not all valid in shift_jis"),
        (b"# coding: utf-8\n\xff", "not all valid in utf-8"),
        (b"# coding: iso2022_jp\n\xff", "not supported"),
        (b"# coding: klingon\n\xff", "not supported"),
        (b"# coding: base64\n\xff", "not supported"),
        (b"\x7fELF\x00\x01", "binary"),
        (b"\x01\x02\x03\x04", "binary"),
        ("text".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        (codecs.BOM_UTF16_LE + b"a", "not valid UTF-16"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8", "not valid UTF-16"),
        (codecs.BOM_UTF16_LE + b"\x00\x00a\x00", "binary"),
        (codecs.BOM_UTF8 + b"\xff", "not valid UTF-8"),
        (b"a\nb\xff", "line 2"),
    ],
)
def test_what_is_no_text_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(NotTextError, match=reason):
        decode(data)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("a → b", "cp1252"),
        ("ã", "cp932"),
        ("¥", "shift_jis"),  # Python would write a backslash
        ("\ud800", "utf-8"),
        ("\ufeffx", "utf-8"),
    ],
)
def test_a_character_that_the_encoding_has_not_is_an_error_and_never_a_question_mark(text: str, codec: str) -> None:
    with pytest.raises(UnencodableError):
        encode(text, codec, has_bom=False)


def test_an_unencodable_character_is_named_with_its_line() -> None:
    with pytest.raises(UnencodableError, match=r"“→” \(U\+2192, line 2\) does not exist in cp1252"):
        encode("a\n→", "cp1252", has_bom=False)


def test_japanese_inserted_into_shift_jis_leaves_one_encoding() -> None:
    """Report 10."""
    text, encoding, has_bom = decode(JAPANESE.encode("cp932"))

    written = encode(text.replace("int x", "整数 x"), encoding, has_bom)

    assert JAPANESE.replace("int x", "整数 x") == written.decode("cp932")


def test_utf_16_with_crlf_stays_so() -> None:
    """Report 11."""
    data = codecs.BOM_UTF16_LE + "one\r\ntwo\r\n".encode("utf-16-le")
    text, encoding, has_bom = decode(data)

    written = encode(text.replace("two", "2"), encoding, has_bom)

    assert codecs.BOM_UTF16_LE + "one\r\n2\r\n".encode("utf-16-le") == written


def test_the_digest_of_a_binary_file_is_that_of_its_bytes() -> None:
    assert bytes_digest(b"a") != bytes_digest(b"b")
