"""What a bot does in a spot that is described: ``riverboat ask``.

The bot sits at a table in this process, or at the end of a connection, and is dealt a hand that goes as the
betting says, up to the spot; there it is asked.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import attrs
import trio

from clients.core.agent import Agent, begin_decision, checked_action
from clients.core.arena import Arena
from clients.lab.testing.agents import Replaying, StandIn
from engine.poker import rules
from engine.poker.cards import format_cards, parse_written_cards
from engine.poker.records import ProbabilityTriple
from engine.poker.rules.betting import BettingState
from engine.poker.situations import stacked_deal
from engine.support.seeds import derive_seed
from protocol import format_match_state


@attrs.frozen
class Spot:
    """A decision: everything that the player who is to make it knows."""

    game: rules.GameDefinition
    betting: BettingState
    """In it somebody is to act."""
    hole_cards: tuple[int, ...]
    board: tuple[int, ...]

    @property
    def position(self) -> int:
        """The position of the player who is asked."""
        return self.betting.actor()

    @property
    def actions(self) -> list[rules.Action]:
        """The actions before it, in order."""
        return [action for _, _, action in self.betting.steps()]


def read_spot(game: rules.GameDefinition, betting: str, hole_cards: str, board: str) -> Spot:
    """A spot as people write it.

    Args:
        game: what is played.
        betting: as in logs; empty for the first decision.
        hole_cards: of the player who is to act, in any common spelling.
        board: the cards that are out.

    Raises:
        ValueError: a betting that is none or that ends the hand, wrong cards, or too few of them; one line.
    """
    state = rules.parse_betting(game, betting)
    hole, out = (tuple(parse_written_cards(text)) if text else () for text in (hole_cards, board))
    if state.position_to_act is None:
        raise ValueError(f"after {betting!r} the hand is over: nobody is to act")
    if len(hole) != game.num_hole_cards:
        raise ValueError(f"expected {game.num_hole_cards} hole cards, got {format_cards(hole) or 'none'}")
    if len(out) != state.num_board_cards:
        raise ValueError(
            f"after {betting!r} there are {state.num_board_cards} board cards, "
            f"got {format_cards(out) or 'none'}"
        )
    both = (*hole, *out)
    if len(set(both)) != len(both):
        raise ValueError(f"expected different cards, got {format_cards(both)}")
    if not set(both) <= set(game.deck):
        foreign = format_cards([card for card in both if card not in game.deck])
        raise ValueError(f"{foreign} is not in the game's deck")
    return Spot(game, state, hole, out)


@attrs.frozen
class Overruled:
    """An earlier decision of the bot's that the betting has otherwise."""

    betting: str
    answered: rules.Action
    played: rules.Action


@attrs.frozen
class Answer:
    """A bot's answer."""

    action: rules.Action
    """As it is played: put right where it was not legal."""
    is_legal: bool
    triple: ProbabilityTriple | None
    """The chances it says it had; None for a bot that does not tell."""
    view: rules.HandView
    overruled: tuple[Overruled, ...]
    agent: Agent
    reasons: Mapping[str, str]
    """The numbers by which it decided, as it says them."""


class _Enough(Exception):
    """The spot has been reached and the bot has answered: the rest of the hand is nobody's business."""


class _Asked(StandIn):
    """Hands everything on to a bot, but has it answer in one spot only, and elsewhere follows the betting.

    Args:
        bot: who is asked.
        spot: where.
        is_always_asked: a player over the wire waits for no permission: its other answers are taken and,
            where they differ, overruled.
    """

    def __init__(self, bot: Agent, spot: Spot, *, is_always_asked: bool) -> None:
        super().__init__(bot)
        self._script = spot.actions
        self._is_always_asked = is_always_asked
        self._overruled: list[Overruled] = []
        self.answer: Answer | None = None

    def choose_action(self, view: rules.HandView) -> rules.Action:
        """The bot's answer, in the spot; else what the betting says.

        Raises:
            _Enough: after the answer in the spot.
        """
        number = len(view.betting.steps())
        is_spot = number == len(self._script)
        if not is_spot and not self._is_always_asked:
            return self._script[number]
        begin_decision(self.agent, view)
        chosen = self.agent.choose_action(view)
        if not isinstance(chosen, rules.Action):
            chosen = trio.run(_awaited, chosen)
        chosen = checked_action(self.agent, chosen)
        played = view.legal_actions().nearest(chosen)
        if not is_spot:
            if played != self._script[number]:
                self._overruled.append(Overruled(view.betting.text, played, self._script[number]))
            return self._script[number]
        tells: Callable[[rules.HandView], ProbabilityTriple] | None
        tells = getattr(self.agent, "probability_triple", None)
        triple = None if tells is None else ProbabilityTriple(*map(float, tells(view)))
        reasons = self.agent.reasons(view)
        self.answer = Answer(
            played, played == chosen, triple, view, tuple(self._overruled), self.agent, reasons
        )
        raise _Enough


async def _awaited(chosen: Awaitable[rules.Action]) -> rules.Action:
    return await chosen


def ask(bot: Agent, spot: Spot, *, seed: int = 0, is_remote: bool = False) -> Answer:
    """Deal a bot the spot's hand, and have it answer there.

    Args:
        bot: who is asked; its `seed` is set from `seed`.
        spot: where.
        seed: of the bot, and of the cards that nobody has named.
        is_remote: the bot is at the other end of a connection: it answers at every turn of its own.
    """
    game = spot.game
    asked = _Asked(bot, spot, is_always_asked=is_remote)
    agents: list[Agent] = [Replaying([spot.actions]) for _ in range(game.num_players)]
    agents[spot.position] = asked
    bot.seed, bot.seeded = derive_seed(seed, spot.position), True
    names = [f"p{position}" for position in range(game.num_players)]
    own = {spot.position: format_cards(spot.hole_cards)}
    deal = stacked_deal(game, own, format_cards(spot.board), seed=seed)
    table = Arena(game, agents, seed, names=names, dealer=rules.StackedDealer([deal]))
    with contextlib.suppress(_Enough):
        table.play(1)
    assert asked.answer is not None  # the betting leads to the spot
    return asked.answer


def report(name: str, game: str, spot: Spot, answers: Sequence[Answer]) -> dict[str, Any]:
    """The object that ``riverboat ask --json`` prints, of answers with a seed each; it shows the first.

    What a bot draws by its seed, such as trials or what it begins to learn from, makes other chances: the
    triple is their mean.
    """
    legal = spot.betting.legal_actions()
    answer, asked = answers[0], len(answers)
    actions = Counter([each.action for each in answers])
    triples = [each.triple for each in answers if each.triple is not None]
    triple = [sum(chances) / len(triples) for chances in zip(*triples, strict=True)]
    return {
        "bot": name, "game": game, "betting": spot.betting.text, "position": spot.position,
        "position_name": spot.game.position_names[spot.position],
        "hole_cards": format_cards(spot.hole_cards), "board": format_cards(spot.board),
        "match_state": format_match_state(answer.view), "pot": spot.betting.pot,
        "to_call": max(0, spot.betting.amount_to_call(spot.position)), "legal": str(legal),
        "action": str(answer.action), "is_legal": answer.is_legal,
        "triple": dict(zip(("fold", "call", "raise"), triple, strict=True)) if triple else None,
        "triples_differ": len(set(triples)) > 1,
        "decided_by": dict(answer.reasons), "asked": asked,
        "answers": {str(action): count / asked for action, count in actions.most_common()},
        "overruled": [
            {"betting": one.betting, "answered": str(one.answered), "played": str(one.played)}
            for one in answer.overruled
        ],
    }  # fmt: skip
