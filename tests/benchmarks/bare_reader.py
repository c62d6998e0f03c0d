"""The floors of streaming and of the loop: httpx, JSON and nothing else. A program of its own; prints what it took.

``stream``: one request, its deltas joined. ``loop``: as many turns as the model wants, the whole history serialised
each time, no session, no tool, no event: what any loop must at least do.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import httpx

TOOLS = [{"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}]
RESULT = "".join(f"line {number}\n" for number in range(8))


async def read(client: httpx.AsyncClient, url: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Send one request; return the assistant message put together from its stream."""
    texts: list[str] = []
    calls: list[Any] = []
    async with client.stream("POST", url, json={"messages": messages, "tools": TOOLS, "stream": True}) as response:
        async for line in response.aiter_lines():
            if not line.startswith("data: ") or line == "data: [DONE]":
                continue
            for choice in json.loads(line[6:])["choices"]:
                texts.append(choice["delta"].get("content") or "")
                calls += choice["delta"].get("tool_calls") or []
    return {"role": "assistant", "content": "".join(texts), "tool_calls": calls}


async def main(kind: str, base_url: str) -> None:
    """Do it, and print CPU seconds, wall seconds and characters."""
    url = f"{base_url}/chat/completions"
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Do it."}]
    async with httpx.AsyncClient(trust_env=False, timeout=None) as client:
        began, used = time.perf_counter(), time.process_time()
        while True:
            answer = await read(client, url, messages)
            messages.append(answer)
            if kind == "stream" or not answer["tool_calls"]:
                break
            results = [{"role": "tool", "tool_call_id": call["id"], "content": RESULT} for call in answer["tool_calls"]]
            messages += results
        took = time.process_time() - used, time.perf_counter() - began
    print(json.dumps({"cpu": took[0], "wall": took[1], "chars": len(messages[-1]["content"])}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
