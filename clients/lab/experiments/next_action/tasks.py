"""The tasks of the experiment: matches of which some hands are learnt from and the others predicted."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import attrs

from clients.bots.opponent_book import MODELS, model_of
from clients.core.registry import make_bot
from clients.lab.experiments.next_action.scores import losses_by_hand, play, score
from clients.lab.experiments.resuming import keep
from engine.poker.rules import load_game
from engine.support.seeds import derive_seed

__all__ = ["PARTS", "PLAYERS", "Match", "Settings", "all_matches", "predict"]

PLAYERS: Final = (
    "simple", "hand-strength", "heuristic", "killer", "formula:model=generic",
    "formula:tightness=0.9,aggression=0.9,model=generic", "random", "always-call",
)  # fmt: skip
"""The players to predict if none are named."""

PARTS: Final = 10
"""The number of parts of the hands learnt from, for the learning curve."""


@attrs.frozen
class Settings:
    """The settings of the experiment."""

    players: tuple[str, ...] = PLAYERS
    others: str = "formula:model=generic"
    """The bot in the other seats."""
    game: str = "limit-2p"
    hands: int = 500
    """Hands of a match to learn from."""
    held_out: int = 300
    """Hands after these, which are predicted and not learnt from."""
    matches: int = 2
    """Matches of each player."""
    seed: int = 1


@attrs.frozen
class Match:
    """A match of one player, whom all models watch."""

    player: str
    number: int
    settings: Settings
    folder: Path

    def __str__(self) -> str:
        return f"{self.player}, match {self.number + 1}"

    def result_file(self) -> Path:
        """The file of its result."""
        known = hashlib.sha256(self.player.encode()).hexdigest()[:12]
        name = self.player.partition(":")[0]
        return self.folder / "tasks" / f"{self.settings.game}-{name}-{known}-{self.number + 1}.json"

    def played(self) -> dict[str, Any]:
        """The settings on which its result depends, besides the name of its file."""
        settings = attrs.asdict(self.settings)
        for name in ("players", "matches"):
            del settings[name]
        return {"version": version("riverboat"), "player": self.player, **settings}


def all_matches(settings: Settings, folder: Path) -> list[Match]:
    """The matches of each player, on the same cards for all."""
    return [
        Match(player, number, settings, folder)
        for player in settings.players
        for number in range(settings.matches)
    ]


def predict(match: Match) -> dict[str, Any]:
    """Play a match and let every model predict it.

    Returns:
        For each model: ``learning``, the sum of log losses and the number of actions in each of `PARTS` parts
        of the hands learnt from, each predicted first; ``held_out``, the same for each hand after them.
    """
    settings = match.settings
    game = load_game(settings.game)
    agents = [make_bot(match.player), *(make_bot(settings.others) for _ in range(game.num_players - 1))]
    seed = derive_seed(settings.seed, match.number)
    states = play(game, agents, settings.hands + settings.held_out, seed)
    result: dict[str, Any] = {}
    for name in MODELS:
        models = [model_of(name) for _ in agents]
        learning = []
        for part in range(PARTS):
            first, last = (settings.hands * number // PARTS for number in (part, part + 1))
            found = score(models, states[first:last], learning=True)[0]
            learning.append([found.log_loss * found.cases if found.cases else 0.0, found.cases])
        held_out = losses_by_hand(models, states[settings.hands :])
        result[name] = {"learning": learning, "held_out": held_out.tolist()}
    keep(match, result)
    return result
