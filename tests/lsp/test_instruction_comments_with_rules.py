"""An instruction comment, done by the built-in rules from the lens above it to the last byte (PROTOCOL §4)."""

from pathlib import Path

import pytest
from lsprotocol import types

from support.editor import Editor, editor, plain

GREET = 'def greet():\n    return "Hello"\n'
ASKS = '# steersman: replace "Hello" with "Good day"'
ASKED_ANSWER = GREET.replace("Hello", "Good day")


async def do_comment(ed: Editor, name: str) -> dict[str, object]:
    """Press the lens above the document's instruction comment; the code action has the same argument."""
    params = types.CodeLensParams(types.TextDocumentIdentifier(ed.uri(name)))
    (lens,) = await ed.client.text_document_code_lens_async(params) or []
    assert lens.command is not None
    (argument,) = lens.command.arguments or []
    return await ed.command("steersman.run", {**plain(argument), "model": "demo/rules"})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{ASKS} in greet.py\n{GREET}", ASKED_ANSWER),
        (f"{ASKS}\n{GREET}", ASKED_ANSWER),
        (f"{GREET}\n    {ASKS} in greet.py\nx = 1\n", f"{ASKED_ANSWER}\nx = 1\n"),
        (f"{GREET}x = 1  {ASKS} in greet.py\ny = 2\n", f"{ASKED_ANSWER}x = 1  \ny = 2\n"),
        (f"{GREET}{ASKS} in greet.py", ASKED_ANSWER),
        (f'# steersman: replace "Hello"\n# with "Good day" in greet.py\n{GREET}', ASKED_ANSWER),
        (f"{ASKS} in greet.py\n{GREET}".replace("\n", "\r\n"), ASKED_ANSWER.replace("\n", "\r\n")),
    ],
    ids=["above", "no file named", "indented", "behind code", "last line", "two lines", "crlf"],
)
async def test_what_the_comment_asks_is_done_where_it_is_meant_and_the_comment_goes(
    tmp_path: Path, before: str, after: str
) -> None:
    async with editor(tmp_path, []) as ed:
        ed.open("greet.py", before)
        result = await do_comment(ed, "greet.py")
        assert ed.text("greet.py") == after, result["answer"]


async def test_another_file_that_the_comment_names_is_the_one_that_is_changed(tmp_path: Path) -> None:
    async with editor(tmp_path, []) as ed:
        ed.open("notes.py", f"{ASKS} in greet.py\nHello = 1\n")
        ed.open("greet.py", GREET)
        result = await do_comment(ed, "notes.py")
        assert ed.text("greet.py") == ASKED_ANSWER, result["answer"]
        assert ed.text("notes.py") == "Hello = 1\n"
        assert "1. remove the instruction comment:\nEdited notes.py" in str(result["answer"])
