"""Words as the rules compare them: lower case, without endings, without the words that say nothing, by families."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_MIN_STEM = 3


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(words.split())


STOP_WORDS = word_set(
    """a about again all also am an and any are as at be been by can could did do does done each every for from give has
    have he her here his how i if in into is it its just let like may me my no not now of off on one or our out
    please s she so some than that the their them there these they this those to too up us was we were what when where
    which who will with would you your"""
)
"""Words that tell nothing about which tool is meant."""

GENERIC_WORDS = word_set(
    """call code content current data file folder get given input item line list name new number optional output path
    result return set text tool use value workspace"""
)
"""Words that a description may hold whatever its tool does; alone they choose none."""

_FAMILIES = (
    "read show open print cat view display see",
    "list ls dir enumerate tree show",
    "find locate glob",
    "search grep find rg scan",
    "edit replace change modify substitute fix update correct swap rewrite",
    "write create save put store generate append make rewrite overwrite",
    "delete remove erase rm unlink",
    "move rename mv relocate",
    "run execute exec launch",
    "patch apply",
    "diagnostic problem error warning lint",
    "add sum plus total addition",
    "subtract minus difference subtraction",
    "multiply times product multiplication",
    "divide quotient division",
    "calculate compute evaluate calculator",
    "weather forecast temperature rain sunny",
    "time clock hour",
    "send mail email message",
    "convert exchange",
    "translate translation",
    "fetch download http url",
    "ping",
    "say echo repeat",
)


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case; snake_case and camelCase names come apart."""
    return [word.lower() for word in _WORD.findall(text)]


def stem(word: str) -> str:
    """Return a lower-case word without its commonest English endings; made to be compared, not to be read."""
    if word.endswith("ies") and len(word) > _MIN_STEM + 1:
        word = word[:-3] + "y"
    elif word.endswith(("ses", "xes", "ches", "shes")) and len(word) > _MIN_STEM + 2:
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _MIN_STEM:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) >= _MIN_STEM + len(ending):
            word = word.removesuffix(ending)
            break
    if word.endswith("e") and len(word) > _MIN_STEM:
        word = word[:-1]
    if len(word) >= _MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


def stems(text: str) -> list[str]:
    """Return the stems of the words that say something, in order."""
    return [stem(word) for word in split_words(text) if word not in STOP_WORDS]


def stem_set(words: str) -> frozenset[str]:
    """Return the stems of the words of a text as a set."""
    return frozenset(stem(word) for word in words.split())


def families_of(word_stem: str) -> Sequence[int]:
    """Return the families of words of like meaning that a stem belongs to, as numbers, its main one first."""
    return _FAMILIES_OF.get(word_stem, ())


def _families() -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for number, family in enumerate(_FAMILIES):
        for key in stem_set(family):
            found[key] = (*found.get(key, ()), number)
    return found


_FAMILIES_OF = _families()
