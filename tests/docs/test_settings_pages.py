"""docs/configuration.md and docs/models.md name every setting, variable and provider, and their examples work."""

import dataclasses
import json
import re
import tomllib

import pytest

from steersman.agent.model_names import split_model
from steersman.lsp.options import read_options
from steersman.models.builtin_providers import BUILTIN_PROVIDERS
from steersman.models.prices import known_facts
from steersman.models.provider_config import Price, ProviderConfig
from steersman.models.provider_reading import read_providers
from steersman.models.providers import resolve_provider
from steersman.permissions.modes import Mode
from steersman.permissions.rule import Rule, check_rules
from steersman.setting_parts import ClientPart, LimitsPart, SettingsPart
from steersman.settings import (
    Settings,
    Source,
    Tightening,
    combine,
    parse_part,
    tightening_of,
)
from support.documents import ROOT, code_words, pages, read_page

CONFIGURATION = read_page(ROOT / "docs" / "configuration.md")
MODELS = read_page(ROOT / "docs" / "models.md")
SETTINGS = {code_words(row["setting"])[0]: row for row in CONFIGURATION["The settings"].tables[0]}
OF_LIMITS = {"limits.maxTokens": "max_tokens", "limits.maxCost": "max_cost", "limits.deadlineSeconds": "deadline_s"}
OF_EDITORS = {"client", "showAnswer"}


def wire_names(model, prefix=""):
    return {f"{prefix}{field.alias}": name for name, field in model.model_fields.items()}


def all_settings():
    """Every setting's wire name -> its name in config.toml."""
    names = wire_names(SettingsPart) | wire_names(LimitsPart, "limits.")
    del names["limits"]
    return names


def test_every_setting_is_described_and_no_other():
    assert set(SETTINGS) == set(all_settings())


@pytest.mark.parametrize("name", sorted(set(all_settings()) - OF_EDITORS - {"providers", "permissions"}))
def test_a_setting_can_be_written_in_config_toml_as_described(name):
    spelled = code_words(SETTINGS[name]["in `config.toml`"])
    assert spelled[0] == all_settings()[name]
    kinds = SETTINGS[name]["type"]
    value = {"number": 5, "boolean": True, "string": "demo/rules"}.get(kinds) or code_words(kinds)[0]
    data = {"limits": {spelled[0]: value}} if name.startswith("limits.") else {spelled[0]: value}
    part, warnings = parse_part("file", data)
    assert warnings == []
    assert combine([Source("file", part)]).sources == {OF_LIMITS.get(name) or all_settings()[name]: "file"}


def default_of(text):
    text = text.strip("`")
    return {"none": None, "false": False}.get(text, int(text) if text.isdigit() else text)


@pytest.mark.parametrize("name", sorted(set(all_settings()) - OF_EDITORS - {"providers", "permissions"}))
def test_a_setting_has_the_described_default(name):
    value = getattr(Settings(), OF_LIMITS.get(name) or all_settings()[name])
    assert default_of(SETTINGS[name]["default"]) == (value.value if isinstance(value, Mode) else value)


def test_what_only_an_editor_passes_is_described():
    rows = {code_words(row["setting"])[0] for row in CONFIGURATION["What an editor may pass"].tables[0]}
    assert rows == {"showAnswer", *wire_names(ClientPart, "client.")}
    choices = code_words(SETTINGS["showAnswer"]["type"])
    for choice in choices:
        assert read_options({"showAnswer": choice}, source="x").show_answer == choice


EXAMPLES = {
    "model": "openai/x",
    "mode": "plan",
    "maxTurns": 1,
    "maxOutputTokens": 1,
    "limits": {"maxTokens": 1, "maxCost": 1, "deadlineSeconds": 1},
    "contextMaxChars": 1,
    "providers": {"x": {}},
    "permissions": [{"tool": "search", "action": "allow"}],
    "durability": "full",
    "sandboxNetwork": True,
    "showAnswer": "none",
    "client": {"events": True},
}


