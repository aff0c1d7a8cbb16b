"""Players drawn wide: each habit is there or not, and how strong it is, by chance.

The population is what the player model assumes of strangers, so it is wider than anybody is likely to be: of
players by the formula only, it predicts others worse than counting does.  Nothing in it may be made after a
player by whom the model is judged.
"""

from __future__ import annotations

import random
from typing import Final

import attrs

from clients.bots.hand_strength import HandStrengthBot
from clients.core.agent import Agent
from clients.core.registry import make_bot
from engine.poker.rules import CALL, FOLD, Action, GameDefinition, HandView

_NEVER: Final = 2.0
"""A least hand strength that no hand has."""


@attrs.frozen
class DrawnStyle:
    """Habits.  Hands are measured by the share of hands that they beat, from 0 to 1."""

    preflop: tuple[float, float, float, float]
    """The least hand to play, to call a raise with, to raise with, to raise again with."""
    postflop: tuple[float, float, float]
    """The least hand to call with, to bet with, to raise with."""
    drift: float
    """By how much these rise from street to street."""
    price: float
    """The least chance to win with which a bet is called, in parts of its pot odds."""
    most_raises: int
    """In a betting round."""
    dice_raise: float
    """How often it raises whatever it holds."""
    dice_fold: float
    slow_play: float
    """How often it only calls where it would raise."""
    bluff: float
    """How often it bets where it would check a poor hand."""
    lead: float
    """How often it bets after having raised last."""
    noise: float
    """The deviation of its judgment of a hand."""
    ignores_others: bool
    """Whether it takes several opponents for one."""
    size: float
    """Of its raises in no-limit games, in pots; each is drawn between half and twice of it."""


def drawn_style(rng: random.Random) -> DrawnStyle:
    """A style at random."""

    def unless(absent: float, low: float, high: float) -> float:
        return 0.0 if rng.random() < absent else rng.uniform(low, high)

    play = 0.0 if rng.random() < 0.25 else rng.uniform(0.0, 0.85)
    to_raise = play + rng.uniform(0.0, 1.0 - play)
    raised = play + rng.uniform(0.0, 1.0 - play)
    again = raised + rng.uniform(0.0, 1.0 - raised)
    if rng.random() < 1 / 7:
        raised = again = _NEVER
    call, bet = rng.uniform(0.0, 0.65), rng.uniform(0.3, 0.98)
    if rng.random() < 1 / 12:
        bet = _NEVER
    return DrawnStyle(
        preflop=(play, to_raise, raised, again), postflop=(call, bet, bet + rng.uniform(0.0, 0.4)),
        drift=rng.uniform(-0.1, 0.1), price=unless(0.45, 0.3, 1.8), most_raises=rng.choice((1, 2, 3, 9)),
        dice_raise=unless(0.75, 0.0, 0.9), dice_fold=unless(0.85, 0.0, 0.5),
        slow_play=unless(0.75, 0.2, 0.95), bluff=unless(0.6, 0.0, 0.6), lead=unless(0.6, 0.2, 1.0),
        noise=unless(0.4, 0.0, 0.15), ignores_others=rng.random() < 0.5, size=rng.uniform(0.3, 1.5),
    )  # fmt: skip


class StyleAgent(Agent):
    """Plays in a style, limit and no-limit, two to ten players."""

    is_stateless = True

    def __init__(self, style: DrawnStyle) -> None:
        self._style = style
        self._hand = HandStrengthBot(plain=style.ignores_others)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load the percentiles of starting hands."""
        self._hand.match_started(game, seat)

    def choose_action(self, view: HandView) -> Action:
        """The action by the style's habits, and dice where it throws them."""
        style, betting, chance = self._style, view.betting, self.rng.random
        strength = self._hand.strength(view) + self.rng.gauss(0.0, style.noise)
        raises, stage = betting.raises_in_round, betting.betting_round
        to_call = max(0, betting.amount_to_call(view.position))
        if chance() < style.dice_raise:
            return self._raised(view)
        if to_call and chance() < style.dice_fold:
            return FOLD
        if stage == 0:
            call_at, raise_at = style.preflop[min(raises, 1)], style.preflop[2 + min(raises, 1)]
        else:
            drift = style.drift * (stage - 1)
            call_at, raise_at = style.postflop[0] + drift, style.postflop[1 + min(raises, 1)] + drift
            if raises == 0 and (chance() < style.lead and _raised_last(view)):
                return self._raised(view)
        if raises < style.most_raises and strength >= raise_at and chance() >= style.slow_play:
            return self._raised(view)
        if strength < 0.5 * call_at and raises < style.most_raises and chance() < style.bluff * 0.5:
            return self._raised(view)
        if to_call and (strength < call_at or strength < style.price * to_call / (betting.pot + to_call)):
            return FOLD
        return CALL

    def _raised(self, view: HandView) -> Action:
        share = self._style.size * 2.0 ** self.rng.uniform(-1.0, 1.0)
        return view.legal_actions().raising_to(round(view.betting.total_of_pots(share)))


def _raised_last(view: HandView) -> bool:
    """Whether the last raise of the hand was the player's own."""
    raisers = [who for _, who, action in view.betting.steps() if action.raise_to is not None]
    return bool(raisers) and raisers[-1] == view.position


class RandomAgent(Agent):
    """Acts with frequencies of its own, whatever it holds."""

    is_stateless = True

    def __init__(self, rng: random.Random) -> None:
        self._raise, self._fold = rng.random(), rng.random() * 0.6

    def choose_action(self, view: HandView) -> Action:
        """A raise, a fold or a call by dice."""
        legal = view.legal_actions()
        if self.rng.random() < self._raise:
            return legal.raising_to(round(view.betting.total_of_pots(self.rng.uniform(0.4, 1.5))))
        return FOLD if legal.can_fold and self.rng.random() < self._fold else CALL


def drawn_player(rng: random.Random) -> Agent:
    """A player of the population."""
    kind = rng.random()
    if kind < 0.05:
        return RandomAgent(rng)
    if kind < 0.20:
        habits = {name: rng.random() for name in ("tightness", "aggression", "deception")}
        options = ",".join(f"{name}={value:.3f}" for name, value in habits.items())
        return make_bot(f"formula:{options},model=generic")
    return StyleAgent(drawn_style(rng))
