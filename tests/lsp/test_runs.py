"""Runs through the face: results, progress, questions, cancellation, failures (PROTOCOL §2, §3)."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steersman.agent.errors import UnavailableError
from steersman.agent.model import Usage
from steersman.models.scripted import AtGate, call, reply
from support.face import NEOVIM, Face, progress_of
from support.lsp_client import FakeClient, LspError

Make = Callable[..., Face]

WRITE = call("write_file", {"path": "new.txt", "content": "hello\n"})
SLOW = ("I am ", AtGate("mid"), "done.")


async def test_a_run_answers_its_result(make_face: Make) -> None:
    face = make_face(reply(WRITE, usage=Usage(input_tokens=5, output_tokens=2)), reply("Written."))
    await face.initialize()
    face.answer_with("Allow once")
    result = await face.run(mode="ask")
    assert result["stopReason"] == "complete"
    assert result["answer"] == "Written."
    assert result["turns"] == 2
    assert result["toolCalls"] == {"write_file": 1}
    assert result["changes"] == [
        {"uri": (face.folder / "new.txt").as_uri(), "kind": "create", "added": 1, "removed": 0, "saved": True}
    ]
    assert result["undelivered"] == []
    assert (face.folder / "new.txt").read_text() == "hello\n"


async def test_a_rejected_change_is_not_made_and_the_model_is_told(make_face: Make) -> None:
    face = make_face(reply(WRITE), reply("Then not."))
    await face.initialize()
    face.answer_with("Reject")
    result = await face.run()
    assert result["changes"] == []
    assert not (face.folder / "new.txt").exists()
    assert "the person said no" in face.model.requests[1].messages[-1].content


async def test_progress_begins_reports_and_ends_once_before_the_answer(make_face: Make) -> None:
    face = make_face(reply(WRITE), reply("Written."))
    await face.initialize()
    face.answer_with("Allow once")
    await face.client.command("steersman.run", {"prompt": "write\nit"}, workDoneToken="tok")
    shown = progress_of(face.client)
    assert shown[0] == ("tok", "begin", "write it")
    assert [kind for _, kind, _ in shown].count("begin") == 1
    assert [kind for _, kind, _ in shown].count("end") == 1
    assert shown[-1] == ("tok", "end", "complete · 2 turns · 1 file changed")
    assert any((message or "").startswith("turn 1/") for _, kind, message in shown if kind == "report")
    answer = next(
        n for n, message in enumerate(face.client.received) if "result" in message and "turns" in str(message)
    )
    end = max(n for n, message in enumerate(face.client.received) if message.get("method") == "$/progress")
    assert end < answer


async def test_without_a_token_the_server_makes_one(make_face: Make) -> None:
    face = make_face(reply("Hello."))
    await face.initialize()
    result = await face.run()
    (created,) = face.client.of("window/workDoneProgress/create")
    assert created == {"token": f"steersman/{result['runId']}"}
    assert {token for token, _, _ in progress_of(face.client)} <= {created["token"]}


@pytest.mark.parametrize("way", ["request", "progress", "command by run", "command by session", "command all"])
async def test_every_way_to_stop_has_one_effect(make_face: Make, way: str) -> None:
    """The request is answered with what was done, never as an error."""
    face = make_face(reply(*SLOW))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"}, workDoneToken="tok")
    await face.model.gates["mid"].wait_reached()
    (run,) = (await face.client.command("steersman.status"))["runs"]
    if way == "request":
        face.client.cancel(running)
    elif way == "progress":
        face.client.notify("window/workDoneProgress/cancel", {"token": "tok"})
    else:
        arguments = {"command by run": {"runId": run["runId"]}, "command by session": {"sessionId": run["sessionId"]}}
        answer = await face.client.command("steersman.cancel", arguments.get(way, {}))
        assert answer == {"cancelled": [run["runId"]]}
    result = await running.answer
    assert (result["stopReason"], result["answer"]) == ("aborted", "")
    assert progress_of(face.client)[-1] == ("tok", "end", "stopped · 0 turns")
    messages = (await face.client.command("steersman.sessions.get", {"sessionId": run["sessionId"]}))["messages"]
    assert [message["role"] for message in messages] == ["user"]


async def test_a_cancel_that_comes_with_the_request_still_answers_a_result(make_face: Make) -> None:
    face = make_face(reply("never"))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    face.client.cancel(running)
    assert (await running.answer)["stopReason"] == "aborted"


async def test_a_cancel_while_the_question_is_open_withdraws_it_and_starts_nothing(make_face: Make) -> None:
    face = make_face(reply(WRITE), reply("never"))
    await face.initialize()
    asked: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    face.client.on("window/showMessageRequest", lambda _: asked)
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.client.wait_for_message("window/showMessageRequest")
    face.client.cancel(running)
    result = await running.answer
    assert (result["stopReason"], result["changes"]) == ("aborted", [])
    question = next(message for message in face.client.received if message.get("method") == "window/showMessageRequest")
    assert face.client.of("$/cancelRequest") == [{"id": question["id"]}]
    asked.set_result({"title": "Allow once"})  # late: discarded without a word
    await face.client.command("steersman.status")
    assert not (face.folder / "new.txt").exists()
    assert face.client.of("window/showMessage") == []


async def test_a_second_run_on_a_busy_session_is_refused(make_face: Make) -> None:
    face = make_face(reply(*SLOW))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.model.gates["mid"].wait_reached()
    (run,) = (await face.client.command("steersman.status"))["runs"]
    with pytest.raises(LspError) as caught:
        await face.run(sessionId=run["sessionId"])
    assert (caught.value.code, caught.value.data["kind"]) == (-32803, "session_busy")
    face.model.gates["mid"].open()
    assert (await running.answer)["stopReason"] == "complete"


async def test_two_runs_go_side_by_side(make_face: Make) -> None:
    face = make_face(reply("One ", AtGate("one")), reply("Two ", AtGate("two")))
    await face.initialize()
    first = face.client.start_command("steersman.run", {"prompt": "one"}, workDoneToken="a")
    await face.model.gates["one"].wait_reached()
    second = face.client.start_command("steersman.run", {"prompt": "two"}, workDoneToken="b")
    await face.model.gates["two"].wait_reached()
    assert len((await face.client.command("steersman.status"))["runs"]) == 2
    face.model.gates["two"].open()
    assert (await second.answer)["answer"] == "Two "
    face.model.gates["one"].open()
    assert (await first.answer)["answer"] == "One "
    assert [token for token, kind, _ in progress_of(face.client) if kind == "end"] == ["b", "a"]


async def test_a_session_goes_on(make_face: Make) -> None:
    face = make_face(reply("One."), reply("Two."), reply("Three."))
    await face.initialize()
    first = await face.run("one")
    second = await face.run("two", sessionId=first["sessionId"])
    third = await face.run("three", **{"continue": True})
    assert {each["sessionId"] for each in (first, second, third)} == {first["sessionId"]}
    assert [message.content for message in face.model.requests[2].messages] == ["one", "One.", "two", "Two.", "three"]


async def test_a_failed_run_tells_what_it_had_done(make_face: Make) -> None:
    failure = UnavailableError("The provider is down.", hint="Try later.")
    face = make_face(reply(WRITE, usage=Usage(input_tokens=5, output_tokens=2)), reply(failure), reply(failure))
    await face.initialize()
    face.answer_with("Allow once")
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.run", {"prompt": "do"}, workDoneToken="tok")
    error = caught.value
    assert (error.code, error.message) == (-32803, "The provider is down.")
    assert error.data["kind"] == "provider_unavailable"
    assert error.data["hint"] == "Try later."
    assert error.data["turns"] == 1
    assert error.data["usage"]["totalTokens"] == 7
    assert [change["kind"] for change in error.data["changes"]] == ["create"]
    assert error.data["sessionId"]
    assert error.data["runId"]
    assert progress_of(face.client)[-1] == ("tok", "end", "failed: The provider is down.")


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"prompt": "x", "sessionId": "none"}, "session_not_found"),
        ({"prompt": "x", "folder": "file:///elsewhere"}, "invalid_request"),
        ({"prompt": "x", "folder": "http://x"}, "invalid_request"),
        ({"prompt": "x", "model": "nobody/nothing"}, "invalid_request"),
    ],
)
async def test_a_run_that_cannot_start_says_why(make_face: Make, arguments: Any, kind: str) -> None:
    face = make_face()
    await face.initialize()
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.run", arguments)
    assert (caught.value.code, caught.value.data["kind"]) == (-32803, kind)
    assert len(caught.value.message) > 10


@pytest.mark.parametrize("arguments", [{}, {"prompt": ""}, {"prompt": "x", "promt": "y"}, {"prompt": 3}])
async def test_wrong_parameters_are_named(make_face: Make, arguments: Any) -> None:
    face = make_face()
    await face.initialize()
    with pytest.raises(LspError, match="prom") as caught:
        await face.client.command("steersman.run", arguments)
    assert caught.value.code == -32602


async def test_arguments_that_are_an_object_are_refused(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    params = {"command": "steersman.run", "arguments": {"prompt": "x"}}
    with pytest.raises(LspError, match="array") as caught:
        await face.client.request("workspace/executeCommand", params)
    assert caught.value.code == -32602


async def test_start_answers_as_soon_as_the_prompt_is_recorded(make_face: Make) -> None:
    face = make_face(reply(*SLOW))
    await face.initialize()
    started = await face.client.command("steersman.start", {"prompt": "do"})
    messages = await face.client.command("steersman.sessions.get", {"sessionId": started["sessionId"]})
    assert [message["content"] for message in messages["messages"]] == ["do"]
    waiting = face.client.start_command("steersman.wait", {"runId": started["runId"]})
    await face.model.gates["mid"].wait_reached()
    face.model.gates["mid"].open()
    result = await waiting.answer
    assert (result["runId"], result["answer"]) == (started["runId"], "I am done.")
    assert await face.client.command("steersman.wait", {"runId": started["runId"]}) == result
    ends = [message for _, kind, message in progress_of(face.client) if kind == "end"]
    assert ends == ["complete · 1 turn"]


async def test_cancelling_a_wait_ends_only_the_waiting(make_face: Make) -> None:
    face = make_face(reply(*SLOW))
    await face.initialize()
    started = await face.client.command("steersman.start", {"prompt": "do"})
    waiting = face.client.start_command("steersman.wait", {"runId": started["runId"]})
    await face.model.gates["mid"].wait_reached()
    face.client.cancel(waiting)
    with pytest.raises(LspError) as caught:
        await waiting.answer
    assert caught.value.code == -32800
    face.model.gates["mid"].open()
    assert (await face.client.command("steersman.wait", {"runId": started["runId"]}))["stopReason"] == "complete"


async def test_waiting_for_an_unknown_run_says_so(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.wait", {"runId": "none"})
    assert caught.value.data["kind"] == "run_not_found"


async def test_a_detached_run_that_fails_shows_one_error(make_face: Make) -> None:
    face = make_face(reply(AtGate("mid"), UnavailableError("The provider is down.")))
    await face.initialize()
    started = await face.client.command("steersman.start", {"prompt": "do"})
    face.model.gates["mid"].open()
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.wait", {"runId": started["runId"]})
    assert caught.value.data["kind"] == "provider_unavailable"
    errors = [params for params in face.client.of("window/showMessage") if params["type"] == 1]
    assert [params["message"] for params in errors] == ["Steersman: The provider is down."]


async def test_a_steered_text_joins_the_run(make_face: Make) -> None:
    face = make_face(reply("I am ", AtGate("mid"), "done."), reply("Shorter, then."))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.model.gates["mid"].wait_reached()
    (run,) = (await face.client.command("steersman.status"))["runs"]
    steer = {"sessionId": run["sessionId"], "text": "shorter"}
    assert await face.client.command("steersman.steer", steer) == {"queued": True}
    face.model.gates["mid"].open()
    assert (await running.answer)["answer"] == "Shorter, then."
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.steer", steer)
    assert caught.value.data["kind"] == "no_active_run"


async def test_a_client_that_cannot_ask_answers_by_command(make_face: Make) -> None:
    """Helix before 25.07: MethodNotFound; the progress says what to do."""
    face = make_face(reply(WRITE), reply("Written."))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"}, workDoneToken="tok")
    await face.client.wait_for(
        lambda: any("steersman.answer" in (message or "") for _, _, message in progress_of(face.client))
    )
    (open_one,) = (await face.client.command("steersman.approvals.list"))["approvals"]
    assert (open_one["tool"], open_one["changes"][0]["kind"]) == ("write_file", "create")
    actions = await face.client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": face.open("b.py", "")},
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
            "context": {"diagnostics": []},
        },
    )
    assert not any("Allow" in action["title"] for action in actions)
    answer = {key: open_one[key] for key in ("runId", "callId")} | {"optionId": "allow_once"}
    assert await face.client.command("steersman.answer", answer) == {"accepted": True}
    assert (await running.answer)["changes"][0]["kind"] == "create"
    assert await face.client.command("steersman.answer", answer) == {"accepted": False}
    assert await face.client.command("steersman.approvals.list") == {"approvals": []}


async def test_show_diff_opens_the_change_and_asks_again(make_face: Make) -> None:
    face = make_face(reply(WRITE), reply("Written."))
    await face.initialize()
    answers = iter(["Show diff", "Allow once"])
    face.client.on("window/showMessageRequest", lambda _: {"title": next(answers)})
    shown: list[str] = []

    def show(params: Any) -> Any:
        shown.append(Path(params["uri"].removeprefix("file://")).read_text())
        return {"success": True}

    face.client.on("window/showDocument", show)
    await face.run()
    assert "+hello" in shown[0]


async def test_a_client_with_virtual_documents_reads_the_change_from_us(make_face: Make) -> None:
    face = make_face(reply(WRITE), reply("Written."))
    capabilities = {**NEOVIM, "workspace": {**NEOVIM["workspace"], "textDocumentContent": {}}}
    await face.initialize(capabilities)
    answers = iter(["Show diff", "Reject"])
    face.client.on("window/showMessageRequest", lambda _: {"title": next(answers)})
    texts: list[str] = []

    async def show(params: Any) -> Any:
        content = await face.client.request("workspace/textDocumentContent", {"uri": params["uri"]})
        texts.append(content["text"])
        return {"success": True}

    face.client.on("window/showDocument", show)
    await face.run()
    assert "+hello" in texts[0]


async def test_events_are_sent_to_a_client_that_declares_them(make_face: Make) -> None:
    face = make_face(reply("Hel", "lo", WRITE), reply("Written."))
    await face.initialize(initializationOptions={"client": {"events": True, "approvals": True}})
    face.client.on("steersman/requestApproval", lambda params: {"optionId": "allow_once"})
    result = await face.run()
    events = [params["event"] for params in face.client.of("steersman/event")]
    types = [event["type"] for event in events]
    assert types[0] == "run_started"
    assert types[-1] == "run_ended"
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    assert "".join(event["text"] for event in events if event["type"] == "text_delta") == "HelloWritten."
    assert events[-1]["result"] == result
    assert face.client.of("window/showMessage") == []


async def test_status_is_answered_while_a_run_streams(make_face: Make) -> None:
    face = make_face(reply(*["x"] * 5000, AtGate("end")))
    await face.initialize(initializationOptions={"client": {"events": True}})
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.client.wait_for_message("steersman/event", 3)
    (run,) = (await face.client.command("steersman.status"))["runs"]
    assert run["activity"] == "answering"
    face.model.gates["end"].open()
    assert len((await running.answer)["answer"]) == 5000


async def test_a_flood_that_never_waits_starves_nobody(make_face: Make) -> None:
    """A model that streams faster than it can be read: status and cancel are heard in the middle of it."""
    face = make_face(reply("start ", AtGate("go"), *["x"] * 20_000))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.model.gates["go"].wait_reached()
    face.model.gates["go"].open()
    assert len((await face.client.command("steersman.status"))["runs"]) == 1
    face.client.cancel(running)
    assert (await running.answer)["stopReason"] == "aborted"


async def test_a_lost_client_closes_the_run(make_face: Make) -> None:
    face = make_face(reply(WRITE), reply("never"))
    await face.initialize()
    face.client.on("window/showMessageRequest", lambda _: FakeClient.NEVER)
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.client.wait_for_message("window/showMessageRequest")
    await face.server.aclose()
    assert (await running.answer)["stopReason"] == "aborted"
    assert not (face.folder / "new.txt").exists()
