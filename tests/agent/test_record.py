"""A record is a frozen dataclass with slots to everyone who uses it."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.record import record


@record
class Point:
    """A documented one."""

    x: int
    y: int = 0
    name: str = field(default="p", kw_only=True)
    tags: list[str] = field(default_factory=list)
    seen: object = field(default=None, compare=False, repr=False)
    role: str = field(default="point", init=False)

    def moved(self) -> "Point":
        return dataclasses.replace(self, x=self.x + 1)


@dataclass(frozen=True, slots=True)
class Twin:
    """A documented one."""

    x: int
    y: int = 0
    name: str = field(default="p", kw_only=True)
    tags: list[str] = field(default_factory=list)
    seen: object = field(default=None, compare=False, repr=False)
    role: str = field(default="point", init=False)


@record
class Empty:
    pass


@record
class Derived:
    text: str
    size: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", len(self.text))


VALUES = st.builds(
    lambda x, y, name, tags: ((x, y), {"name": name, "tags": tags}),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from("pq"),
    st.lists(st.sampled_from("ab"), max_size=2),
)


@given(VALUES, VALUES)
def test_any_two_compare_and_show_as_those_of_a_dataclass_do(one, other):
    points = [Point(*args, **named) for args, named in (one, other)]
    twins = [Twin(*args, **named) for args, named in (one, other)]
    assert (points[0] == points[1]) == (twins[0] == twins[1])
    assert [repr(point) for point in points] == [repr(twin).replace("Twin", "Point") for twin in twins]
    assert [dataclasses.asdict(point) for point in points] == [dataclasses.asdict(twin) for twin in twins]


def test_arguments_are_those_of_a_dataclass():
    ours, theirs = (inspect.signature(cls).parameters.values() for cls in (Point, Twin))
    assert [(each.name, each.kind) for each in ours] == [(each.name, each.kind) for each in theirs]
    assert Point.__match_args__ == Twin.__match_args__
    with pytest.raises(TypeError, match="missing 1 required"):
        Point()
    with pytest.raises(TypeError, match="unexpected keyword"):
        Point(1, role="x")


def test_nothing_of_it_can_be_changed_or_added():
    point = Point(1)
    for change in (lambda: setattr(point, "x", 2), lambda: setattr(point, "other", 2), lambda: delattr(point, "x")):
        with pytest.raises(FrozenInstanceError):
            change()
    assert not hasattr(point, "__dict__")


def test_equal_ones_have_one_hash_and_other_classes_are_never_equal():
    @record
    class Pair:
        x: int
        y: int

    @record
    class Other:
        x: int
        y: int

    assert hash(Pair(1, 2)) == hash(Pair(1, 2))
    assert Pair(1, 2) != Other(1, 2)
    assert Pair(1, 2) != (1, 2)
    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2


def test_each_gets_a_default_of_its_own_that_is_made():
    assert Point(1).tags is not Point(1).tags


def test_replace_match_copies_and_pickles_work():
    point = Point(1, 2, tags=["a"])
    assert point.moved() == Point(2, 2, tags=["a"])
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert copy.deepcopy(point).tags is not point.tags


def test_what_is_worked_out_afterwards_counts():
    assert (Derived("four").size, repr(Derived("ab"))) == (4, "Derived(text='ab', size=2)")


def test_one_without_fields_is_a_record_too():
    assert (Empty() == Empty(), repr(Empty()), Empty.__doc__) == (True, "Empty()", None)