def test_a_workspace_may_do_what_is_described_and_is_told_of_all_else():
    assert set(EXAMPLES) == set(wire_names(SettingsPart))
    effective = set()
    for name, value in EXAMPLES.items():
        for key, data in [(f"{name}.{k}", {k: v}) for k, v in value.items()] if name == "limits" else [(name, value)]:
            tight = tightening_of({name: data})
            if dataclasses.replace(tight, warnings=()) != Tightening():
                effective.add(key)
            else:
                assert tight.warnings, key
    documented = {code_words(row["setting"])[0] for row in CONFIGURATION["What a workspace may do"].tables[0]}
    assert documented == effective


def test_every_variable_of_our_own_is_described_and_no_other():
    sources = [path.read_text(encoding="utf-8") for path in ROOT.glob("server/**/*.py")]
    read = {name for text in sources for name in re.findall(r'environ\.get\("(STEERSMAN_[A-Z_]+)"', text)}
    documented = {code_words(row["variable"])[0] for row in CONFIGURATION["Environment variables"].tables[0]}
    assert documented == read


def test_every_provider_is_described_as_it_is_built_in():
    rows = {code_words(row["provider"])[0]: row for row in MODELS["Providers"].tables[0]}
    assert list(rows) == [provider.name for provider in BUILTIN_PROVIDERS]
    for provider in BUILTIN_PROVIDERS:
        row = rows[provider.name]
        assert tuple(code_words(row["key in"])) == provider.key_env
        assert code_words(row["address"]) == ([provider.base_url] if provider.base_url else [])
        assert code_words(row["address from"])[:1] == ([provider.url_env] if provider.url_env else [])
        formats = code_words(row["wire format"])
        assert formats[0] == provider.kind
        assert provider.foreign_kind in formats


def test_every_field_of_a_provider_and_of_a_price_is_described():
    assert [code_words(row["in `[providers.NAME]`"])[0] for row in MODELS["Providers"].tables[1]] == list(
        ProviderConfig.__slots__
    )
    assert [code_words(row['in `prices."MODEL"`'])[0] for row in MODELS["Prices"].tables[0]] == list(Price.__slots__)


OF_EDITORS_PAGES = ROOT / "editors"
TOML = [
    (path.name, index, fence.text)
    for path in pages()
    if not path.is_relative_to(OF_EDITORS_PAGES)  # those show their editor's own files
    for index, fence in enumerate(read_page(path).fences)
    if fence.language == "toml"
]


@pytest.mark.parametrize(("page", "index", "text"), TOML, ids=[f"{page}-{index}" for page, index, _ in TOML])
def test_an_example_of_config_toml_is_read_without_a_warning(page, index, text):
    del page, index
    data = tomllib.loads(text)
    part, warnings = parse_part("config.toml", data)
    assert warnings == []
    assert check_rules([Rule(rule.tool, rule.match, rule.action) for rule in part.permissions or []]) == []
    configs = read_providers(part.providers or {})
    environ = {config.api_key_env: "k" for config in configs.values() if config.api_key_env}
    for name in configs:
        resolve_provider(name, configs, environ)
    if part.model is not None:
        resolve_provider(split_model(part.model)[0], configs, environ)


def test_an_example_of_an_editor_s_options_is_read_without_a_warning():
    examples = [fence for path in pages() for fence in read_page(path).fences if fence.info == "json settings"]
    assert examples
    for example in examples:
        options = read_options(json.loads(example.text), source="initializationOptions")
        assert options.warnings == ()
        assert parse_part("initializationOptions", options.rest)[1] == []


def test_the_models_that_are_named_as_examples_belong_to_known_providers():
    named = [word for row in MODELS["The shortest ways"].tables[0] for word in code_words(row["then the model is"])]
    known = {provider.name for provider in BUILTIN_PROVIDERS} | {"NAME"}
    assert {name.partition("/")[0] for name in named} <= known
    for name in named:
        if name.partition("/")[0] in {"anthropic", "openai", "gemini"}:
            assert known_facts(name, {}, {}).price is not None, name
