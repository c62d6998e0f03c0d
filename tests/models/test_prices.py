"""What a model costs and holds, as far as anybody knows (DESIGN L13)."""

import pytest

from steersman.agent.model import Usage
from steersman.models.builtin_providers import builtin_provider
from steersman.models.price_table import AS_OF, TABLE
from steersman.models.prices import cost_usd, known_facts
from steersman.models.provider_config import Price, ProviderConfig

PRICE = Price(input=1, output=10, cached_input=0.1, cache_write=1.25)


def test_each_kind_of_token_has_its_price():
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=600_000, cache_write_tokens=100_000, output_tokens=50_000)
    assert cost_usd(usage, PRICE) == pytest.approx(0.3 * 1 + 0.6 * 0.1 + 0.1 * 1.25 + 0.05 * 10)


def test_without_a_price_of_their_own_cached_tokens_cost_like_others():
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=600_000, cache_write_tokens=100_000)
    assert cost_usd(usage, Price(input=1, output=10)) == pytest.approx(1.0)


def test_more_cached_than_there_is_costs_nothing_less():
    assert cost_usd(Usage(input_tokens=10, cached_input_tokens=20), Price(input=1, output=1)) >= 0


@pytest.mark.parametrize("name", ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-latest"])
def test_a_date_behind_the_name_changes_nothing(name: str):
    facts = known_facts(f"anthropic/{name}", {}, {})
    assert facts.price == Price(input=3, output=15, cached_input=0.3, cache_write=3.75)
    assert (facts.context_window, facts.price_source) == (200_000, f"table of {AS_OF}")


@pytest.mark.parametrize("name", ["gpt-5-mini", "gpt-5-pro", "gpt-5-mini-2025-08-07"])
def test_a_longer_name_is_another_model(name: str):
    assert known_facts(f"openai/{name}", {}, {}).price != known_facts("openai/gpt-5", {}, {}).price


@pytest.mark.parametrize("model", ["openai/gpt-99", "openrouter/some/model", "mine/m"])
def test_an_unknown_price_is_none_and_not_zero(model: str):
    configs = {"mine": ProviderConfig(base_url="https://h.test/v1")}
    assert known_facts(model, configs, {}).price is None


def test_a_known_name_at_somebody_elses_address_proves_nothing():
    assert known_facts("openai/gpt-5", {}, {"OPENAI_BASE_URL": "https://proxy.test/v1"}).price is None


def test_azure_sells_openais_models():
    environ = {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}
    assert known_facts("azure/gpt-5", {}, environ).price == known_facts("openai/gpt-5", {}, {}).price


@pytest.mark.parametrize("model", ["ollama/qwen3:4b", "llamacpp/m", "openai/gpt-5", "demo/rules"])
def test_this_machine_costs_nothing(model: str):
    facts = known_facts(model, {}, {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert facts.price == Price(input=0, output=0)
    assert facts.price_source == "this machine"


def test_the_users_price_wins_even_for_this_machine():
    configs = {"ollama": ProviderConfig(prices={"m": PRICE}), "openai": ProviderConfig(prices={"*": PRICE})}
    for model in ("ollama/m", "openai/gpt-5"):
        facts = known_facts(model, configs, {})
        assert (facts.price, facts.price_source) == (PRICE, "configuration")


def test_the_users_window_wins():
    configs = {"openai": ProviderConfig(context_windows={"*": 1000, "gpt-5": 2000})}
    assert known_facts("openai/gpt-5", configs, {}).context_window == 2000
    assert known_facts("openai/gpt-4o", configs, {}).context_window == 1000


def test_every_line_of_the_table_can_be_read():
    for line in TABLE.strip().split("\n"):
        provider, name = line.split()[:2]
        assert builtin_provider(provider) is not None
        facts = known_facts(f"{provider}/{name}", {}, {})
        assert facts.price is not None
        assert facts.price.output >= facts.price.input > 0
        assert (facts.context_window or 0) >= 100_000


def test_no_model_is_in_the_table_twice():
    names = [tuple(line.split()[:2]) for line in TABLE.strip().split("\n")]
    assert len(set(names)) == len(names)
