"""What a run as a whole did to each file."""

import pytest

from steersman.agent.changes import ChangeSummary
from steersman.runs.activity import progressive
from steersman.runs.report import merge_changes


def change(path, kind, added=1, removed=0, moved_from=None):
    return ChangeSummary(path, kind, added, removed, moved_from=moved_from)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([change("a", "edit", 1, 2), change("a", "edit", 3, 4)], [change("a", "edit", 4, 6)]),
        ([change("a", "create", 5), change("a", "edit", 1, 1)], [change("a", "create", 6, 1)]),
        ([change("a", "create", 5), change("a", "delete", 0, 5)], []),
        ([change("a", "delete", 0, 5), change("a", "create", 5)], [change("a", "edit", 5, 5)]),
        ([change("a", "create", 5), change("b", "move", 0, 0, "a")], [change("b", "create", 5, 0)]),
        ([change("a", "edit", 1, 1), change("b", "move", 0, 0, "a")], [change("b", "move", 1, 1, "a")]),
        (
            [change("b", "move", 0, 0, "a"), change("c", "move", 0, 0, "b")],
            [change("c", "move", 0, 0, "a")],
        ),
        ([change("b", "move", 0, 0, "a"), change("b", "edit", 2, 1)], [change("b", "move", 2, 1, "a")]),
    ],
)
def test_changes_are_merged_to_one_entry_a_file(changes, expected):
    assert list(merge_changes(changes)) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [("read src/a.py", "reading src/a.py"), ("run pytest -q", "running pytest -q"), ("ponder", "ponder")],
)
def test_titles_become_activities(title, expected):
    assert progressive(title) == expected
