"""What is sent is, byte for byte, what it would be if nothing had been kept from the request before (DESIGN §9, M8)."""

import gc
import re
import weakref
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.context import trim_context
from steersman.agent.errors import ContextOverflowError
from steersman.agent.messages import AssistantMessage, Message, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Conversation, ModelRequest, ToolSpec
from steersman.models.anthropic import AnthropicMessages
from steersman.models.bodies import RequestBodies
from steersman.models.dialects import ChatDialect
from steersman.models.openai_chat import OpenAIChat
from steersman.models.openai_responses import OpenAIResponses
from support.bodies import body_of

TOOLS = (ToolSpec("read_file", "Read.", {"type": "object"}), ToolSpec("add", "Add.", {"type": "object"}))
PARTICULAR = ChatDialect(
    max_id_length=9,
    unfit_in_id=re.compile(r"[^a-zA-Z0-9]"),
    strict_roles=True,
    cache_marks=True,
    reasoning_back="always",
)

WIRES = {
    "chat": lambda: OpenAIChat(provider="p", model="m"),
    "a particular chat": lambda: OpenAIChat(provider="p", model="m", dialect=PARTICULAR, extra_body={"seed": 1}),
    "a chat with its own history": lambda: OpenAIChat(provider="p", model="m", extra_body={"messages": []}),
    "responses": lambda: OpenAIResponses(provider="p", model="gpt-5"),
    "messages": lambda: AnthropicMessages(provider="p", model="m"),
}
REFUSALS = ("max_tokens: 9 > 5", "stream_options", "reasoning", "cache_control", "roles must alternate", "thinking")

TEXTS = st.sampled_from(["", " ", "Hi.", "two\u2028lines", "half \ud83d", "\ude00 a pair", "long " * 30])
IDS = st.sampled_from(["call_1", "call_2", "x!y", "ü", "a" * 50, "b" * 90])
ARGUMENTS = st.sampled_from(["", "{}", '{"a": 1}', '{"a": "\\ud800"}', '{"a": 1e999}', '{"path": "cut o', "[1]"])
DATA = st.sampled_from(
    [
        None,
        ProviderData("q", {"reasoning": "another's"}),
        ProviderData("p", {"reasoning_content": "why", "call_extras": [{"signature": "s"}]}),
        ProviderData("p", {"layout": [{"type": "thinking", "thinking": "t", "signature": "s"}, {"text": 3}]}),
    ]
)


@st.composite
def answered_turns(draw: st.DrawFn) -> list[Message]:
    """A model's message with the results of its calls, the last of them cut off perhaps."""
    ids = draw(st.lists(IDS, max_size=3, unique=True))
    calls = tuple(ToolCall(call_id, draw(st.sampled_from(["add", "né", ""])), draw(ARGUMENTS)) for call_id in ids)
    model = draw(st.sampled_from(["", "p/m", "p/gpt-5", "q/other"]))
    said = AssistantMessage(draw(TEXTS), calls, truncated=draw(st.booleans()), model=model, provider_data=draw(DATA))
    return [said, *(ToolMessage(call_id, draw(TEXTS), is_error=draw(st.booleans())) for call_id in ids)]


STEERED = st.builds(UserMessage, TEXTS, st.sampled_from(["person", "steered", "host"])).map(lambda message: [message])
HISTORIES = st.lists(answered_turns() | STEERED, min_size=1, max_size=8)


@st.composite
def conversations(draw: st.DrawFn) -> list[tuple[ModelRequest, str]]:
    """Requests of one run, each with what the provider complains of before it: grown, trimmed, limited otherwise."""
    history: list[Message] = [UserMessage("Go.")]
    conversation, system = Conversation(), draw(st.sampled_from(["", "Be brief."]))
    requests: list[tuple[ModelRequest, str]] = []
    for part in draw(HISTORIES):
        history += part
        sent = history
        if budget := draw(st.sampled_from([0, 0, 300, 500])):
            try:
                sent = trim_context(history, budget)
            except ContextOverflowError:
                sent = history[-1:]
        limit = draw(st.sampled_from([None, None, None, 100]))
        refusal = draw(st.sampled_from(["", "", "", "", *REFUSALS]))
        requests.append((ModelRequest(system, tuple(sent), TOOLS, limit, conversation), refusal))
    return requests


@pytest.mark.parametrize("make", WIRES.values(), ids=WIRES)
@given(requests=conversations())
def test_any_body_is_what_it_would_be_if_nothing_had_been_kept(make, requests: list[tuple[ModelRequest, str]]):
    wire = make()
    keeping = RequestBodies(wire)
    for request, refusal in requests:
        if refusal and wire.adapt(refusal):
            keeping.forget()
        assert RequestBodies(wire).encode(replace(request, conversation=None)) == keeping.encode(request)


@pytest.mark.parametrize("make", WIRES.values(), ids=WIRES)
def test_two_conversations_at_once_do_not_mix(make):
    bodies = RequestBodies(make())
    one, other = Conversation(), Conversation()
    asked = UserMessage("Go."), AssistantMessage("I went.")
    for messages in (asked[:1], (*asked, UserMessage("On."))):
        for conversation, system in ((one, "a"), (other, "b")):
            request = ModelRequest(system, messages, TOOLS, None, conversation)
            assert RequestBodies(make()).encode(replace(request, conversation=None)) == bodies.encode(request)


def test_each_message_is_mapped_once():
    """The cost of a turn is that of what is new in it, not that of the whole history."""
    wire = OpenAIChat(provider="p", model="m")
    mapped: list[Message] = []
    made = wire.transcript

    def watched(system: str):
        transcript = made(system)
        add = transcript.add
        transcript.add = lambda message: (mapped.append(message), add(message))  # type: ignore[method-assign]
        return transcript

    wire.transcript = watched  # type: ignore[method-assign]
    bodies, conversation = RequestBodies(wire), Conversation()
    history = [UserMessage(str(number)) for number in range(20)]
    for length in range(1, 21):
        bodies.encode(ModelRequest("", tuple(history[:length]), (), None, conversation))
    assert mapped == history


def test_what_was_kept_goes_with_its_conversation():
    bodies, conversation, message = RequestBodies(OpenAIChat(provider="p", model="m")), Conversation(), UserMessage("x")
    gone = weakref.ref(conversation)
    bodies.encode(ModelRequest("", (message,), (), None, conversation))
    del conversation
    gc.collect()
    assert gone() is None
    assert not bodies._kept


def test_a_number_that_json_does_not_have_is_refused_each_time():
    bodies, conversation = RequestBodies(OpenAIChat(provider="p", model="m")), Conversation()
    data = ProviderData("p", {"reasoning_content": float("nan")})
    history = (UserMessage("x"), AssistantMessage("", (ToolCall("c", "f", "{}"),), provider_data=data))
    for _ in range(2):
        with pytest.raises(ValueError, match="not JSON compliant"):
            bodies.encode(ModelRequest("", history, (), None, conversation))


def test_a_field_of_the_users_own_may_stand_for_the_history():
    wire = OpenAIChat(provider="p", model="m", extra_body={"messages": [{"role": "user", "content": "mine"}]})
    assert body_of(wire, ModelRequest("s", (UserMessage("x"),)))["messages"] == [{"role": "user", "content": "mine"}]
