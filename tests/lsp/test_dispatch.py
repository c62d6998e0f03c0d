"""Every request is answered, whatever it looks like (DESIGN §8)."""

import asyncio
import json
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter, lsp_method

from steersman.lsp.contracts import ClientError
from steersman.lsp.dispatch import Dispatch
from steersman.lsp.framing import BadFrame
from support.lsp_client import FakeClient, LspError


class Sample(Dispatch):
    """A connection with a few handlers."""

    def __init__(self) -> None:
        super().__init__(LanguageServer("sample", "1"), default_converter())
        self._stage = "running"
        self.gate = asyncio.Event()
        self.stopped = False
        self.noted: list[Any] = []

    @lsp_method("test/echo")
    def echo(self, params: Any) -> Any:
        return params

    @lsp_method("test/crash")
    async def crash(self, params: Any) -> Any:
        raise RuntimeError("the secret is 1234")

    @lsp_method("test/no-json")
    def no_json(self, params: Any) -> Any:
        return {"a": float("nan")}

    @lsp_method("test/wait")
    async def wait(self, params: Any) -> str:
        await self.gate.wait()
        return "waited"

    @lsp_method("test/stop")
    def stop(self, params: Any) -> Any:
        def stop() -> None:
            self.stopped = True
            self.gate.set()

        assert self._current is not None
        self._current.on_cancel(stop)
        return self.wait(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self.noted.append(params.text_document.text)

    @lsp_method(types.TEXT_DOCUMENT_CODE_LENS)
    def code_lens(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        where = types.Range(types.Position(1, 2), types.Position(1, 2))
        return [types.CodeLens(where, types.Command(params.text_document.uri, "c"))]


@pytest.fixture
async def server() -> Sample:
    return Sample()


@pytest.fixture
async def client(server: Sample) -> FakeClient:
    client = FakeClient()
    client.connect(server)
    return client


async def error_of(client: FakeClient, method: str, params: Any = None) -> LspError:
    with pytest.raises(LspError) as caught:
        await client.request(method, params)
    return caught.value


async def test_a_nested_jsonrpc_key_breaks_nothing(client: FakeClient) -> None:
    params = {"jsonrpc": "2.0", "method": "exit", "inner": {"jsonrpc": "2.0", "id": 1, "result": 3}}
    assert await client.request("test/echo", params) == params


async def test_typed_params_and_results_are_converted(client: FakeClient) -> None:
    (lens,) = await client.request("textDocument/codeLens", {"textDocument": {"uri": "file:///a"}})
    assert lens["command"]["title"] == "file:///a"


async def test_an_unknown_method_is_method_not_found(client: FakeClient) -> None:
    assert (await error_of(client, "test/unknown")).code == -32601


async def test_params_that_do_not_fit_are_answered_with_what_is_wrong(client: FakeClient) -> None:
    error = await error_of(client, "textDocument/codeLens", {"textDocument": {}})
    assert error.code == -32602
    assert "params.text_document" in error.message.replace("textDocument.", "text_document.") or "uri" in error.message


async def test_a_crash_is_an_internal_error_that_gives_nothing_away(
    client: FakeClient, caplog: pytest.LogCaptureFixture
) -> None:
    error = await error_of(client, "test/crash")
    assert error.code == -32603
    assert "1234" not in f"{error.message} {error.data}"
    assert "the secret is 1234" in caplog.text


async def test_a_result_that_is_no_json_is_an_internal_error(client: FakeClient) -> None:
    assert (await error_of(client, "test/no-json")).code == -32603


async def test_a_cancelled_request_is_answered_as_cancelled(client: FakeClient) -> None:
    pending = client.start("test/wait")
    client.cancel(pending)
    with pytest.raises(LspError) as caught:
        await pending.answer
    assert caught.value.code == -32800


async def test_a_request_may_finish_in_its_own_way_when_cancelled(server: Sample, client: FakeClient) -> None:
    pending = client.start("test/stop")
    client.cancel(pending)
    assert await pending.answer == "waited"
    assert server.stopped


async def test_cancelling_what_is_not_there_does_nothing(client: FakeClient) -> None:
    for params in (None, [], {}, {"id": None}, {"id": 99}, {"id": {}}, {"id": True}):
        client.notify("$/cancelRequest", params)
    assert await client.request("test/echo", {"still": "there"}) == {"still": "there"}


async def test_an_id_that_is_still_at_work_is_not_taken_twice(server: Sample, client: FakeClient) -> None:
    pending = client.start("test/wait")
    client.send({"jsonrpc": "2.0", "id": pending.id, "method": "test/echo", "params": {}})
    with pytest.raises(LspError, match="still at work"):
        await pending.answer


async def test_malformed_messages_are_answered_and_the_connection_goes_on(client: FakeClient) -> None:
    for body in (b"{", b"[]", b'{"jsonrpc":"2.0","id":7}', b'{"jsonrpc":"2.0","id":8,"method":"test/echo","params":5}'):
        client.send_bytes(body)
    await client.wait_for(lambda: len(client.received) == 4)
    answers = [(message["id"], message["error"]["code"]) for message in client.received]
    assert answers == [(None, -32700), (None, -32600), (7, -32600), (8, -32602)]
    assert await client.request("test/echo", [1]) == [1]


async def test_a_message_with_bad_headers_is_answered_with_its_id(server: Sample, client: FakeClient) -> None:
    server.receive(BadFrame("odd header", b'{"jsonrpc":"2.0","id":5,"method":"test/echo"}'))
    server.receive(BadFrame("no Content-Length"))
    await client.wait_for(lambda: len(client.received) == 2)
    assert [(message["id"], message["error"]["code"]) for message in client.received] == [(5, -32600), (None, -32600)]


async def test_odd_notifications_are_not_answered(server: Sample, client: FakeClient) -> None:
    for method, params in (
        ("textDocument/didOpen", {}),
        ("textDocument/didOpen", [1]),
        ("unknown/notification", {}),
        ("$/unknown", None),
        ("notebookDocument/didOpen", {}),
    ):
        client.notify(method, params)
    document = {"uri": "file:///a", "languageId": "x", "version": 1, "text": "t"}
    client.notify("textDocument/didOpen", {"textDocument": document})
    assert await client.request("test/echo", {}) == {}
    assert server.noted == ["t"]
    assert len(client.received) == 1


async def test_requests_of_ours_are_answered_in_the_types_of_the_lsp(server: Sample, client: FakeClient) -> None:
    client.on("workspace/applyEdit", lambda _: {"applied": True})
    edit = types.ApplyWorkspaceEditParams(types.WorkspaceEdit(), label="l")
    result = await server.request("workspace/applyEdit", edit)
    assert result == types.ApplyWorkspaceEditResult(applied=True)
    assert client.of("workspace/applyEdit") == [{"edit": {}, "label": "l"}]


async def test_null_is_an_answer_to_a_request_of_ours(server: Sample, client: FakeClient) -> None:
    """Also to one whose type knows no null: pygls would never resolve it."""
    client.on("workspace/applyEdit", lambda _: None)
    client.on("window/showMessageRequest", lambda _: None)
    assert await server.request("workspace/applyEdit", {"edit": {}}) is None
    assert await server.request("window/showMessageRequest", {"type": 3, "message": "m"}) is None


async def test_an_answer_that_leaves_its_null_out_is_null(server: Sample, client: FakeClient) -> None:
    client.on("steersman/any", lambda _: FakeClient.NEVER)
    waiting = asyncio.create_task(server.request("steersman/any", {}))
    await client.wait_for_message("steersman/any")
    client.send({"jsonrpc": "2.0", "id": client.received[-1]["id"]})
    assert await waiting is None


async def test_an_answer_of_the_wrong_shape_is_a_client_error(server: Sample, client: FakeClient) -> None:
    client.on("workspace/applyEdit", lambda _: "yes")
    with pytest.raises(ClientError, match="makes no sense"):
        await server.request("workspace/applyEdit", {"edit": {}})


async def test_a_method_of_ours_is_answered_in_json(server: Sample, client: FakeClient) -> None:
    client.on("steersman/requestApproval", lambda params: {"optionId": params["options"][0]})
    assert await server.request("steersman/requestApproval", {"options": ["a"]}) == {"optionId": "a"}


async def test_messages_are_not_logged_whole(client: FakeClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await client.request("test/echo", {"text": "very private"})
    assert "very private" not in caplog.text


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["id", "jsonrpc", "method", "params", "x"]), inner, max_size=4)
        ),
        max_leaves=6,
    )
)
def test_any_params_of_any_request_are_answered(params: Any) -> None:
    async def ask() -> None:
        client = FakeClient()
        client.connect(Sample())
        for method in ("test/echo", "textDocument/codeLens", "workspace/executeCommand", "initialize"):
            client.send_bytes(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).encode())
        await client.wait_for(lambda: len(client.received) == 4)

    asyncio.run(ask())
