"""What a wire format sends, as an object."""

from __future__ import annotations

import json
from typing import Any

from steersman.agent.model import ModelRequest
from steersman.models.bodies import RequestBodies
from steersman.models.wire_format import WireFormat


def body_of(wire: WireFormat, request: ModelRequest) -> dict[str, Any]:
    """Return the body of a request that continues no other."""
    body: dict[str, Any] = json.loads(RequestBodies(wire).encode(request))
    return body
