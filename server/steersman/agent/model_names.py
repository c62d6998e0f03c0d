"""What a model is called: ``provider/model``. Must never know which providers there are."""

from __future__ import annotations

from steersman.agent.errors import InvalidRequestError


def split_model(model_name: str) -> tuple[str, str]:
    """Split ``provider/model``; the model's part may hold slashes itself.

    Raises:
        InvalidRequestError: one of the two is missing.
    """
    provider, slash, model = model_name.strip().partition("/")
    if not slash or not provider or not model.strip():
        raise InvalidRequestError(
            f"“{model_name}” is not a model's name.", hint="Write provider/model, such as ollama/qwen3 or demo/rules."
        )
    return provider, model.strip()
