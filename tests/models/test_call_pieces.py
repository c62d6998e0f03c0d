"""Pieces of tool calls are joined to the right call, and none is invented (DESIGN M3)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import ToolCall
from steersman.models.call_pieces import CallJoiner, CallPart, OpenCall, unused_id


def joined(*parts: tuple[int | None, str, str, str]) -> list[tuple[str, str, str]]:
    joiner = CallJoiner()
    for part in parts:
        joiner.add(CallPart(*part))
    return [(call.id, call.name, call.arguments) for call in joiner.calls()]


F1, G2 = '{"n":1}', '{"n":2}'

CASES = {
    "pieces without an index go to the call before them": (
        [(None, "a", "f", '{"n"'), (None, "", "", ":1}"), (None, "b", "g", '{"n":2'), (None, "", "", "}")],
        [("a", "f", F1), ("b", "g", G2)],
    ),
    "an index of its own begins a call": (
        [(0, "", "f", F1), (1, "", "f", F1)],
        [("call_1", "f", F1), ("call_2", "f", F1)],
    ),
    "one index for two ids is two calls": ([(0, "a", "f", F1), (0, "b", "g", G2)], [("a", "f", F1), ("b", "g", G2)]),
    "an index that counts pieces is one call": (
        [(0, "a", "f", '{"n'), (1, "a", "", '":'), (2, "a", "", "1}")],
        [("a", "f", F1)],
    ),
    "an unknown index without id or name continues the last call": (
        [(0, "a", "f", '{"n'), (5, "", "", '":1}')],
        [("a", "f", F1)],
    ),
    "an id that comes late joins its call": ([(0, "", "f", '{"n'), (0, "a", "", '":1}')], [("a", "f", F1)]),
    "a late id without an index joins the last call": (
        [(None, "", "f", '{"n'), (None, "a", "", '":1}')],
        [("a", "f", F1)],
    ),
    "a name that comes late joins its call": ([(0, "a", "", ""), (0, "", "f", F1)], [("a", "f", F1)]),
    "the same id for two calls is made unique": (
        [(0, "a", "f", F1), (1, "a", "g", G2)],
        [("a", "f", F1), ("a_2", "g", G2)],
    ),
    "the same id and name, other arguments, no index": (
        [(None, "a", "f", F1), (None, "a", "f", G2)],
        [("a", "f", F1), ("a_2", "f", G2)],
    ),
    "a call said twice is one call": ([(0, "a", "f", F1), (0, "a", "f", F1)], [("a", "f", F1)]),
    "id and name in every piece": ([(0, "a", "f", ""), (0, "a", "f", '{"n"'), (0, "a", "f", ":1}")], [("a", "f", F1)]),
    "name in every piece and no id": ([(0, "", "f", '{"n"'), (0, "", "f", ":1}")], [("call_1", "f", F1)]),
    "one index without ids, whole calls": (
        [(0, "", "f", F1), (0, "", "g", G2)],
        [("call_1", "f", F1), ("call_2", "g", G2)],
    ),
    "one index without ids, the first without arguments": (
        [(0, "", "f", ""), (0, "", "g", G2)],
        [("call_1", "f", "{}"), ("call_2", "g", G2)],
    ),
    "interleaved by index": (
        [(0, "a", "f", '{"n'), (1, "b", "g", '{"n'), (0, "", "", '":1}'), (1, "", "", '":2}')],
        [("a", "f", F1), ("b", "g", G2)],
    ),
    "interleaved by id": (
        [(None, "a", "f", '{"n'), (None, "b", "g", '{"n'), (None, "a", "", '":1}'), (None, "b", "", '":2}')],
        [("a", "f", F1), ("b", "g", G2)],
    ),
    "no arguments are an empty object": ([(0, "a", "f", "")], [("a", "f", "{}")]),
    "blank arguments are an empty object": ([(0, "a", "f", " \n")], [("a", "f", "{}")]),
    "an empty piece is no call": ([(0, "", "", "")], []),
    "sloppy arguments stay as they are": ([(0, "a", "f", "{'n': 1}")], [("a", "f", "{'n': 1}")]),
    "made-up ids do not collide": (
        [(0, "call_2", "f", F1), (1, "", "f", G2)],
        [("call_2", "f", F1), ("call_2_2", "f", G2)],
    ),
}


@pytest.mark.parametrize(("parts", "calls"), CASES.values(), ids=CASES.keys())
def test_pieces_are_joined(parts, calls):
    assert joined(*parts) == calls


def test_continuation_pieces_without_an_index_are_joined_to_the_right_call():
    """Situation 25."""
    assert joined((0, "a", "f", '{"n"'), (None, "", "", ":1}")) == [("a", "f", F1)]


def test_arguments_may_be_an_object():
    joiner = CallJoiner()
    joiner.add_delta({"function": {"name": "f", "arguments": {"n": 1}}})
    assert [json.loads(call.arguments) for call in joiner.calls()] == [{"n": 1}]


@pytest.mark.parametrize(
    "entry", [None, 5, [], {}, {"function": None}, {"index": "0"}, {"id": 5, "function": {"name": []}}]
)
def test_an_entry_that_makes_no_sense_is_no_call(entry):
    joiner = CallJoiner()
    joiner.add_delta(entry)
    assert not joiner


@pytest.mark.parametrize("arguments", ['{"a', "{'a': 1}", "[]", "5"])
def test_what_is_no_object_is_not_whole(arguments: str):
    joiner = CallJoiner()
    joiner.add(CallPart(0, "a", "f", arguments))
    assert not joiner.are_whole()


def test_what_comes_beside_a_call_is_kept_for_its_provider():
    joiner = CallJoiner()
    joiner.add_delta({"index": 0, "id": "a", "function": {"name": "f"}, "extra_content": {"google": {"s": 1}}})
    joiner.add_delta({"index": 1, "id": "b", "function": {"name": "g"}})
    assert joiner.extras() == [{"google": {"s": 1}}, {}]


def test_the_arguments_given_at_the_start_count_when_no_piece_comes():
    joiner = CallJoiner()
    joiner.begin(OpenCall(0, "a", "f", given={"n": 1}))
    joiner.begin(OpenCall(1, "b", "f", given={"n": 1})).extend(G2)
    assert [call.arguments for call in joiner.calls()] == ['{"n": 1}', G2]


def test_an_id_that_is_taken_gets_a_number():
    assert unused_id("a", {"a", "a_2"}) == "a_3"


WHOLE = st.lists(st.tuples(st.text("abc", min_size=1, max_size=3), st.integers(0, 99)), min_size=1, max_size=4)


@given(
    calls=WHOLE,
    cuts=st.lists(st.integers(1, 6), min_size=8, max_size=8),
    style=st.sampled_from(["index", "id", "none"]),
)
def test_any_split_of_any_calls_gives_the_same_calls(calls: list[tuple[str, int]], cuts: list[int], style: str):
    """By index, by id, or by nothing but the order: the calls are the same, however their arguments are cut."""
    joiner = CallJoiner()
    wanted: list[ToolCall] = []
    for number, (name, value) in enumerate(calls):
        arguments, call_id = json.dumps({"n": value}), f"id{number}"
        wanted.append(ToolCall(call_id, name, arguments))
        index = number if style == "index" else None
        joiner.add(CallPart(index, call_id, name, ""))
        at = 0
        for cut in cuts:
            piece = arguments[at : at + cut] if cut != cuts[-1] or at + cut < len(arguments) else arguments[at:]
            joiner.add(CallPart(index, call_id if style == "id" else "", "", piece))
            at += len(piece)
        joiner.add(CallPart(index, call_id if style == "id" else "", "", arguments[at:]))
    assert joiner.calls() == tuple(wanted)


@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(0, 2),
            st.sampled_from(["", "a", "b"]),
            st.sampled_from(["", "f", "g"]),
            st.sampled_from(["", "{", "}", F1]),
        ),
        max_size=8,
    )
)
def test_any_pieces_make_calls_with_ids_of_their_own_and_no_more_calls_than_pieces(parts):
    calls = joined(*parts)
    assert len({call_id for call_id, _, _ in calls}) == len(calls) <= len(parts)
