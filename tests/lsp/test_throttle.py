"""At most so many times a second, and always once more for what came last."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.throttle import Throttle
from support.fake_time import FakeTime


def test_the_first_is_sent_at_once_and_the_next_when_its_time_has_come() -> None:
    time, sent = FakeTime(), []
    throttle = Throttle(lambda: sent.append(time.now), interval_s=1, scheduler=time)
    throttle.poke()
    throttle.poke()
    assert sent == [0]
    time.pass_seconds(1)
    assert sent == [0, 1]


def test_what_rests_is_not_sent() -> None:
    time, sent = FakeTime(), []
    throttle = Throttle(lambda: sent.append(time.now), interval_s=1, scheduler=time)
    throttle.poke()
    throttle.poke()
    throttle.rest()
    time.pass_seconds(5)
    assert sent == [0]


@given(st.lists(st.integers(0, 30), max_size=40))
def test_never_more_often_than_the_interval_and_never_without_the_last(pauses: list[int]) -> None:
    """Pauses and the interval are in sixteenths, so that sums are exact."""
    time, sent, pokes = FakeTime(), [], 0
    throttle = Throttle(lambda: sent.append((time.now, pokes)), interval_s=10 / 16, scheduler=time)
    for pause in pauses:
        time.pass_seconds(pause / 16)
        pokes += 1
        throttle.poke()
    time.pass_seconds(10)
    times = [at for at, _ in sent]
    assert all(later - earlier >= 10 / 16 for earlier, later in pairwise(times))
    assert (sent[-1][1] if sent else 0) == pokes
