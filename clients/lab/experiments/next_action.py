"""The experiment ``next-action``: how well opponent models predict the next action.

Models watch matches, of which some hands are learnt from and the following ones predicted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import attrs
import click
import numpy as np
from numpy.typing import NDArray

from clients.bots.opponent_book import MODELS, model_of
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.experiments.command import Options, bots, check_bots, experiment_command, option, whole
from clients.lab.experiments.harness import VERSION, Findings, Task, Work, file_name, markdown_table, plot
from engine.players.learning import PredictionScore, learn_from_hand, predicted_triple
from engine.players.models.model import OpponentModel
from engine.players.table_reader import TableReader
from engine.poker.rules import GameDefinition, HandState, load_game
from engine.support.intervals import Z95, Estimate
from engine.support.seeds import derive_seed

PLAYERS: Final = (
    "simple", "hand-strength", "heuristic", "killer", "formula:model=generic",
    "formula:tightness=0.9,aggression=0.9,model=generic", "random", "always-call",
)  # fmt: skip
"""The players to predict if none are named."""
NOISE: Final = 0.05
"""The noise factor of the re-weighting."""
PARTS: Final = 10
"""The number of parts of the hands learnt from, for the learning curve."""
_DEFAULT: Final = "player"
"""The model with which the others are compared: the bots' default."""


@attrs.frozen
class NextActionSettings(Options):
    """Whose actions are predicted, from how much."""

    players: tuple[str, ...] = bots(
        "--player", PLAYERS, "Player to predict, BOT[:KEY=VALUE,...]; may be repeated."
    )
    others: str = option("formula:model=generic", "The bot in the other seats.", "--against", metavar="BOT")
    game: str = option("limit-2p", "The game.", type=click.Choice(("limit-2p", "limit-6p", "nolimit-2p")))
    hands: int = whole(500, 1, "Hands of a match to learn from.")
    held_out: int = whole(300, 2, "Hands after these, which are predicted and not learnt from.")
    matches: int = whole(2, 1, "Matches of each player; the models start each from nothing.")
    seed: int = 1

    def check(self) -> None:
        """Refuse bots that cannot play."""
        check_bots("--player", self.players, self.game)
        check_bots("--against", [self.others], self.game)


@experiment_command(NextActionSettings, "what each match found", seeded="cards")
def next_action(settings: NextActionSettings, work: Work) -> Iterator[Findings]:
    """Measure how well opponent models predict the next action: none, generic, player.

    The measure is log loss, the mean of -ln of the probability that a model gave to the actual action, on
    hands that it has not learnt from.
    """
    yield findings(settings, work.groups(all_matches(settings)))


def all_matches(settings: NextActionSettings) -> list[Task]:
    """The matches of each player, whom all models watch; on the same cards for all players."""
    tasks = []
    kept = attrs.asdict(settings, filter=attrs.filters.exclude("players", "matches"))
    for player, number in product(settings.players, range(settings.matches)):
        played = {"player": player, **kept}
        file = f"{settings.game}-{file_name(player)}-{number + 1}.json"
        do = functools.partial(_predict, settings, player, derive_seed(settings.seed, number))
        tasks.append(Task(f"{player}, match {number + 1}", file, played, do, player))
    return tasks


