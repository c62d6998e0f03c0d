"""No byte is lost between a file and its text, whatever is edited (DESIGN W3)."""

import codecs

from hypothesis import assume, given
from hypothesis import strategies as st

from steersman_tools.kit.text import UnencodableError, decode, encode
from steersman_tools.kit.workspace import NotTextError
from support.texts import texts

_BOMS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}
unicode_files = st.one_of(st.just(("utf-8", False)), st.sampled_from([(codec, True) for codec in _BOMS]))
legacy_files = st.sampled_from(
    ["cp932", "euc_jp", "gb18030", "cp950", "cp949", "cp1251", "koi8_r", "cp1252", "iso8859-2"]
)


@given(st.binary(max_size=400))
def test_whatever_is_accepted_is_written_back_byte_for_byte(data: bytes) -> None:
    try:
        decoded = decode(data)
    except NotTextError:
        return

    assert encode(*decoded) == data


@given(st.sampled_from(sorted(_BOMS.values())), st.binary(max_size=200))
def test_the_same_behind_any_byte_order_mark(mark: bytes, rest: bytes) -> None:
    try:
        decoded = decode(mark + rest)
    except NotTextError:
        return

    assert encode(*decoded) == mark + rest


@given(legacy_files, st.lists(st.binary(min_size=1, max_size=2), max_size=80))
def test_the_same_for_texts_in_any_legacy_encoding(codec: str, characters: list[bytes]) -> None:
    """Refused, or read right; never read as another encoding's characters."""
    text = b"".join(characters).decode(codec, "ignore")
    written = text.encode(codec, "ignore")
    try:
        decoded = decode(written)
    except NotTextError:
        return

    assert encode(*decoded) == written
    assert decoded.encoding in {"utf-8", codec} or decoded.has_bom


@given(texts(), texts(), texts(), texts(), unicode_files)
def test_an_edit_changes_the_edited_bytes_only(
    before: str, old: str, new: str, after: str, file: tuple[str, bool]
) -> None:
    encoding, has_bom = file
    assume(not (before + old + after).startswith("\ufeff") and not (before + new + after).startswith("\ufeff"))
    mark = _BOMS[encoding] if has_bom else b""
    data = mark + (before + old + after).encode(encoding)
    try:
        decoded = decode(data)
    except NotTextError:  # control characters make it binary
        return

    written = encode(before + new + after, decoded.encoding, decoded.has_bom)

    assert decoded.text == before + old + after
    assert written.startswith(mark + before.encode(encoding))
    assert written.endswith(after.encode(encoding))
    assert written == mark + (before + new + after).encode(encoding)


@given(st.text(max_size=60), legacy_files)
def test_what_is_written_is_read_again_as_the_same_text_or_refused(text: str, codec: str) -> None:
    try:
        data = encode(text, codec, has_bom=False)
    except UnencodableError:
        return

    assert data.decode(codec) == text
