"""Times of a clock that may be anything."""

import math

from hypothesis import given
from hypothesis import strategies as st

from steersman.sessions.times import local_time, utc_time
from steersman.wire import time_to_wire


def test_a_time_is_told_in_utc():
    assert utc_time(0).isoformat() == "1970-01-01T00:00:00+00:00"
    assert time_to_wire(1_700_000_000.5) == "2023-11-14T22:13:20.500Z"


def test_what_no_calendar_holds_becomes_the_nearest_that_it_does():
    assert utc_time(1e300).year == 9999
    assert utc_time(-1e300).year == 1
    assert local_time(math.inf).year == 9999
    assert local_time(-math.inf).year == 1


@given(st.floats())
def test_any_number_is_a_time(seconds):
    local_time(seconds).isoformat()
    assert time_to_wire(seconds).endswith("Z")
