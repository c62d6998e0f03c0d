"""Run a folder of recorded event streams through the wire formats, by hand.

Not part of the suite: the folder is somebody's own, with what each recording must become. It holds
``wpt_eventsource.json`` (``name``, ``body_hex``, ``events``) and ``openai_chat.jsonl``, ``openai_responses.jsonl``,
``anthropic.jsonl`` (``name``, ``body``, and where known ``expected`` with text, reasoning, tool_calls, finish)::

    STEERSMAN_CASES=/path/to/sse python tests/models/check_cases.py
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from steersman.models.json_values import parse_json
from steersman.models.sse import SseDecoder
from support.replies import Kind, Reply, event_cuts, read_body, single_bytes, with_line_ends

COUNTS: Counter[str] = Counter()
FAILURES: list[str] = []
_FINISH = {None: "stop", "end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "stop_sequence": "stop"}


def check(what: str, name: str, holds: bool, detail: object = "") -> None:
    COUNTS[what] += 1
    if not holds:
        COUNTS[f"{what} FAILED"] += 1
        FAILURES.append(f"{what}: {name} {str(detail)[:600]}")


def plain(reply: Reply) -> dict[str, object]:
    calls = [(call.id, call.name, parse_json(call.arguments)) for call in reply.calls]
    return {"text": reply.text, "reasoning": reply.reasoning, "calls": calls, "finish": reply.finish}


def wanted(expected: dict) -> dict[str, object]:
    calls = []
    for call in expected["tool_calls"]:
        arguments = call["arguments"]
        calls.append(
            (call["id"], call["name"], parse_json(arguments or "{}") if isinstance(arguments, str) else arguments)
        )
    finish = _FINISH.get(expected["finish"], expected["finish"])
    return {"text": expected["text"], "reasoning": expected["reasoning"], "calls": calls, "finish": finish}


def check_platform(folder: Path) -> None:
    for case in json.loads((folder / "wpt_eventsource.json").read_text(encoding="utf-8")):
        body = bytes.fromhex(case["body_hex"])
        splits = [[body], single_bytes(body), *([body[:at], body[at:]] for at in range(1, len(body)))]
        for pieces in splits:
            decoder = SseDecoder()
            events = [event.data for piece in pieces for event in decoder.feed(piece)]
            check("web platform", case["name"], events == case["events"], events)


async def check_recording(kind: Kind, case: dict) -> None:
    body = case["body"].encode()
    whole = await read_body(kind, [body])
    if "expected" in case:
        check(
            f"{kind} expected",
            case["name"],
            whole.error is None and plain(whole) == wanted(case["expected"]),
            plain(whole),
        )
    else:
        said = bool(whole.text or whole.calls or whole.reasoning) or "tool_search_call" in case["body"]
        check(f"{kind} parses", case["name"], whole.error is None and said, whole.error)
        for word in (*whole.text.split(), *(call.name for call in whole.calls)):
            spelled = (json.dumps(word, ensure_ascii=False)[1:-1], json.dumps(word)[1:-1])
            check(f"{kind} plausible", case["name"], any(form in case["body"] for form in spelled), word)
    for ending in (b"\n", b"\r\n", b"\r"):
        if b"\r" in body:
            break
        again = with_line_ends(body, ending)
        for pieces in ([again], single_bytes(again)):
            check(f"{kind} re-split", case["name"], await read_body(kind, pieces) == whole)
    for cut in event_cuts(body):
        part = await read_body(kind, [cut])
        same = (part.text, part.calls) == (whole.text, whole.calls)
        check(
            f"{kind} cut",
            case["name"],
            (part.failure is None and same) or (part.failure is not None and not part.calls),
            cut[-200:],
        )


async def main() -> int:
    folder = Path(os.environ["STEERSMAN_CASES"])
    check_platform(folder)
    kinds: tuple[Kind, ...] = ("openai_chat", "anthropic", "openai_responses")
    for kind in kinds:
        for line in (folder / f"{kind}.jsonl").read_text(encoding="utf-8").split("\n"):
            if not line.strip():
                continue
            await check_recording(kind, json.loads(line))
    for what, count in sorted(COUNTS.items()):
        print(f"{count:6} {what}")
    print("\n".join(FAILURES[:40]))
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
