"""The fit finds the exponent, and the picture is one that a reader of SVG takes."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.plot import fit, plot, straight


@given(st.floats(min_value=1e-6, max_value=10), st.floats(min_value=-1, max_value=3))
def test_the_exponent_of_a_power_law_is_found(factor, exponent) -> None:
    found = fit([(float(x), factor * x**exponent) for x in (10, 20, 40, 80)])
    assert found.exponent == pytest.approx(exponent, abs=1e-6)
    assert found.factor == pytest.approx(factor, rel=1e-6)


def test_the_straight_line_meets_costs_in_proportion() -> None:
    assert straight([(10, 1.0), (20, 2.0)])(40) == pytest.approx(4.0)


def test_the_picture_holds_every_point_and_the_exponent() -> None:
    text = plot([(10, 0.1), (20, 0.2), (40, 0.4)], 3, title="a < b", x_label="turns", y_label="CPU")
    root = ET.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}circle")) == 3
    words = [element.text for element in root.iter(f"{space}text")]
    assert "a < b" in words
    assert any("n^1.00" in word for word in words)
