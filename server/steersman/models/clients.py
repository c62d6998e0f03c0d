"""From a model's name to a client (DESIGN M1). Imports a wire format, and HTTP, only when a client is made."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.agent.errors import InvalidRequestError
from steersman.agent.model import ModelClient
from steersman.agent.model_names import split_model
from steersman.models.endpoint import Endpoint
from steersman.models.provider_config import ProviderConfig
from steersman.models.providers import make_endpoint, resolve_provider


def make_client(
    model_name: str,
    configs: Mapping[str, ProviderConfig],
    environ: Mapping[str, str],
    *,
    demo_notice: str = "",
) -> ModelClient:
    """Make the client of one model, with retries; nothing is sent and no program is started yet.

    It may have ``aclose()``, which ``retry.close_client`` calls.

    Args:
        model_name: ``provider/model``.
        configs: what the user configured, by provider name (``read_providers``).
        environ: the environment, for keys and addresses.
        demo_notice: what ``demo/rules`` adds to its first answer (``offer.first_notice``).

    Raises:
        InvalidRequestError: the name or the configuration makes no sense.
        AuthenticationError: a key is wanted and there is none; says what to set.
    """
    name, model = split_model(model_name)
    if name == "demo":
        return _demo_client(model, demo_notice)
    provider = resolve_provider(name, configs, environ)
    endpoint = make_endpoint(provider, model, environ)
    from steersman.models.http_client import HttpModelClient  # noqa: PLC0415  # these load what HTTP needs
    from steersman.models.retry import RetryingClient  # noqa: PLC0415
    from steersman.models.wires import make_wire  # noqa: PLC0415

    async def near_names(asked: Endpoint) -> list[str]:
        from steersman.models.catalog import suggest_names  # noqa: PLC0415  # only for a name that is not known

        return await suggest_names(provider, asked)

    return RetryingClient(HttpModelClient(endpoint, make_wire(provider, model), near_names=near_names))


def _demo_client(model: str, notice: str) -> ModelClient:
    if model != "rules":
        raise InvalidRequestError(f"There is no model “demo/{model}”.", hint="The built-in one is demo/rules.")
    from steersman.models.demo import DemoClient  # noqa: PLC0415  # only when it is used

    return DemoClient(notice=notice)
