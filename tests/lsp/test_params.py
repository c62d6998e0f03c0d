"""Command parameters: one object, nothing unknown, every mistake named (PROTOCOL §2)."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.failures import InvalidParamsError
from steersman.lsp.params import (
    CancelParams,
    CommandParams,
    ExportSessionParams,
    ForkSessionParams,
    GetSessionParams,
    ListSessionsParams,
    Nothing,
    RewindParams,
    RunParams,
    SearchSessionsParams,
    read_params,
)


def run(argument: Any) -> RunParams:
    return read_params(RunParams, "steersman.run", [argument])


def mistake(argument: Any) -> InvalidParamsError:
    with pytest.raises(InvalidParamsError) as caught:
        run(argument)
    return caught.value


@pytest.mark.parametrize("arguments", [None, [], [None], [{}], [[]]])
def test_a_missing_argument_is_an_empty_object(arguments: Any) -> None:
    assert read_params(Nothing, "steersman.status", arguments) == Nothing()


def test_all_fields_of_a_run_are_read() -> None:
    params = run(
        {
            "prompt": "do",
            "continue": True,
            "folder": "file:///w",
            "context": {
                "uri": "file:///w/a",
                "selection": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 3}},
                "diagnostics": [
                    {
                        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
                        "message": "m",
                        "codeDescription": {"href": "x"},
                    }
                ],
            },
            "mode": "plan",
            "model": "a/b",
            "maxTurns": 3,
            "limits": {"maxTokens": 5, "maxCost": 1, "deadlineSeconds": 0.5},
        }
    )
    assert params.continue_
    assert params.context is not None
    assert params.context.diagnostics is not None
    assert params.context.diagnostics[0].message == "m"
    assert params.limits is not None
    assert params.limits.deadline_seconds == 0.5


def test_null_is_the_default() -> None:
    names = ["sessionId", "continue", "folder", "context", "mode", "model", "maxTurns", "limits"]
    assert run({"prompt": "do", **dict.fromkeys(names)}) == run({"prompt": "do"})
    assert read_params(CancelParams, "steersman.cancel", [{"force": None}]) == CancelParams()


@pytest.mark.parametrize(
    ("argument", "fields", "words"),
    [
        ({"prompt": "do", "maxTurn": 3, "sesionId": "x"}, ["maxTurn", "sesionId"], "no field maxTurn"),
        ({}, ["prompt"], "prompt is missing"),
        ({"prompt": 3}, ["prompt"], "a number came"),
        ({"prompt": "do", "maxTurns": "3"}, ["maxTurns"], "a string came"),
        ({"prompt": "do", "maxTurns": True}, ["maxTurns"], "true or false came"),
        ({"prompt": "do", "maxTurns": 0}, ["maxTurns"], "greater than 0"),
        ({"prompt": "do", "max_turns": 1}, ["max_turns"], "no field max_turns"),
        ({"prompt": "do", "mode": "fast"}, ["mode"], "accept-edits"),
        ({"prompt": "do", "context": {"url": "x"}}, ["context.uri", "context.url"], "context.uri is missing"),
        ({"prompt": "do", "limits": {"maxToken": 1}}, ["limits.maxToken"], "no field limits.maxToken"),
        ({"prompt": "do", "maxTurns": 10**30}, ["maxTurns"], "less than or equal to"),
        ({"prompt": "do", "limits": {"maxTokens": 2**53}}, ["limits.maxTokens"], "less than or equal to"),
        ({"prompt": "do", "limits": {"deadlineSeconds": float("inf")}}, ["limits.deadlineSeconds"], "finite"),
        ({"prompt": " \n"}, ["prompt"], "empty"),
        ({"prompt": ""}, ["prompt"], "empty"),
        ({"prompt": "do", "sessionId": "s", "continue": True}, ["sessionId"], "exclude"),
    ],
)
def test_mistakes_are_named(argument: Any, fields: list[str], words: str) -> None:
    error = mistake(argument)
    assert list(error.fields) == fields
    assert error.message.startswith("steersman.run: ")
    assert words in error.message


@pytest.mark.parametrize(
    ("model", "field"),
    [
        (ListSessionsParams, "limit"),
        (ListSessionsParams, "offset"),
        (SearchSessionsParams, "limit"),
        (GetSessionParams, "after"),
        (GetSessionParams, "limit"),
        (ForkSessionParams, "atMessage"),
        (RewindParams, "toMessage"),
    ],
)
@pytest.mark.parametrize("number", [10**30, -(10**30), 2**63])
def test_a_number_that_no_store_holds_is_a_mistake_of_the_field(
    model: type[CommandParams], field: str, number: int
) -> None:
    with pytest.raises(InvalidParamsError) as caught:
        read_params(model, "c", [{"sessionId": "s", "query": "q", field: number}])
    assert field in caught.value.fields


@pytest.mark.parametrize("arguments", [{"prompt": "do"}, "do", [1], ["do"], [{"prompt": "do"}, {}], [[1]]])
def test_arguments_that_are_not_one_object_are_refused(arguments: Any) -> None:
    with pytest.raises(InvalidParamsError):
        read_params(RunParams, "steersman.run", arguments)


@given(
    st.sampled_from([RunParams, CancelParams, ExportSessionParams]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["prompt", "force", "context", "uri", "limits"]), inner, max_size=3)
        ),
        max_leaves=5,
    ),
)
def test_any_argument_is_read_or_refused_in_words(model: type[CommandParams], argument: Any) -> None:
    with contextlib.suppress(InvalidParamsError):  # anything else fails the test
        read_params(model, "c", [argument])
