"""Texts of ours in the editor: virtual where the client can, files of the state folder otherwise."""

import stat
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from lsprotocol import types

from steersman.lsp.contracts import ClientError, ClientFacts
from steersman.lsp.shown_documents import KEPT, ShownDocuments


class Client:
    def __init__(self, *, can_show: bool = True, virtual: bool = False, success: Any = True) -> None:
        self.facts = ClientFacts(show_document=can_show, text_document_content=virtual)
        self.success = success
        self.uris: list[str] = []

    async def request(self, method: str, params: Any, *, timeout_s: float | None = None) -> Any:
        assert method == "window/showDocument"
        self.uris.append(params["uri"])
        if isinstance(self.success, Exception):
            raise self.success
        return None if self.success is None else types.ShowDocumentResult(self.success)


def path_of(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))


async def test_a_client_with_virtual_documents_gets_one(tmp_path: Path) -> None:
    client = Client(virtual=True)
    documents = ShownDocuments(client, tmp_path / "shown")
    assert await documents.show("a b.diff", "text")
    assert client.uris == ["steersman:/1/a%20b.diff"]
    assert documents.text(client.uris[0]) == "text"
    assert documents.text("steersman:/2/other") is None
    assert not (tmp_path / "shown").exists()


async def test_any_other_client_gets_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    client = Client()
    documents = ShownDocuments(client, tmp_path / "state" / "shown")
    assert await documents.show("../../evil name.diff", "ö\r\n")
    path = path_of(client.uris[0])
    assert path.parent == tmp_path / "state" / "shown"
    assert path.read_bytes() == "ö\r\n".encode()
    assert path.name.endswith("evil_name.diff")
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("success", [False, None, ClientError("no")])
async def test_a_client_that_does_not_open_it_is_known(tmp_path: Path, success: Any) -> None:
    assert not await ShownDocuments(Client(success=success), tmp_path).show("a.md", "text")


async def test_a_client_that_shows_no_documents_is_not_asked(tmp_path: Path) -> None:
    client = Client(can_show=False)
    documents = ShownDocuments(client, tmp_path)
    assert not documents.can_show
    assert not await documents.show("a.md", "text")
    assert client.uris == []


async def test_a_state_folder_that_cannot_be_written_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert not await ShownDocuments(Client(), tmp_path / "file").show("a.md", "text")


async def test_only_so_many_are_kept(tmp_path: Path) -> None:
    client = Client(virtual=True)
    documents = ShownDocuments(client, tmp_path)
    files = ShownDocuments(Client(), tmp_path)
    for n in range(KEPT + 5):
        await documents.show("a.md", str(n))
        await files.show("a.md", str(n))
    assert documents.text(client.uris[4]) is None
    assert documents.text(client.uris[5]) == "5"
    assert len(list(tmp_path.iterdir())) <= KEPT + 1
