"""One run: a session, the loop, the policy and the events put together; at most one active run a session.

Knows neither the wire nor any editor: what it needs of them comes in ``RunParts``.
"""

from steersman.runs.parts import RunParts
from steersman.runs.registry import RunRegistry
from steersman.runs.report import RunFailedError, RunReport
from steersman.runs.request import RunLimits, RunRequest
from steersman.runs.run import Run

__all__ = ["Run", "RunFailedError", "RunLimits", "RunParts", "RunRegistry", "RunReport", "RunRequest"]
