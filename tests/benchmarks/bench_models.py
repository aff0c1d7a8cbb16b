"""How well models of players predict what they do: those in the box, and those for whom no model was made.

``python -m tests.benchmarks.bench_models limit-2p --seed 2``
``python -m tests.benchmarks.bench_models limit-6p --online --hands 250 --seed 2``

Models watch matches and learn.  Log losses are those of the decisions of seat 0 in hands held out after 500
(of the first 150 of these after 10 and 100, too): in public, and, as ``known``, with the hole cards known;
errors of calibration are those of folds and raises in ten bins of the chance.  With `--online` every hand is
predicted first and then learnt.  Intervals are for what the last model gains on the first, by hands.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clients.bots.opponent_book import MODELS, model_of
from clients.core.registry import make_bot
from clients.lab.experiments.next_action import NOISE, PLAYERS, by_position, gain, play, seat_at, shown
from engine.kernels.players.triples import mean_triple
from engine.players.learning import learn_from_hand
from engine.players.models.model import OpponentModel
from engine.players.table_reader import TableReader
from engine.poker.combos import combo_index
from engine.poker.rules import HandState, load_game
from engine.support.intervals import Z95
from engine.support.seeds import derive_seed
from tests.support.benchmarks import BenchmarkParser, known_game, known_player, make_player
from tests.support.strangers import STRANGERS

Floats = NDArray[np.float64]
AFTER: Final = (10, 100, 500)
HELD_OUT: Final = 300
HOST: Final = "formula:model=generic"
_LEAST: Final = 1e-3
_BINS: Final = 10


class Watched:
    """What a model said of seat 0: losses by hand, and of each answer its chance and whether it came."""

    def __init__(self) -> None:
        self.public: list[tuple[float, int]] = []
        self.known: list[tuple[float, int]] = []
        self.answers: tuple[list[tuple[float, bool]], list[tuple[float, bool]]] = ([], [])

    def see(self, models: Sequence[OpponentModel], state: HandState, learning: bool) -> None:
        """Score a hand, and learn from it."""
        here = by_position(models, state)
        reader = TableReader(here, NOISE)
        reader.follow(state.betting, state.board)
        losses, cases = np.zeros(2), 0
        for decision, action in reader.reading.decisions():
            situation = decision.situation
            position = situation.position
            if seat_at(state, position) or not (situation.can_fold or situation.can_raise):
                continue
            triples = here[position].triples(decision)
            row = triples[combo_index(*state.deal.hole_cards[position])]
            losses -= [
                math.log(max(chances[action], _LEAST))
                for chances in (mean_triple(decision.weights, triples), row)
            ]
            cases += 1
            if situation.can_fold:
                self.answers[0].append((row[0], action == 0))
            if situation.can_raise:
                self.answers[1].append((row[2], action == 2))
        self.public.append((losses[0], cases))
        self.known.append((losses[1], cases))
        if learning:
            learn_from_hand(here, reader, state.betting, state.board, shown(state))


def expected_error(answers: Floats) -> float:
    """The mean distance of what was said and what came, in ten bins of the chance."""
    said, came = answers.T
    places = np.minimum((said * _BINS).astype(int), _BINS - 1)
    apart = np.bincount(places, weights=said - came, minlength=_BINS)
    return float(np.abs(apart).sum() / max(len(said), 1))


def watched(game: str, player: str, name: str, seed: int, hands: int, online: bool) -> list[Watched]:
    """What a model says of a player: after each of `AFTER`, or from the first hand on."""
    rules = load_game(game)
    agents = [make_player(player), *(make_bot(HOST) for _ in range(rules.num_players - 1))]
    states = play(rules, agents, hands if online else hands + HELD_OUT, seed)
    models = [model_of(name) for _ in agents]  # type: ignore[arg-type]
    if online:
        seen = Watched()
        for state in states:
            seen.see(models, state, learning=True)
        return [seen]
    found, begun = [], 0
    for after in AFTER:
        after = min(after, hands)
        for state in states[begun:after]:
            Watched().see(models, state, learning=True)
        begun = after
        seen = Watched()
        for state in states[hands:][: HELD_OUT if after == hands else HELD_OUT // 2]:
            seen.see(models, state, learning=False)
        found.append(seen)
    return found


def loss(by_hand: Floats) -> float:
    """The mean of an action."""
    return float(by_hand[:, 0].sum() / max(by_hand[:, 1].sum(), 1.0))


def main(arguments: Sequence[str] | None = None) -> None:
    """Watch, and print a line for each player."""
    parser = BenchmarkParser("bench_models", __doc__, matches=2, hands=500)
    parser.add_argument("game", nargs="?", type=known_game, default="limit-2p")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--online", action="store_true", help="predict every hand, then learn it")
    parser.add_argument("--players", nargs="*", type=known_player, default=[*PLAYERS, *STRANGERS])
    parser.add_argument("--models", nargs="*", choices=MODELS, default=("generic", "player"))
    options = parser.parse_args(arguments)
    groups = [*range(1 if options.online else len(AFTER))]
    every: dict[tuple[str, int], list[Floats]] = {}
    means: dict[tuple[str, int, str], list[float]] = {}
    for player in options.players:
        line = f"{player:<50}"
        seen = {
            name: [
                watched(
                    options.game,
                    player,
                    name,
                    derive_seed(options.seed, match),
                    options.hands,
                    options.online,
                )
                for match in range(options.matches)
            ]
            for name in options.models
        }
        for group in groups:
            for kind in ("public", "known"):
                by_hand = {
                    name: np.concatenate([getattr(match[group], kind) for match in matches])
                    for name, matches in seen.items()
                }
                if kind == "known" and group != groups[-1]:
                    continue
                gained, error = gain(by_hand[options.models[0]], by_hand[options.models[-1]])
                losses = " ".join(f"{loss(found):.3f}" for found in by_hand.values())
                line += f"| {losses} {gained:+.3f} +- {Z95 * error:.3f} "
                for name, found in by_hand.items():
                    means.setdefault((kind, group, name), []).append(loss(found))
                    every.setdefault((name, group), []).extend([found] if kind == "public" else [])
        for name, matches in seen.items():
            answers = [
                np.concatenate(
                    [np.array(match[groups[-1]].answers[which], float).reshape(-1, 2) for match in matches]
                )
                for which in (0, 1)
            ]
            for which in (0, 1):
                every.setdefault((name, -1 - which), []).append(answers[which])
            line += f"| off {expected_error(answers[0]):.3f} {expected_error(answers[1]):.3f} "
        print(line, flush=True)
    for (kind, group, name), found_means in means.items():
        after = "online" if options.online else AFTER[group]
        print(f"mean {kind:<7} {after:>6} {name:<9} {np.mean(found_means):.4f}")
    for group in groups:
        first, last = (np.concatenate(every[name, group]) for name in (options.models[0], options.models[-1]))
        gained, error = gain(first, last)
        print(f"gained by action {gained:+.4f} +- {Z95 * error:.4f}")
    for name in options.models:
        errors = [expected_error(np.concatenate(every[name, -1 - which])) for which in (0, 1)]
        print(f"calibration {name:<9} folds {errors[0]:.4f} raises {errors[1]:.4f}")


if __name__ == "__main__":
    main()
