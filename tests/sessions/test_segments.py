"""The spans of a conversation that was rewound, against a list of numbers that is cut and extended."""

from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from steersman.sessions.records import StoredMessage
from steersman.sessions.segments import WHOLE, Segments, cut, dump, is_inside, parse, resume, snap_down
from support.session_store import call


def stored(*messages: Message, first: int = 0) -> list[StoredMessage]:
    return [StoredMessage(seq, message, 0.0) for seq, message in enumerate(messages, first)]


GROUPS = stored(
    UserMessage("go"),  # 0
    AssistantMessage("", (call(1), call(2))),  # 1
    ToolMessage("c1", "one"),  # 2
    ToolMessage("c2", "two"),  # 3
    AssistantMessage("done"),  # 4
    UserMessage("more"),  # 5
    AssistantMessage("", (call(3),)),  # 6: its call is open
)


def test_messages_behind_a_cut_are_left_out_and_new_ones_belong():
    spans = cut(WHOLE, 5, 12)
    assert spans == ((0, 5), (12, None))
    assert [seq for seq in range(15) if is_inside(spans, seq)] == [0, 1, 2, 3, 4, 5, 12, 13, 14]


def test_a_cut_before_everything_keeps_nothing():
    assert cut(WHOLE, -1, 7) == ((7, None),)


def test_an_earlier_conversation_is_resumed_with_a_gap():
    before = cut(WHOLE, 5, 12)
    assert resume(before, next_seq=30, branched_at=20) == ((0, 5), (12, 19), (30, None))


def test_spans_survive_being_written_down():
    spans: Segments = ((0, 5), (12, 19), (30, None))
    assert parse(dump(spans)) == spans
    assert parse(None) == WHOLE


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 40)), max_size=12))
def test_any_course_of_appends_and_rewinds_equals_cutting_a_list(steps: list[tuple[int, int]]):
    spans, numbers, next_seq = WHOLE, [], 0
    for appended, target in steps:
        numbers = [*numbers, *range(next_seq, next_seq + appended)]
        next_seq += appended
        kept = max((seq for seq in numbers if seq <= target), default=-1)
        numbers = [seq for seq in numbers if seq <= kept]
        spans = cut(spans, kept, next_seq)
        assert [seq for seq in range(next_seq) if is_inside(spans, seq)] == numbers


def test_a_whole_group_stays_whole():
    assert snap_down(GROUPS, 3) == 3
    assert snap_down(GROUPS, 4) == 4
    assert snap_down(GROUPS, 5) == 5


def test_a_point_inside_a_group_snaps_down_before_it():
    assert snap_down(GROUPS, 1) == 0
    assert snap_down(GROUPS, 2) == 0


def test_a_group_that_is_not_complete_is_left_out():
    assert snap_down(GROUPS, 6) == 5


def test_before_everything_is_a_boundary():
    assert snap_down(GROUPS, -1) == -1
    assert snap_down([], -1) == -1


def test_numbers_with_gaps_snap_to_a_number_that_exists():
    history = [*GROUPS[:1], *stored(AssistantMessage("", (call(9),)), ToolMessage("c9", "x"), first=20)]
    assert snap_down(history, 20) == 0
    assert snap_down(history, 21) == 21
