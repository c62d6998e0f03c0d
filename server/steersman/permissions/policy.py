"""The decision on one call: allow, ask a person, or deny (DESIGN A1, A5, W7, W10).

The order is what makes it safe: the mode can refuse, then rules that deny, then what always asks (protected paths, the
editor's own reasons, effects this version does not know, commands on Windows), then rules that ask, and only then what
the mode, a rule or an earlier answer lets through. Nothing later can loosen what came before.

=============  =====  =====  ============  =====
a call that    plan   ask    accept-edits  auto
=============  =====  =====  ============  =====
reads          allow  allow  allow         allow
changes files  deny   ask    allow         allow
executes       deny*  ask    ask           allow+
uses network   deny   ask    ask           allow
is unknown     deny   ask    ask           ask
=============  =====  =====  ============  =====

``*`` a command that runs wholly read-only is asked for. ``+`` but one that no sandbox holds back, and that writes or
runs something under a name that it only computes, asks. A call that does several of these gets the strictest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steersman.agent.approval import DecidedBy
from steersman.permissions.command_patterns import configures_git, only_reads
from steersman.permissions.grants import Grant, grants_for, short_name
from steersman.permissions.ground import Ground, OwnFiles, Protection
from steersman.permissions.modes import Mode
from steersman.permissions.proposal import Proposal, Reach, mentioned_paths
from steersman.permissions.rule import Rule, strictest

Base: TypeAlias = Literal["allow", "ask", "deny"]

MATRIX: dict[Reach, dict[Mode, Base]] = {
    "read": {Mode.PLAN: "allow", Mode.ASK: "allow", Mode.ACCEPT_EDITS: "allow", Mode.AUTO: "allow"},
    "change": {Mode.PLAN: "deny", Mode.ASK: "ask", Mode.ACCEPT_EDITS: "allow", Mode.AUTO: "allow"},
    "execute": {Mode.PLAN: "deny", Mode.ASK: "ask", Mode.ACCEPT_EDITS: "ask", Mode.AUTO: "allow"},
    "network": {Mode.PLAN: "deny", Mode.ASK: "ask", Mode.ACCEPT_EDITS: "ask", Mode.AUTO: "allow"},
    "unknown": {Mode.PLAN: "deny", Mode.ASK: "ask", Mode.ACCEPT_EDITS: "ask", Mode.AUTO: "ask"},
}
"""What each mode says to each kind of call (A1), before rules and protection."""


@dataclass(frozen=True, slots=True)
class Allow:
    """It may run. ``by``: the mode, or a rule or an earlier answer."""

    by: DecidedBy = "policy"


@dataclass(frozen=True, slots=True)
class Ask:
    """A person has to decide.

    Attributes:
        grants: what "for this session" would remember; empty when it can be allowed only once.
        protected: it touches what always asks (W7).
        because: lines that a person should see with the question.
    """

    grants: tuple[Grant, ...] = ()
    protected: bool = False
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deny:
    """It must not run. ``reason`` is for the model."""

    reason: str
    by: DecidedBy = "policy"


Verdict: TypeAlias = Allow | Ask | Deny


def decide(
    proposal: Proposal,
    mode: Mode,
    *,
    ground: Ground,
    rules: Sequence[Rule] = (),
    remembered: Sequence[Grant] = (),
    must_ask: Callable[[], str | None] = lambda: None,
) -> Verdict:
    """Decide on one proposal.

    Args:
        proposal: the call, worked out.
        mode: the run's mode at this moment.
        ground: roots and protected paths.
        rules: the user's own, and the workspace's where they tighten.
        remembered: what was allowed for this session or always.
        must_ask: why the editor wants this asked in every mode, or None.
    """
    base = base_verdict(proposal, mode)
    if base == "deny":
        return Deny(_refusal(mode, proposal))
    rule = strictest(rules, proposal, ground)
    if rule is not None and rule.action == "deny":
        return Deny("a rule of the user's own settings denies this.", by="rule")
    always = _always_asks(proposal, ground, None if proposal.only_reads else must_ask())
    if always is not None:
        return always
    if rule is not None:
        return Ask(because=(f"Your rule “{rule}” asks each time.",))
    if any(rule.may_hide_in(proposal) for rule in rules):
        return Ask(because=_doubts(proposal))
    if base == "allow":
        return _unless_computed(proposal)
    demands = proposal.demands(ground)
    if demands and all(
        any(grant.covers(demand, ground) for grant in remembered)
        or any(rule.allows(proposal.tool, demand, ground) for rule in rules)
        for demand in demands
    ):
        return Allow(by="rule")
    near = (rule.why_not(proposal.tool, demand, ground) for demand in demands for rule in rules)
    because = (*_doubts(proposal), *dict.fromkeys(why for why in near if why is not None))
    return Ask(grants=grants_for(demands, remembered, ground), because=because)


def base_verdict(proposal: Proposal, mode: Mode) -> Base:
    """Return what the mode alone says: the strictest of what the call does."""
    said = {MATRIX[reach][mode] for reach in proposal.reach}
    verdict: Base = "deny" if "deny" in said else "ask" if "ask" in said else "allow"
    runs_read_only = proposal.line is not None and proposal.plan.confinement == "read_only"
    if verdict == "deny" and runs_read_only and proposal.reach <= {"read", "execute"}:
        return "ask"
    return verdict


def protections(proposal: Proposal, ground: Ground) -> tuple[tuple[str, Protection], ...]:
    """Return the protected paths that the proposal touches: (canonical path, why).

    A call that only reads touches secrets alone. So does a command whose every part is known only to read, and only
    secrets that are there; the words of any other command count wherever they may name a protected path. (A word such
    as ``event.key`` in a piece of code only looks like a secret; it counts if there is such a file.)
    """
    protection_of = ground.protected()
    touched: dict[str, Protection] = {}
    changed = [change.path for change in proposal.plan.changes]
    changed += [change.moved_from for change in proposal.plan.changes if change.moved_from is not None]
    for path in [*changed, *proposal.plan.targets]:
        protection = protection_of(path)
        if protection is not None and (protection.is_secret or not proposal.only_reads):
            touched[path] = protection
    reads = _command_only_reads(proposal)
    for path in mentioned_paths(proposal, ground):
        protection = protection_of(path)
        if protection is not None and _counts(path, protection, ground, reads=reads):
            touched[path] = protection
    return tuple(touched.items())


def _counts(path: str, protection: Protection, ground: Ground, *, reads: bool) -> bool:
    """Whether a protected path that a command's words seem to name counts as touched; ``reads``: it only reads."""
    if not protection.is_secret:
        return not reads
    if ground.exists(path):
        return True
    return not reads and (isinstance(protection, OwnFiles) or ground.components(path)[-1].startswith("."))


