"""The hook before each tool call of one run: policy first, then a person where policy says so (DESIGN A1 to A7).

Whatever is not a clear yes is a no: silence, an unknown answer, a client that fails, nobody to ask. The mode is looked
at anew for each call, and again after each answer, so that a run that was made stricter while a question stood obeys.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from steersman.agent.approval import ApprovalRequest, Approved, Decision, Option, Refused
from steersman.agent.tool import Plan
from steersman.permissions.grants import Grant, describe_grants
from steersman.permissions.ground import Ground
from steersman.permissions.memory import Rejections, SessionMemory
from steersman.permissions.modes import Mode
from steersman.permissions.policy import Allow, Ask, Deny, Verdict, decide
from steersman.permissions.proposal import Proposal, propose
from steersman.permissions.question import NOBODY_TO_ASK, Answer, Asker, Question
from steersman.permissions.render import ALLOW_ALWAYS, ALLOW_ONCE, ALLOW_SESSION, REJECT, scoped_label
from steersman.permissions.rule import Rule
from steersman.permissions.store import AlwaysStore

SAVE_AND_ALLOW = "save_and_allow"
"""The option that saves our unsaved edits before a command runs (W2)."""

"""What the model is told where nobody can be asked (A7)."""

_MAX_REASON_CHARS = 2000
_NOT_AGAIN = "Do not try the same again; do without it, or say what you would need."


def _never(plan: Plan) -> str | None:
    del plan
    return None


def _silent(message: str) -> None:
    del message


class Approver:
    """Decides on the calls of one run (``agent.approval.BeforeToolCall``).

    Args:
        session_id: the run's session.
        mode: the run's mode as it is now.
        ground: roots, protected paths, system.
        asker: whoever can ask a person; None when nobody can be asked (headless: what would ask is refused, A7).
        rules: the user's own rules, and the workspace's where they tighten.
        memory: what this session was allowed; shared by the session's runs.
        always: what is always allowed in this folder; None: "Always allow" is not offered.
        must_ask: why the editor wants a plan asked in every mode, or None.
        save: saves these documents (display paths) before a command runs; None: saving is not offered.
        warn: takes a line that a person should see, once.
    """

    def __init__(
        self,
        *,
        session_id: str,
        mode: Callable[[], Mode],
        ground: Ground,
        asker: Asker | None = None,
        rules: Sequence[Rule] = (),
        memory: SessionMemory | None = None,
        always: AlwaysStore | None = None,
        must_ask: Callable[[Plan], str | None] = _never,
        save: Callable[[tuple[str, ...]], Awaitable[None]] | None = None,
        warn: Callable[[str], None] = _silent,
    ) -> None:
        self._session_id = session_id
        self._mode = mode
        self._ground = ground
        self._asker = asker
        self._rules = tuple(rules)
        self._memory = memory if memory is not None else SessionMemory()
        self._always = always
        self._must_ask = must_ask
        self._save = save
        self._warn = warn
        self._rejections = Rejections()
        self._unsaved_settled: set[tuple[str, ...]] = set()
        self._warned: set[str] = set()

    async def __call__(self, request: ApprovalRequest, /) -> Decision:
        """Decide on ``request.plan``. Raises nothing but a cancellation."""
        proposal = propose(request.tool, request.plan, request.call.arguments)
        if self._rejections.holds(proposal):
            return _refused_before(self._rejections.reason(proposal))
        verdict = self._decide(proposal)
        unsaved = proposal.line is not None and request.plan.unsaved and self._asker is not None
        if isinstance(verdict, Allow) and unsaved and request.plan.unsaved not in self._unsaved_settled:
            verdict = Ask()
        match verdict:
            case Allow(by):
                return Approved(by=by)
            case Deny(reason, by):
                return Refused(reason, by=by)
            case Ask():
                return await self._ask(request, proposal, verdict)

    def _decide(self, proposal: Proposal) -> Verdict:
        return decide(
            proposal,
            self._mode(),
            ground=self._ground,
            rules=self._rules,
            remembered=(*self._memory.grants, *self._always_grants()),
            must_ask=lambda: self._must_ask(proposal.plan),
        )

    def _always_grants(self) -> tuple[Grant, ...]:
        if self._always is None:
            return ()
        if (problem := self._always.problem) is not None:
            self._warn_once(problem)
        return self._always.grants

    async def _ask(self, request: ApprovalRequest, proposal: Proposal, ask: Ask) -> Decision:
        """Put the question, and take nothing for a yes that is not one of the answers offered."""
        if self._asker is None:
            return Refused(" ".join((NOBODY_TO_ASK, *ask.because, _NOT_AGAIN)))
        question = self._question(request, ask)
        request.announce(question.options)
        try:
            answer = await self._asker.ask(question)
        except Exception as error:  # noqa: BLE001 -- A3: a client that fails has not consented
            self._warn_once(f"A question could not be put ({type(error).__name__}); it counts as refused.")
            return Refused("the question could not be put to the person, which counts as no.")
        if answer is None:
            return Refused("the person did not answer, which counts as no. " + _NOT_AGAIN)
        if answer.option_id not in {option.id for option in question.options}:
            return Refused("the answer was not one of those offered, which counts as no.")
        if answer.option_id == "reject":
            return self._rejected(proposal, answer)
        return await self._allowed(proposal, ask, answer)

    def _rejected(self, proposal: Proposal, answer: Answer) -> Refused:
        reason = (answer.reason or "").strip()[:_MAX_REASON_CHARS] or None
        self._rejections.add(proposal, reason)
        said = f"the person said no: {reason}" if reason else f"the person said no. {_NOT_AGAIN}"
        return Refused(said, by="person")

    async def _allowed(self, proposal: Proposal, ask: Ask, answer: Answer) -> Decision:
        """Take a yes, unless the run was made stricter meanwhile; remember what was offered to be remembered."""
        verdict = self._decide(proposal)
        if isinstance(verdict, Deny):
            return Refused(verdict.reason, by=verdict.by)
        if isinstance(verdict, Ask) and verdict.protected and not ask.protected:
            return Refused("what this touches became protected while the question stood; ask for it again.")
        if answer.option_id == "allow_session":
            self._memory.add(ask.grants)
        elif answer.option_id == "allow_always":
            self._keep(ask.grants)
        elif answer.option_id == SAVE_AND_ALLOW and self._save is not None:
            await self._save(proposal.plan.unsaved)
        if proposal.plan.unsaved:
            self._unsaved_settled.add(proposal.plan.unsaved)
        return Approved(by="person", option=answer.option_id)

    def _keep(self, grants: Sequence[Grant]) -> None:
        """Keep "always"; where that fails, at least this session remembers."""
        assert self._always is not None, "the option is offered only where there is a store"
        try:
            self._always.add(grants)
        except OSError as error:
            self._memory.add(grants)
            self._warn_once(f"“Always allow” could not be kept ({error.strerror or error}); this session remembers it.")

    def _question(self, request: ApprovalRequest, ask: Ask) -> Question:
        plan = request.plan
        scope = describe_grants(ask.grants, self._ground) if ask.grants else None
        lines = list(ask.because)
        if request.round > 1:
            lines.insert(0, "This is no longer what was asked before: the file changed meanwhile.")
        lines.extend(plan.warnings)
        if plan.unsaved:
            lines.append(f"Not saved, so the command will not see it: {', '.join(plan.unsaved)}")
        return Question(
            run_id=request.run_id,
            session_id=self._session_id,
            call_id=request.call.id,
            tool=request.tool.name,
            plan=plan,
            options=self._options(plan, scope),
            round=request.round,
            protected=ask.protected,
            warning="\n".join(lines) or None,
            remembers=scope,
        )

    def _options(self, plan: Plan, scope: str | None) -> tuple[Option, ...]:
        """Return the answers there are, the harmless one first (A2)."""
        options = [Option("reject", REJECT)]
        if plan.unsaved and plan.command is not None:
            options = [Option("reject", "Skip")]
            if self._save is not None:
                options.append(Option(SAVE_AND_ALLOW, "Save and go on"))
        once = Option("allow_once", ALLOW_ONCE)
        options.append(replace(once, label="Run anyway") if plan.unsaved else once)
        if scope is not None:
            options.append(Option("allow_session", scoped_label(ALLOW_SESSION, scope)))
            if self._always is not None:
                options.append(Option("allow_always", scoped_label(ALLOW_ALWAYS, scope)))
        return tuple(options)

    def _warn_once(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            self._warn(message)


def _refused_before(reason: str | None) -> Refused:
    said = f"the person already said no to exactly this: {reason}" if reason else "the person already said no to this."
    return Refused(f"{said} {_NOT_AGAIN}", by="person")