def _predict(settings: NextActionSettings, player: str, seed: int) -> dict[str, Any]:
    """Play a match and let every model predict it.

    Returns:
        For each model: ``learning``, the sum of log losses and the number of actions in each of `PARTS` parts
        of the hands learnt from, each predicted first; ``held_out``, the same for each hand after them.
    """
    game = load_game(settings.game)
    agents = [make_bot(player), *(make_bot(settings.others) for _ in range(game.num_players - 1))]
    states = play(game, agents, settings.hands + settings.held_out, seed)
    result: dict[str, Any] = {}
    for name in MODELS:
        models = [model_of(name) for _ in agents]
        learning = []
        for part in range(PARTS):
            first, last = (settings.hands * number // PARTS for number in (part, part + 1))
            scored = score(models, states[first:last], learning=True)[0]
            learning.append((scored.lost, scored.cases))
        held_out = losses_by_hand(models, states[settings.hands :])
        result[name] = {"learning": learning, "held_out": held_out.tolist()}
    return result


def findings(settings: NextActionSettings, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Findings:
    """How well the models predict each player.

    Args:
        settings: the experiment's settings.
        found: the results of each player's matches.
    """
    players = {player: _of_player(matches) for player, matches in found.items()}
    table = functools.partial(_table, players)
    others = [model for model in MODELS if model != _DEFAULT]
    gained = [
        [player, *(each["models"][model]["gained"].text(4) for model in others)]
        for player, each in players.items()
    ]
    lead = (
        f"riverboat {VERSION}; against `{settings.others}`, {settings.matches} matches of each player, of "
        f"which {settings.hands} hands are learnt and the next {settings.held_out} predicted; seed "
        f"{settings.seed}.\n"
    )
    parts = {
        "Log loss of an action of the hands held out:": table("held_out"),
        f"How much smaller that is than with `{_DEFAULT}` on the same hands, with 95 % intervals:":
            markdown_table(["player", *others], gained),
        "Log loss on the hands that are learnt, each predicted first:": table("learning"),
    }  # fmt: skip
    tables = [text for part in parts.items() for text in (f"{part[0]}\n", part[1])]
    report = "\n".join([f"# The next action: {settings.game}\n", lead, *tables])
    ends = [settings.hands * (part + 1) / PARTS for part in range(PARTS)]
    curves: dict[str, Any] = {
        model: dict(zip(ends, _mean(players, model, "parts"), strict=True)) for model in MODELS
    }
    title, y = f"the next action, mean of {len(players)} players", "log loss of an action of the last tenth"
    picture = plot("learning", title, "hands learnt from", y, curves)
    return Findings({"settings": settings, "players": players}, report, [picture])


def _of_player(matches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    held_out = {model: np.concatenate([match[model]["held_out"] for match in matches]) for model in MODELS}
    cases = float(held_out[_DEFAULT][:, 1].sum())
    models = {}
    for model in MODELS:
        gained, error = gain(held_out[_DEFAULT], held_out[model]) if cases else (0.0, 0.0)
        parts = np.sum([match[model]["learning"] for match in matches], axis=0)
        losses, actions = parts.sum(axis=0).tolist()
        models[model] = {
            "learning": losses / max(actions, 1.0),
            "parts": (parts[:, 0] / np.maximum(parts[:, 1], 1.0)).tolist(),
            "held_out": float(held_out[model][:, 0].sum()) / max(cases, 1.0),
            "gained": Estimate(gained, Z95 * error, len(held_out[model])),
        }
    return {"cases": int(cases), "models": models}


def _mean(players: Mapping[str, Any], model: str, name: str) -> Any:
    return np.mean([each["models"][model][name] for each in players.values()], axis=0).tolist()


def _table(players: Mapping[str, Any], name: str) -> str:
    rows = {player: [each["models"][model][name] for model in MODELS] for player, each in players.items()}
    rows["mean"] = [_mean(players, model, name) for model in MODELS]
    return markdown_table(
        ["player", *MODELS], [[player, *(f"{loss:.4f}" for loss in row)] for player, row in rows.items()]
    )


# --- scores of models that watch played hands ------------------------------------------------------------


def play(game: GameDefinition, agents: Sequence[Agent], hands: int, seed: int) -> list[HandState]:
    """Play some hands; returns their ends.  Seats move around the table."""
    states: list[HandState] = []
    Arena(game, agents, seed).play(hands, on_hand=lambda state, _: states.append(state))
    return states


def seat_at(state: HandState, position: int) -> int:
    """The seat in a position."""
    return (position + state.hand_number) % state.betting.game.num_players


def by_position(models: Sequence[OpponentModel], state: HandState) -> list[OpponentModel]:
    """The models of the seats, in the order of positions in a hand."""
    return [models[seat_at(state, position)] for position in range(len(models))]


def shown(state: HandState) -> list[tuple[int, ...]]:
    """The hole cards that everybody has seen, by position; empty for others."""
    return [
        cards if state.betting.is_showdown and not folded else ()
        for cards, folded in zip(state.deal.hole_cards, state.betting.folded, strict=True)
    ]


def score(
    models: Sequence[OpponentModel], states: Sequence[HandState], *, learning: bool = False
) -> list[PredictionScore]:
    """How each seat's model predicts what the seat does in some hands.

    Args:
        models: the models of the seats.
        states: the ends of the hands.
        learning: whether to learn from each hand after it has been predicted.
    """
    scores = [PredictionScore() for _ in models]
    for state in states:
        here = by_position(models, state)
        reader = TableReader(here, NOISE)
        reader.follow(state.betting, state.board)
        for decision, action in reader.reading.decisions():
            position = decision.situation.position
            predicted = predicted_triple(here[position], decision)
            scores[seat_at(state, position)].observe(decision, predicted, action)
        if learning:
            learn_from_hand(here, reader, state.betting, state.board, shown(state))
    return scores


def losses_by_hand(models: Sequence[OpponentModel], states: Sequence[HandState]) -> NDArray[np.float64]:
    """Sums of log losses of seat 0's model and numbers of actions, by hand; shape (hands, 2)."""
    scores = [score(models, [state])[0] for state in states]
    return np.array([(scored.lost, scored.cases) for scored in scores])


def gain(before: NDArray[np.float64], after: NDArray[np.float64]) -> tuple[float, float]:
    """How much the log loss per action falls from one model to another, and its standard error.

    Args:
        before, after: `losses_by_hand` of the models, on the same hands.  Hands are independent, actions of
            one hand are not, so the error is that of the paired differences of hands.
    """
    differences = before[:, 0] - after[:, 0]
    cases = float(before[:, 1].sum())
    error = float(differences.std(ddof=1)) * math.sqrt(len(differences))
    return float(differences.sum()) / cases, error / cases
