"""A prompt and what the editor sent along, apart again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.runs.request import RunRequest
from steersman.sessions.export.prompts import split_prompt


@given(st.text(min_size=1), st.text())
def test_what_a_run_puts_together_comes_apart(prompt: str, context: str):
    text = RunRequest(prompt, context=context).user_text()
    if "<context>" not in prompt and not prompt.rstrip().endswith("</context>"):
        assert split_prompt(text) == (prompt, context.strip())


@pytest.mark.parametrize(
    "content", ["", "plain", "<context>\nx\n</context>", "a\n\n<context>\nx", "a </context>", "\n</context>"]
)
def test_a_message_without_it_is_a_prompt(content: str):
    assert split_prompt(content) == (content, "")
