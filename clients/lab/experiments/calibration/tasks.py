"""The tasks of the experiment: matches of a sampling bot that notes what it predicts and what it states."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from clients.bots.hand_strength import HandStrengthBot
from clients.bots.sampling.agent import Sampling
from clients.core.registry import make_bot
from clients.lab.experiments.line_up import matches
from clients.lab.experiments.resuming import keep
from clients.lab.experiments.selective_sampling.bots import NotedSampling
from clients.lab.experiments.selective_sampling.duels import Table, play_duel
from engine.players.learning import predicted_triple
from engine.poker.rules import Action, ActionKind, GameDefinition, HandView, load_game

__all__ = ["OPPONENTS", "Match", "Settings", "all_matches", "play"]

OPPONENTS: Final = ("always-call", "random", "formula", "simple", "hand-strength", "heuristic")
"""Who is played where nobody is named."""


@attrs.frozen
class Settings:
    """How much is played."""

    game: str = "limit-2p"
    opponents: tuple[str, ...] = OPPONENTS
    hands: int = 2_000
    """Against each."""
    match_hands: int = 1_000
    """Of a match, both passes together; the bot begins each pass with nothing."""
    trials: int = 300
    """Of a decision."""
    seed: int = 1


@attrs.frozen
class Match:
    """One match; played in one process."""

    game: str
    opponent: str
    """Whose bots sit in all other seats."""
    number: int
    seed: int
    deals: int
    trials: int
    folder: Path

    def __str__(self) -> str:
        return f"{self.game} against {self.opponent}, match {self.number + 1}"

    def result_file(self) -> Path:
        """Where what was found is kept."""
        known = hashlib.sha256(self.opponent.encode()).hexdigest()[:12]
        name = self.opponent.partition(":")[0]
        return self.folder / "tasks" / f"{self.game}-{name}-{known}-{self.number + 1}.json"

    def played(self) -> dict[str, Any]:
        """What its results depend on, besides the name of its file."""
        return {
            "version": version("riverboat"),
            "opponent": self.opponent,
            "seed": self.seed,
            "deals": self.deals,
            "trials": self.trials,
        }


class _Predicting(NotedSampling):
    """Notes the strength of its hand, and what it predicts of its opponents before it learns what came."""

    def __init__(self, trials: int) -> None:
        super().__init__(trials=trials)
        self.strengths: list[float] = []
        """Of our hands in the decisions stated, as those of `take_stated`, of the whole match."""
        self.answers: list[dict[str, Any]] = []
        self._hand = HandStrengthBot()

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Looks the starting hands up besides."""
        super().match_started(game, seat)
        self._hand.match_started(game, seat)

    def choose_action(self, view: HandView) -> Action:
        """As usual."""
        self.strengths.append(self._hand.strength(view))
        return super().choose_action(view)

    def hand_finished(self, view: HandView) -> None:
        """Sets what was predicted beside what was done, and learns."""
        reader = self.book.follow(view)
        for decision, action in reader.decisions:
            situation, context = decision.situation, attrs.asdict(decision.situation.context)
            if situation.position != view.position and (situation.can_fold or situation.can_raise):
                model = reader.reading.models[situation.position]
                self.answers.append(
                    {
                        "context": context | {"last_action": int(context["last_action"])},
                        "predicted": [float(chance) for chance in predicted_triple(model, decision)],
                        "action": action,
                    }
                )
        Sampling.hand_finished(self, view)


def all_matches(settings: Settings, folder: Path) -> list[Match]:
    """Against each opponent, in matches on the same cards for all."""
    cut = list(matches(max(1, settings.hands // 2), max(1, settings.match_hands // 2), settings.seed))
    return [
        Match(settings.game, opponent, number, seed, deals, settings.trials, folder)
        for opponent in settings.opponents
        for number, (seed, deals) in enumerate(cut)
    ]


def play(match: Match) -> dict[str, Any]:
    """Plays a match.

    Returns:
        ``answers``: of the opponents, each a context, the triple predicted, the action that came.
        ``decisions``: of the bot that are no folds: betting round, strength of the hand, whether it raised,
        value stated, chips that came, deal.
    """
    game = load_game(match.game)
    ours = [_Predicting(match.trials) for _ in range(2)]
    seated: list[Table] = [
        (bot, *(make_bot(match.opponent) for _ in range(game.num_players - 1))) for bot in ours
    ]
    _, judged = play_duel(game, seated, match.seed, match.deals)
    strengths = [strength for bot in ours for strength in bot.strengths]
    decisions = [
        [
            each.stated.spot.betting.betting_round, strength, each.stated.action.kind is ActionKind.RAISE,
            each.stated.value, each.realised, each.deal,
        ]
        for each, strength in zip(judged, strengths, strict=True)
        if not each.stated.is_fold
    ]  # fmt: skip
    result = {"answers": [answer for bot in ours for answer in bot.answers], "decisions": decisions}
    keep(match, result)
    return result
