"""Which tool a step means: by word overlap with the tools' names and descriptions (DESIGN M7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from steersman.agent.messages import JsonValue
from steersman.agent.model import ToolSpec
from steersman.rules.certainty import commands, has_effect, says_just
from steersman.rules.fill import fill
from steersman.rules.mood import has_doubt
from steersman.rules.phrases import find_roles
from steersman.rules.schema import read_fields
from steersman.rules.step import Step, read_step
from steersman.rules.words import GENERIC_WORDS, families_of, split_words, stem, stem_set, stems

_BY_FULL_NAME = 20.0
_BY_NAME = 3.0
_BY_LIKE_NAME = 2.0
_BY_FIELD = 0.75
_BY_DESCRIPTION = 1.0
_FIRST_WORD = 1.5
_WEAK_VERB = 0.6
_ENOUGH = 1.0
_CLEAR = 1.0
_WEAK_VERBS = stem_set("show see display print check open")
_GENERIC = stem_set(" ".join(GENERIC_WORDS))
_GENERIC_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Chosen:
    """A step with the tool it means.

    Attributes:
        tool: the tool's name.
        arguments: the call's arguments.
        missing: required fields that the step tells nothing about; not () means that no call can be made.
    """

    tool: str
    arguments: dict[str, JsonValue]
    missing: tuple[str, ...] = ()


class ToolChooser:
    """Chooses among the tools of one request."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._tools = [_KnownTool.read(tool) for tool in tools]
        self._in_names = Counter(word for tool in self._tools for word in tool.name_stems)
        self._in_texts = Counter(word for tool in self._tools for word in tool.all_stems)

    @property
    def names(self) -> list[str]:
        """The tools' names."""
        return [tool.spec.name for tool in self._tools]

    def choose(self, text: str, last_path: str | None = None, *, may_act: bool = True) -> Chosen | None:
        """Return the tool that fits a step best, or None when none fits.

        A tool that changes something fits only a plain instruction to do just that; where it fits best and the step is
        none, no other is tried, but for one that reads and whose verb the step begins with.

        Args:
            text: the step.
            last_path: the last path that an earlier step named.
            may_act: what the step is part of lets it be an instruction.
        """
        step = read_step(text)
        best = self._best(step, last_path, self._tools)
        if best is None or not best[0].has_effect or (may_act and _is_told(step, *best)):
            return None if best is None else best[1]
        first = step.tokens[0]
        if first.kind != "word" or not families_of(first.stem):
            return None
        reading = [tool for tool in self._tools if not tool.has_effect and tool.does(first.stem)]
        best = self._best(step, last_path, reading)
        return None if best is None else best[1]

    def _best(self, step: Step, last_path: str | None, tools: Sequence[_KnownTool]) -> tuple[_KnownTool, Chosen] | None:
        """Return the one of some tools that fits a step best by its words."""
        verb = find_roles(step).verb
        best: tuple[float, _KnownTool, Chosen] | None = None
        for tool in tools:
            overlap = self._overlap(step, verb, tool)
            if overlap < _ENOUGH:
                continue
            fit = fill(step, tool.spec, tool.name_stems, last_path)
            if not self._is_named(step, verb, tool, fit.unused) and fit.quality < _CLEAR:
                continue
            score = overlap + fit.quality - (100.0 if fit.missing else 0.0)
            if best is None or score > best[0]:
                best = score, tool, Chosen(tool.spec.name, fit.arguments, tuple(fit.missing))
        return None if best is None else best[1:]

    def call(self, name: str, arguments: dict[str, JsonValue]) -> Chosen | None:
        """Return a call of a named tool, or None where there is no tool of that name."""
        return Chosen(name, arguments) if name in self.names else None

    def fill_words(self, name: str, words: str) -> dict[str, JsonValue]:
        """Return arguments for a named tool from words that say nothing else; {} for a tool that there is not."""
        tool = next((tool for tool in self._tools if tool.spec.name == name), None)
        if tool is None:
            return {}
        fit = fill(read_step(f"{name} {words}"), tool.spec, tool.name_stems)
        texts = (found for found in read_fields(tool.spec.parameters) if found.kind in {"string", "any"})
        field = next((found for found in texts if found.name in fit.missing), None)
        return fit.arguments if field is None or not words else {**fit.arguments, field.name: words}

    def _is_named(self, step: Step, verb: str | None, tool: _KnownTool, unused: frozenset[str]) -> bool:
        """Whether a word of the step is one of the tool's name, or like one; a description alone is a weaker sign.

        "Show" and its kind are such a word only where nothing else is said that might be meant.
        """
        if _says_name(step, tool):
            return True
        telling = unused - _GENERIC - _WEAK_VERBS
        first = step.stems[:1] if verb is None else [verb]
        words = telling | ({*first} - _WEAK_VERBS if telling else {*first})
        return any(word in tool.name_stems or tool.is_like(word) for word in words)

    def _overlap(self, step: Step, verb: str | None, tool: _KnownTool) -> float:
        """Return how much the step's words and the tool's have in common."""
        if _says_name(step, tool):
            return _BY_FULL_NAME
        words = step.stems if verb is None else [verb, *step.stems[1:]]
        score = 0.0
        for index, word in enumerate(dict.fromkeys(words)):
            weight = _WEAK_VERB if word in _WEAK_VERBS else _FIRST_WORD if index == 0 else 1.0
            score += self._worth(word, tool) * weight
        return score

    def _worth(self, word: str, tool: _KnownTool) -> float:
        share = _GENERIC_SHARE if word in _GENERIC else 1.0
        if word in tool.name_stems:
            return share * _BY_NAME / self._in_names[word]
        if tool.is_like(word):
            return share * _BY_LIKE_NAME
        if word in tool.text_stems:
            return share * _BY_DESCRIPTION / self._in_texts[word]
        if word in tool.field_stems:
            return share * _BY_FIELD / self._in_texts[word]
        return 0.0


@dataclass(frozen=True, slots=True)
class _KnownTool:
    """A tool and the stems of its words."""

    spec: ToolSpec
    name_stems: frozenset[str]
    text_stems: frozenset[str]
    field_stems: frozenset[str]

    @classmethod
    def read(cls, spec: ToolSpec) -> _KnownTool:
        name = frozenset(stem(word) for word in split_words(spec.name))
        fields = frozenset(word for found in read_fields(spec.parameters) for word in found.stems)
        return cls(spec, name, frozenset(stems(spec.description)), fields)

    def is_like(self, word: str) -> bool:
        """Whether a word means much the same as one of the tool's name."""
        return any(families_of(name)[:1] == (family,) for family in families_of(word) for name in self.name_stems)

    @property
    def has_effect(self) -> bool:
        """Whether a call of it may change something."""
        return has_effect(self.spec)

    def does(self, verb: str) -> bool:
        """Whether a verb's stem is one of its name, or like one."""
        return verb in self.name_stems or self.is_like(verb)

    @property
    def all_stems(self) -> frozenset[str]:
        return self.name_stems | self.text_stems | self.field_stems


def _is_told(step: Step, tool: _KnownTool, chosen: Chosen) -> bool:
    """Whether a step plainly tells to make a call that changes something; of one with gaps its mood alone counts."""
    if has_doubt(step.text) or not commands(step, tool.spec):
        return False
    return bool(chosen.missing) or says_just(step, tool.spec, chosen.arguments)


def _says_name(step: Step, tool: _KnownTool) -> bool:
    return any(token.kind != "quote" and token.text == tool.spec.name for token in step.tokens)