def _always_asks(proposal: Proposal, ground: Ground, must_ask: str | None) -> Ask | None:
    """Return the question that no mode, rule or memory answers, if this is one."""
    touched = protections(proposal, ground)
    if touched:
        reasons = {protection.reason: short_name(path, ground) for path, protection in reversed(touched)}
        return Ask(protected=True, because=tuple(f"{name} always asks: {reason}." for reason, name in reasons.items()))
    if must_ask is not None:
        return Ask(because=(must_ask,))
    if "unknown" in proposal.reach:
        return Ask(because=("This tool does something that this version of Steersman does not know.",))
    if proposal.line is not None and configures_git(proposal.line):
        return Ask(protected=True, because=("Git's configuration always asks: it names programs that git runs.",))
    if proposal.line is not None and ground.windows:
        return Ask(because=("Commands always ask on Windows.",))
    return None


def _unless_computed(proposal: Proposal) -> Allow | Ask:
    """Let it through, but for a command that may write to any path and that no sandbox holds back from (W7)."""
    if proposal.line is None or proposal.plan.confinement != "none":
        return Allow()
    from steersman.permissions.computed import computed_names  # noqa: PLC0415 - for few commands in one mode only

    why = computed_names(proposal.line.text)
    return Allow() if why is None else Ask(because=(f"Asked without a sandbox, because {why}.",))


def _command_only_reads(proposal: Proposal) -> bool:
    line = proposal.line
    if line is None or not line.understood or not proposal.reach <= {"read", "execute", "network"}:
        return False
    return all(part.program == "cd" or only_reads(part) for part in line.parts)


def _doubts(proposal: Proposal) -> tuple[str, ...]:
    """Say why a command can only be allowed once."""
    if proposal.line is None or proposal.line.understood:
        return ()
    return (f"Asked each time, because {proposal.line.doubts[0]}.",)


def _refusal(mode: Mode, proposal: Proposal) -> str:
    what = "commands" if proposal.line is not None else "this tool" if "change" not in proposal.reach else "changes"
    return f"{mode.value} mode only reads; {what} are not possible in it. Say what you would do instead.".replace(
        "this tool are", "this tool is"
    )
