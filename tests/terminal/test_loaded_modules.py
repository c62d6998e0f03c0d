"""What a start loads: time is made of imports, and a test can hold those without a clock (DESIGN §9)."""

import json
import subprocess
import sys

import pytest

from steersman_tools.catalogue import read_catalogue

_RUN = """
import json, sys
from steersman.cli import main

code = main(json.loads(sys.argv[1]))
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""

_AT_FIRST_REQUEST = """
import json, sys
from steersman.models.demo import DemoClient

asked = DemoClient.stream

async def stream(self, request):
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
    async for event in asked(self, request):
        yield event

DemoClient.stream = stream
from steersman.cli import main
sys.exit(main(json.loads(sys.argv[1])))
"""

_AT_FIRST_HTTP_REQUEST = """
import json, os, sys

def look(event, args):
    if event == "socket.connect":
        print(json.dumps(sorted(sys.modules)), file=sys.stderr, flush=True)
        os._exit(0)

sys.addaudithook(look)
from steersman.cli import main
os.environ.update({"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
sys.exit(main(json.loads(sys.argv[1])))
"""


@pytest.fixture
def loaded(steersman):
    """Return what runs a program with a command line of ours, and gives the modules that were loaded."""

    def load(program: str, *argv: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-P", "-c", program, json.dumps([*argv, "-C", str(steersman.folder)])],
            env=steersman.environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        line = next(line for line in done.stderr.split("\n") if line.startswith('["'))
        return set(json.loads(line))

    return load


def test_a_run_asks_its_first_model_without_what_only_editors_networks_or_commands_need(loaded):
    modules = loaded(_AT_FIRST_REQUEST, "run", "Say hello.")
    assert not modules & {"pygls", "lsprotocol", "httpx", "httpcore", "anyio", "h11", "tree_sitter", "attrs"}


def test_a_run_asks_its_first_model_without_what_only_calls_patches_rewinds_and_answers_need(loaded):
    modules = loaded(_AT_FIRST_REQUEST, "run", "Say hello.")
    assert not modules & {
        "steersman.library",
        "steersman.rewind",
        "steersman.wire",
        "steersman.permitting",
        "steersman.permissions.approver",
        "steersman.permissions.commands",
        "steersman.models.provider_config",
        "steersman.models.prices",
        "steersman.rules.model",
        "steersman_tools.patch.planning",
        "steersman_tools.kit.legacy",
    }


def test_a_run_asks_its_first_model_before_any_tool_is_loaded_and_what_checks_their_arguments(loaded):
    """The catalogue says what they are."""
    modules = loaded(_AT_FIRST_REQUEST, "run", "Say hello.")
    assert not modules & {"pydantic", "pydantic_core", "annotated_types", "steersman.setting_parts"}
    assert not modules & {f"steersman_tools.{name}" for name in read_catalogue()}
    assert not modules & {f"steersman_tools.kit.{name}" for name in ("listing", "ripgrep", "sandbox", "globs", "edits")}
    assert not modules & {f"steersman_tools.kit.{name}" for name in ("staging", "rewinding", "placing", "endings")}


def test_a_run_asks_a_model_over_http_without_what_checks_settings_that_nobody_made(loaded):
    """A model's name and a key need no pydantic."""
    modules = loaded(_AT_FIRST_HTTP_REQUEST, "run", "Say hello.", "--model", "openai/any")
    assert "steersman.models.http_client" in modules
    assert not modules & {"pydantic", "steersman.setting_parts", "steersman.models.provider_check"}


def test_a_run_asks_a_model_over_http_without_what_no_plain_request_needs(loaded):
    """A browser's cookies, mail's headers, proxies where none are set, certificates where nothing is encrypted."""
    modules = loaded(_AT_FIRST_HTTP_REQUEST, "run", "Say hello.", "--model", "openai/any")
    assert not modules & {"httpx", "urllib.request", "http.client", "http.cookiejar", "click", "rich"}


def test_a_whole_run_with_the_rules_needs_no_network_and_no_editor(loaded):
    modules = loaded(_RUN, "run", "Say hello.")
    assert not modules & {"pygls", "lsprotocol", "httpx", "anyio", "tree_sitter"}


def test_a_server_that_runs_nothing_has_loaded_no_model_and_no_grammar():
    code = "import json, sys, steersman.app, steersman.lsp.serving; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(json.loads(done.stdout))
    assert not loaded & {
        "httpx",
        "anyio",
        "tree_sitter",
        "steersman.toolbox",
        "steersman.rules.model",
        "steersman.permitting",
    }
