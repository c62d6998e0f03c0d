"""Whatever the task, the tools and the results: the model never fails, never says nothing, and comes to an end."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.closing import CLOSING_TEXTS
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.agent.validity import check_history
from steersman.rules import next_reply
from steersman.rules.steps import split_steps
from support.rule_chat import converse
from support.specs import COURSE, HOUSE

words = st.sampled_from(
    [
        "add",
        "2",
        "40",
        "-1",
        "1,000",
        "3.5",
        "and",
        "then",
        ";",
        ",",
        ".",
        "read",
        "write",
        "replace",
        "with",
        "to",
        "in",
        "src/a.py",
        "*.py",
        '"x"',
        "'y",
        "z'",
        "`run`",
        "“q”",
        "get",
        "the",
        "weather\n",
        "",
        "",
        "",
        "Siem",
        "Reap",
        "ping",
        "CALL",
        "hello",
        "it",
        "delete",
        "move",
        "a",
        "b",
        "list",
        "files",
        "search",
        "for",
        '{"x":1}',
        "[",
        "]",
        "then;",
        "name=value",
        "path=",
        "what",
        "did",
        "you",
        "do\n",
        "",
        "",
        "",
        "continue",
        "😀",
        "é",
        "�",
        "\u2028",
        "\x00",
        '"',
        "'",
        "`",
    ]
)
tasks = st.one_of(st.lists(words, max_size=15).map(" ".join), st.text(max_size=60))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
field_schemas = st.one_of(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "integer"},
            {"type": "number"},
            {"type": "boolean"},
            {"type": "array", "items": {"type": "string"}},
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            {"enum": ["red", 2, None]},
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            {"$ref": "#"},
            {"$ref": "#/properties/text"},
        ]
    ),
    json_values,
)
names = st.sampled_from(["path", "text", "a", "city", "pattern", "old_text", "new_text", "command", "to", "limit", "é"])
schemas = st.one_of(
    json_values.filter(lambda value: isinstance(value, dict)),
    st.builds(
        lambda fields, required: {"type": "object", "properties": fields, "required": required},
        st.dictionaries(names, field_schemas, max_size=4),
        st.lists(names, max_size=3),
    ),
)
tools = st.one_of(
    st.just(HOUSE),
    st.just(COURSE),
    st.lists(
        st.builds(
            ToolSpec,
            st.sampled_from(["ping", "get_weather", "readFile", "x", "add", "тест"]),
            st.text(max_size=30) | st.just("Read a file, get the weather, ping."),
            schemas,
        ),
        max_size=4,
        unique_by=lambda tool: tool.name,
    ).map(tuple),
)
results = st.one_of(
    st.builds(ToolMessage, st.just(""), st.text(max_size=30), st.booleans()),
    st.sampled_from([ToolMessage("", text, is_error=True, outcome=outcome) for outcome, text in CLOSING_TEXTS.items()]),
)


@given(tasks, tools, st.lists(results, max_size=8), st.data())
@settings(max_examples=300, deadline=None)
def test_a_task_of_n_steps_is_over_after_n_plus_one_replies_whatever_its_calls_bring(task, tools, outcomes, data):
    answers = iter(outcomes)
    messages, replies = converse(task, tools, lambda _: next(answers, ToolMessage("", "fine")))
    assert len(replies) <= len(split_steps(task)) + 1
    assert not replies[-1].calls
    check_history(messages if task else [UserMessage("x"), *messages[1:]])
    for reply in replies:
        assert reply.text or reply.calls
        assert reply.usage.output_tokens > 0
        (reply.text + "".join(call.arguments for call in reply.calls)).encode()
        assert all(isinstance(json.loads(call.arguments), dict) for call in reply.calls)
        assert all(call.name in {tool.name for tool in tools} for call in reply.calls)


@given(tasks, tools, results)
@settings(max_examples=100, deadline=None)
def test_the_sloppy_model_needs_one_reply_more_at_most(task, tools, outcome):
    _, replies = converse(task, tools, lambda _: outcome, variant="mock-sloppy")
    assert len(replies) <= len(split_steps(task)) + 2


messages = st.lists(
    st.one_of(
        st.builds(UserMessage, tasks, st.sampled_from(["person", "steered", "host"])),
        st.builds(
            lambda text, calls: AssistantMessage(text, tuple(calls)),
            st.text(max_size=10),
            st.lists(
                st.builds(
                    ToolCall,
                    st.sampled_from(["call_1_1", "call_2_1", "call_9_900", "call_1_0", "x", "y"]),
                    st.sampled_from(["ping", "add", "?"]),
                    st.sampled_from(["{}", "{", '{"a":1}', "[]", ""]),
                ),
                max_size=3,
            ),
        ),
        st.builds(
            lambda message, call_id: ToolMessage(call_id, message.content, message.is_error, message.outcome),
            results | st.just(ToolMessage("", "CALL ping {")) | st.just(ToolMessage("", "CALL ping again.")),
            st.sampled_from(["call_1_1", "call_2_1", "x", "y", "nobody"]),
        ),
    ),
    max_size=10,
)


@given(
    messages,
    tools,
    st.sampled_from(["mock", "mock-sloppy", "mock-gullible", "mock-slow"]),
    st.integers(1, 50) | st.none(),
)
@settings(max_examples=300, deadline=None)
def test_any_history_gets_a_reply_and_always_the_same(history, tools, variant, limit):
    """Histories that no provider takes are included: the rules themselves depend on nothing."""
    request = ModelRequest("", tuple(history), tools, limit)
    reply = next_reply(request, variant)
    assert reply == next_reply(request, variant)
    assert reply.text or reply.calls
    (reply.text + "".join(call.arguments + call.name for call in reply.calls)).encode()
