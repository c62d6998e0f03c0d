"""The rule-based model: no network, no chance, no understanding, and the same answer every time (DESIGN M1, M7).

Under ``models/demo`` (in process) and ``mock_llm`` (over HTTP). Pure: must never do I/O, read a clock or keep state;
everything it knows comes with the request.

How it comes to a reply: ``task`` reads the conversation as tasks, ``steps`` splits the task, ``choice`` finds the tool
for a step by word overlap, ``fill`` its arguments by the tool's JSON schema, ``mood`` and ``certainty`` let a call that
changes something pass only where the step plainly tells to make it, ``progress`` tells which steps are done,
``telling`` words the answer, and ``model`` puts it together.
"""

from __future__ import annotations

from steersman.rules.model import Reply, next_reply
from steersman.rules.progress import Variant

__all__ = ["Reply", "Variant", "next_reply"]
