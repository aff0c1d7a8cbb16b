"""The bot `llm`: asks a language model for each decision, and says what that has cost.

**What goes wrong** has a budget of its own in each decision, and is counted apart:

==============  =====================  =======================================================================
fault           budget                 what
==============  =====================  =======================================================================
``format``      `formats`              no answer in the reply, or one that cannot be read
``illegal``     `illegals`             an answer that is not legal (strict reading only)
``late``        the dealer's clock     the model has thought too long
``provider``    `providers`            the endpoint gave no completion: not the player's fault
``refused``     none                   it does not let us; the third decision in a row ends the bot
``budget``      of money and tokens    it is spent: the hand is finished, then the bot leaves
==============  =====================  =======================================================================

When a budget is used up the default action is played: a check, or a fold if there is something to call.  It
is never silent: the house is told with the action (`protocol.agents.usage`).
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Final

import attrs
import trio

from clients.bots.llm.costs import Prices, tokens_of
from clients.bots.llm.prompt import MOST_BYTES, TOOL, Memory, compact, system_message, user_message
from clients.bots.llm.provider import Outcome, Provider
from clients.bots.llm.reading import answer_in
from clients.bots.llm.settings import Settings, settings_of
from clients.bots.llm.transcript import Transcript
from clients.core.agent import Agent
from clients.core.options import is_on
from clients.core.session import SessionError
from engine.poker.rules import Action, GameDefinition, HandView
from engine.support.user_input import told_as
from protocol import variables
from protocol.agents.answers import BadFormat, Illegal, answer_of, default_action
from protocol.agents.usage import Usage, format_usage

_FIRST_WAIT_S: Final = 0.5
_MOST_WHY: Final = 256
# Bytes of the sentence with which an answer is asked for again.
_MOST_REFUSED: Final = 3
"""Decisions in a row."""
_ADAPTED_TOKENS: Final = "max_completion_tokens"


class _Fault(Exception):
    """The default action is played; the first argument is the fault, the second what happened."""


class Llm(Agent):
    """Asks a language model behind an OpenAI-dialect endpoint: url=http://HOST:PORT/v1,model=NAME.

    Args:
        profile: a TOML file of options.
        options: see `clients.bots.llm.settings.Settings`.

    Raises:
        ValueError: an option that cannot be taken.
    """

    wants_clock = True
    states_usage = True

    def __init__(self, profile: Path | None = None, **options: Any) -> None:
        self.settings: Final = settings_of(profile, options)
        self.provider: Final = Provider(
            self.settings.url, None if self.settings.replay else self.settings.key()
        )
        self._prices = Prices(self.settings.price, self.settings.model, self.settings.url)
        if self.settings.budget_usd is not None and self._prices.usd({"in": 1, "out": 1}) is None:
            raise ValueError(f"no price of {self.settings.model} is known for budget-usd: give price=IN/OUT")
        self._transcript = Transcript(None)
        self._memory = Memory(self.settings.history, hud=self.settings.hud)
        self._system = ""
        self._adapted: dict[str, str] = {}  # member -> its new name, empty if it is left out
        self._refused = 0
        self._spent_usd = 0.0
        self._spent_tokens = 0

    # --- the table -----------------------------------------------------------------------------------------

    def prepare(self, game: GameDefinition | None) -> None:
        """Open the transcript.

        Raises:
            SessionError: it cannot be read.
        """
        side = os.environ.get(variables.SIDE)
        path = self.settings.transcript or (Path(f"{side}.transcript") if side else None)
        with told_as(SessionError, ValueError):
            replay = self.settings.replay
            self._transcript = Transcript(replay or path, is_replay=replay is not None)
        for entry in () if replay else self._transcript.entries():
            self._spend(entry["request"]["messages"], Outcome.from_json(entry))

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Write the system message; what is remembered of players stays, since others may have sat down."""
        ours = self.settings
        self._system = system_message(game, hud=ours.hud, history=ours.history > 0, tools=ours.tools)

    def hand_finished(self, view: HandView) -> None:
        """Remember the hand; leave if the budget is spent.

        Raises:
            SessionError: it is.
        """
        self._memory.add(view, self.seat, self.names)
        if self._is_spent():
            spent = f"{self._spent_tokens} tokens, ${self._spent_usd:.4f}"
            raise SessionError(f"the budget is spent: {spent} after hand {view.hand_number}")

    async def choose_action(self, view: HandView) -> Action:
        """Asks the model; says with the action what it has cost.

        Raises:
            SessionError: the endpoint does not let us, or a replay lacks a reply.
        """
        seconds = self.settings.seconds if self.seconds_to_act is None else self.seconds_to_act
        started = trio.current_time()
        cost: Counter[str] = Counter()
        action, fault, detail = default_action(view), "late", ""
        with trio.move_on_after(max(0.001, seconds - self.settings.reserve)):
            try:
                action, fault = await self._ask(view, cost, started + seconds - self.settings.reserve), ""
            except _Fault as error:
                fault, detail = error.args
        self._refused = self._refused + 1 if fault == "refused" else 0
        if self._refused >= _MOST_REFUSED:
            raise SessionError(f"the endpoint does not let us: {detail}")
        self._tell(view, cost, fault, trio.current_time() - started)
        return action

    # --- a decision ----------------------------------------------------------------------------------------

    async def _ask(self, view: HandView, cost: Counter[str], until: float) -> Action:
        """The model's answer; asks again as far as the budgets go.

        Raises:
            _Fault: there is none.
        """
        ours = self.settings
        room = MOST_BYTES - _MOST_WHY - len(self._system.encode())
        shown = user_message(view, self.seat, self._memory, self.names, room)
        messages = [{"role": "system", "content": self._system}, {"role": "user", "content": shown}]
        left = {"format": ours.formats, "illegal": ours.illegals}
        asked = messages
        while True:
            reply = await self._complete(asked, cost, until)
            try:
                message = answer_in(reply, ours.reading, tools=ours.tools)
                answer = answer_of(message, view, ours.reading)
            except (BadFormat, Illegal) as error:
                fault = "format" if isinstance(error, BadFormat) else "illegal"
                cost[fault] += 1
                left[fault] -= 1
                if left[fault] < 0:
                    raise _Fault(fault, str(error)) from None
                asked = [*messages, {"role": "user", "content": f"That was not played. {error}"}]
            else:
                cost["illegal"] += bool(answer.illegal)
                return answer.action

    async def _complete(self, messages: list[dict[str, str]], cost: Counter[str], until: float) -> Any:
        """A completion.

        Raises:
            _Fault: the endpoint gives none, or the budget is spent.
            SessionError: a replay lacks it.
        """
        failures = 0
        while True:
            if self._is_spent():
                raise _Fault("budget", "")
            outcome = await self._request(self._body(messages), cost, failures, until)
            match outcome.kind:
                case "ok":
                    assert outcome.reply is not None
                    self._add_up(outcome.reply, cost)
                    return outcome.reply
                case "adapt" if self._adapt(outcome.parameter):
                    continue
                case "transient":
                    failures += 1
                case "adapt":
                    raise _Fault("refused", outcome.detail)
                case fault:  # in a transcript also "late": the clock has ended that decision
                    raise _Fault(fault, outcome.detail)

    async def _request(
        self, body: Mapping[str, Any], cost: Counter[str], failures: int, until: float
    ) -> Outcome:
        """Ask once, and wait until it may be asked again; or look up what was answered before.

        The transcript says for which failure the provider was given up, since a replay has no clock.
        """
        cost["tries"] += 1
        transcript = self._transcript
        known = transcript.next_reply(body)
        if known is not None:
            outcome = Outcome.from_json(known)
            if transcript.is_replay:  # else it was there when the transcript was opened
                self._spend(body["messages"], outcome)
            return outcome
        if transcript.is_replay:
            raise SessionError(f"the transcript {self.settings.replay} has no reply to this request")
        started = trio.current_time()
        outcome = Outcome("late", detail="cut off by the clock")
        try:
            outcome = await self.provider.ask(body, self.settings.attempt)
            if outcome.kind == "transient":
                wait = max(outcome.wait, _FIRST_WAIT_S * 2**failures * random.uniform(0.5, 1))
                is_last = failures >= self.settings.providers or trio.current_time() + wait >= until
                outcome = attrs.evolve(outcome, kind="provider" if is_last else "transient", wait=wait)
        finally:
            ms = round((trio.current_time() - started) * 1000, 3)
            transcript.add(body, {**outcome.as_json(), "ms": ms})
            self._spend(body["messages"], outcome)
        if outcome.kind == "transient":
            await trio.sleep(outcome.wait)
        return outcome

    def _body(self, messages: list[dict[str, str]]) -> dict[str, Any]:
        ours = self.settings
        body: dict[str, Any] = {"model": ours.model, "messages": messages}
        if ours.tools:
            body["tools"] = [TOOL]
            body["tool_choice"] = {"type": "function", "function": {"name": "act"}}
        body |= {ours.tokens_field: ours.max_tokens, "temperature": ours.temperature, "seed": ours.seed}
        for name in ours.omitted:
            body.pop(name, None)
        for name, other in self._adapted.items():
            value = body.pop(name, None)
            if other and value is not None:
                body[other] = value
        return body

    def _adapt(self, parameter: str) -> bool:
        """Leave out or rename a member for the rest; False if that has been tried, or cannot be done."""
        field = self.settings.tokens_field
        if parameter in self._adapted or parameter not in (
            "temperature", "seed", "tool_choice", field, *self._adapted.values(),
        ):  # fmt: skip
            return False
        self._adapted[parameter] = _ADAPTED_TOKENS if parameter == field != _ADAPTED_TOKENS else ""
        return True

    # --- what it costs -------------------------------------------------------------------------------------

    def _add_up(self, reply: Mapping[str, Any], cost: Counter[str]) -> None:
        tokens, usd = tokens_of(reply), self._prices.usd(tokens_of(reply))
        cost.update({**tokens, "nano_usd": round((usd or 0.0) * 1e9)})
        cost.update({"unknown": not {"in", "out"} <= set(tokens), "unpriced": usd is None})

    def _spend(self, messages: list[dict[str, str]], outcome: Outcome) -> None:
        """Take what a completion costs off the budgets, also where the endpoint does not count."""
        if outcome.reply is not None:
            tokens = tokens_of(outcome.reply)
            if not {"in", "out"} <= set(tokens):  # a token is some four bytes
                tokens = {"in": len(compact(messages)) // 4, "out": self.settings.max_tokens}
            self._spent_tokens += tokens["in"] + tokens["out"]
            self._spent_usd += self._prices.usd(tokens) or 0.0

    def _is_spent(self) -> bool:
        ours = self.settings
        budgets = (ours.budget_usd, self._spent_usd), (ours.budget_tokens, self._spent_tokens)
        return any(most is not None and spent >= most for most, spent in budgets)

    def _tell(self, view: HandView, cost: Counter[str], fault: str, seconds: float) -> None:
        """Tell the house about a decision."""
        names = ("in", "out", "cached", "reasoning") if not cost["unknown"] else ()
        told = {name: cost[name] for name in (*names, "tries", "format", "illegal") if name in cost}
        usd = None if cost["unpriced"] or not told.keys() & {"in", "out"} else cost["nano_usd"] / 1e9
        usage: Usage = {
            **told, "model": self.settings.model[:100], "reading": self.settings.reading,
            "adapted": "+".join(self._adapted), "usd": usd, "ms": round(seconds * 1000, 1), "fault": fault,
        }  # fmt: skip
        self.usage = format_usage(view.hand_number, view.betting.text, usage)


_PROFILE: Final = Parameter("profile", Parameter.KEYWORD_ONLY, default=None, annotation=Path | None)
Llm.__signature__ = Signature(  # type: ignore[attr-defined]  # the settings declare the options once
    [_PROFILE, *signature(Settings).parameters.values()]
)


def learns(options: Mapping[str, str | None]) -> bool:
    """Whether the bot remembers earlier hands, for the entry-point group ``riverboat.learners``."""
    return is_on(options, "hud", default=True) or options.get("history") != "0"
