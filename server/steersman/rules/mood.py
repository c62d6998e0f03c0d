"""Whether a clause tells to do something, or tells not to, asks, or talks about it (DESIGN M7).

What writes, deletes or runs needs a plain instruction, so whatever casts doubt on one counts, wherever it stands
outside quotes; what only reads does no harm and needs none of this. Must never look at tools: a mood is the same
whatever is there to be done.
"""

from __future__ import annotations

import re
from itertools import pairwise

from steersman.rules.quotes import find_quotes
from steersman.rules.words import stem_set, word_set

_PIECE = re.compile(r"\S+")
_BEFORE = re.compile(r"[^\w-]+")
_QUESTION_MARK = re.compile(r"\?(?=[\s)\]}.!?\"'”’*_]|$)")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'"})
_NEGATIONS = word_set(
    """not no never neither nor none nothing nobody nowhere without avoid avoiding refrain refraining keep keeping leave
    leaving preserve instead-of rather-than except but unless if whether when whenever once until before after or
    maybe perhaps otherwise cannot cant dont doesnt didnt wont wouldnt shouldnt couldnt mustnt isnt arent neednt hardly
    against lest"""
)
"""Words that deny, bound or weaken what a clause says, "n't" aside."""

_ASKING = word_set(
    """how why when whenever whether if unless should shall would could can may might must will do does did is are was
    were am has have had explain describe tell teach suppose imagine wonder discuss consider what who whom whose which
    where what's who's how's where's"""
)
_ASKING_FOR_FACTS = word_set("what who whom whose which where what's who's where's")
_CONTRASTS = word_set("but instead rather only just yes")
_RETRACTING = word_set("or no nope wait unless if except stop cancel")
_RETRACTION = word_set("do don't dont not never mind it that this them just kidding please any of ever better rather")
_ACTS = stem_set(
    """edit replace change modify substitute fix update correct swap rewrite write create save put store append make
    overwrite delete remove erase rm unlink move rename mv run execute exec launch patch apply insert add prepend"""
)


def has_doubt(clause: str) -> bool:
    """Whether a clause denies, bounds or asks; the words in its quotes do not count."""
    return denies(clause) or asks(clause)


def denies(clause: str) -> bool:
    """Whether a word of a clause denies, bounds or weakens it, as in "don't", "never", "instead of", "only if"."""
    words = plain_words(clause)
    words = words[words[:1] == ["but"] :]  # joins it to what stood before, and says nothing of it
    pairs = {f"{first}-{second}" for first, second in pairwise(words)}
    return any(word in _NEGATIONS or word.endswith("n't") for word in words) or bool(pairs & _NEGATIONS)


def asks(clause: str) -> bool:
    """Whether a clause ends as a question, one of its sentences does, or it begins as one or as talk about a deed."""
    words = plain_words(clause)
    return bool(words and words[0] in _ASKING) or _QUESTION_MARK.search(_unquoted(clause)) is not None


def begins_as_question(clause: str) -> bool:
    """Whether a clause's first word asks, so that a question mark behind it belongs to it alone."""
    return bool({*plain_words(clause)[:1]} & _ASKING)


def spreads(clause: str) -> bool:
    """Whether the doubt in a clause goes on to what is joined to it: not where it only asks for a fact, or reads."""
    words = plain_words(clause)
    if denies(clause):
        return True
    if not asks(clause):
        return False
    return not (words and words[0] in _ASKING_FOR_FACTS) or bool(stem_set(" ".join(words)) & _ACTS)


def takes_back(clause: str) -> bool:
    """Whether a clause bounds or withdraws what stands before it, as in "or not?", "no, don't" and "never mind"."""
    words = plain_words(clause)
    words = words[words[:1] == ["but"] :]
    return bool(words) and (words[0] in _RETRACTING or set(words) <= _RETRACTION)


def contrasts(clause: str) -> bool:
    """Whether a clause begins anew, whatever doubt stood before it, as in "instead, delete b.txt"."""
    return bool({*plain_words(clause)[:1]} & _CONTRASTS)


def plain_words(clause: str) -> list[str]:
    """Return the words of a clause that stand in no quotes, in lower case, without punctuation around them."""
    pieces = (_bare(piece) for piece in _PIECE.findall(_unquoted(clause).lower().translate(_APOSTROPHES)))
    return [piece for piece in pieces if piece]


def _bare(piece: str) -> str:
    """Return a piece without punctuation around it; a dash before it stays, as it makes an option of a word."""
    before = _BEFORE.match(piece)
    begin, end = 0 if before is None else before.end(), len(piece)
    while end > begin and not piece[end - 1].isalnum():
        end -= 1
    return piece[begin:end].strip("_")


def _unquoted(clause: str) -> str:
    """Return a clause with a comma for each quote."""
    parts: list[str] = []
    begin = 0
    for quote in find_quotes(clause):
        parts.append(clause[begin : quote.start])
        begin = quote.end
    return " , ".join([*parts, clause[begin:]])
