"""What a model is told of a tool's arguments: all that counts, and nothing that only costs tokens."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.tool import schema_of


class Inner(BaseModel):
    """For programmers."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(description="A field of that name.")


class Arguments(BaseModel):
    """For programmers."""

    model_config = ConfigDict(extra="forbid")

    path: str
    limit: int | None = Field(default=None, ge=1, description="How many.")
    depth: int = Field(default=2, ge=0, le=9)
    parts: int = Field(default=2, ge=2)
    either: int | str | None = None
    wanted: int | None
    labels: dict[str, int] = Field(default_factory=dict)
    inner: Inner | None = None


def properties() -> dict[str, Any]:
    found: Any = schema_of(Arguments)["properties"]
    return found


def test_a_field_that_may_be_left_out_is_not_told_to_be_null_as_well():
    assert properties()["limit"] == {"type": "integer", "description": "How many."}
    assert properties()["either"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    assert properties()["inner"] == {"$ref": "#/$defs/Inner"}


def test_a_field_that_must_be_given_keeps_its_null():
    assert properties()["wanted"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert schema_of(Arguments)["required"] == ["path", "wanted"]


def test_titles_and_the_class_are_left_out_and_fields_of_such_names_stay():
    schema = schema_of(Arguments)
    defs: Any = schema["$defs"]
    assert set(schema) == {"type", "properties", "required", "$defs"}
    assert defs["Inner"]["properties"] == {"title": {"type": "string", "description": "A field of that name."}}
    assert properties()["path"] == {"type": "string"}


def test_what_other_fields_hold_is_told_where_there_may_be_others():
    assert properties()["labels"] == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_tools_without_arguments_have_no_properties():
    class Nothing(BaseModel):
        pass

    assert schema_of(Nothing) == {"type": "object", "properties": {}}


def test_bounds_that_go_without_saying_are_left_out_and_others_told():
    assert properties()["depth"] == {"type": "integer", "default": 2, "maximum": 9}
    assert properties()["parts"] == {"type": "integer", "default": 2, "minimum": 2}
