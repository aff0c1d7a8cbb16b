"""How well weight tables read an opponent: the weight of the hand he holds, how often we are ahead of it.

``python -m tests.benchmarks.bench_tables --record hands.json --deals 600``
``python -m tests.benchmarks.bench_tables hands.json --potential weighted``
``python -m tests.benchmarks.bench_tables hands.json --losses --save before.npz``
``python -m tests.benchmarks.bench_tables hands.json --losses --than before.npz``

Hands of a formula bot against each opponent are recorded once, two matches each.  They are then read hand by
hand: models learn from what was shown, and at each decision of the formula bot after the flop, but in the
first `--learnt` hands of a match, it is asked

* for the log weight of the opponent's hand in his table, less that of the mean of what he may hold, and
* for the chance to be ahead that the table states, less what was: 1, 0, or .5 where both were as good.

With `--folds` it is asked instead how often the opponent was expected to fold to bets after the flop and how
often he did, in each third of these decisions by the pot.

With `--losses` it is the log loss of all that the opponent does, each hand predicted before it is learnt: in
hands 1 to 30, 31 to 100, and later.  With `--than`, that of a saved run stands before each; the difference in
the later hands follows, decisions taken as independent.

Hands that are recorded by one version can be read by another: this module copied into its tree.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clients.arena import Arena
from clients.registry import make_bot
from engine.combos import NUM_COMBOS, combo_index, combos_without
from engine.opponents.board_values import board_values
from engine.opponents.learning import learn_from_hand, predicted_triple
from engine.opponents.models.specific import SpecificModel
from engine.opponents.probability_triple import TripleIndex
from engine.opponents.table_reader import PotentialName, TableReader
from engine.rules import HandState, load_game, parse_betting
from tests.benchmarks.bench_formula import interval
from tests.support.benchmarks import BenchmarkParser, how_many
from tests.support.strangers import STRANGERS

GAME: Final = load_game("limit-2p")
OTHERS: Final = (
    "always-call", "always-raise", "random", "simple", "hand-strength", "heuristic", "killer",
    "formula:tightness=0.9,aggression=0.9",
)  # fmt: skip
NOISE: Final = 0.02
LEAST_CHANCE: Final = 1e-3
STAGES: Final = (0, 30, 100, 1_000_000)
Recorded = list[tuple[int, str, list[list[int]], list[int]]]
"""Of each hand: its number, the betting, hole cards by position, the board."""


def record(deals: int, seed: int) -> dict[str, list[Recorded]]:
    """Two matches of the formula bot against each opponent, who sits in seat 1."""
    recorded: dict[str, list[Recorded]] = {}
    for name in (*STRANGERS, *OTHERS):
        for match in range(2):
            opponent = STRANGERS[name]() if name in STRANGERS else make_bot(name)
            hands: Recorded = []

            def keep(state: HandState, _: tuple[float, ...], into: Recorded = hands) -> None:
                holes = [list(cards) for cards in state.deal.hole_cards]
                into.append((state.hand_number, state.betting.text, holes, list(state.deal.board)))

            Arena(GAME, [make_bot("formula"), opponent], seed + match).play(deals, on_hand=keep)
            recorded.setdefault(name, []).append(hands)
    return recorded


def readings(hands: Recorded, learnt: int, potential: PotentialName, folds: bool) -> list[tuple[float, ...]]:
    """By decision: the log weight, and how far the chance to be ahead was stated too high.

    With `folds`, by decision of the opponent: the betting round, the pot in small bets, the chance of a fold
    that was predicted, and 1 for a fold.
    """
    models: list[SpecificModel] = [SpecificModel(), SpecificModel()]
    found: list[tuple[float, ...]] = []
    for played, (number, text, holes, cards) in enumerate(hands):
        betting, board = parse_betting(GAME, text), tuple(cards)
        here = [models[(position + number) % 2] for position in range(2)]
        ours = number % 2  # the position of seat 0
        reader = TableReader(here, NOISE, potential)
        if folds and played >= learnt:
            reader.follow(betting, board)
            found += _answers(reader, 1 - ours)
        for before, position, _ in betting.steps() if played >= learnt and not folds else ():
            if before.betting_round > 0 and position == ours:
                reader.follow(before, board)
                out = board[: before.num_board_cards]
                found.append(_reading(reader.weights(1 - ours), out, holes[ours], holes[1 - ours]))
        shown = holes if betting.is_showdown else ((), ())
        learn_from_hand(here, reader, betting, board, shown)
    return found


def losses(hands: Recorded) -> NDArray[np.float64]:
    """Of each action of the opponent where there was a choice: the hand's number and -ln of its chance."""
    models: list[SpecificModel] = [SpecificModel(), SpecificModel()]
    found: list[tuple[float, float]] = []
    for played, (number, text, holes, cards) in enumerate(hands):
        betting, board = parse_betting(GAME, text), tuple(cards)
        here = [models[(position + number) % 2] for position in range(2)]
        opponent = 1 - number % 2
        reader = TableReader(here, NOISE)
        reader.follow(betting, board)
        for decision, action in reader.decisions:
            situation = decision.situation
            if situation.position == opponent and (situation.can_fold or situation.can_raise):
                chance = predicted_triple(reader.reading.models[opponent], decision)[action]
                found.append((played, -math.log(max(chance, LEAST_CHANCE))))
        learn_from_hand(here, reader, betting, board, holes if betting.is_showdown else ((), ()))
    return np.array(found)


def _answers(reader: TableReader, opponent: int) -> list[tuple[float, ...]]:
    model = reader.reading.models[opponent]
    return [
        (
            decision.situation.betting_round,
            decision.situation.pot / (GAME.small_bet or 1),
            predicted_triple(model, decision).fold,
            action == TripleIndex.FOLD,
        )
        for decision, action in reader.decisions
        if decision.situation.position == opponent
        and decision.situation.can_fold
        and decision.situation.betting_round > 0
    ]


def _reading(
    table: NDArray[np.float64], board: tuple[int, ...], ours: Sequence[int], theirs: Sequence[int]
) -> tuple[float, float]:
    mine, his, values = combo_index(*ours), combo_index(*theirs), board_values(board)
    left = np.where(combos_without((*ours, *board)), table, 0.0)
    truth = np.zeros(NUM_COMBOS)
    truth[his] = 1.0
    log_weight = float(np.log(max(left[his], 1e-9) * np.count_nonzero(left) / left.sum()))
    return log_weight, float(values.strengths(table)[mine] - values.strengths(truth)[mine])


def main(arguments: Sequence[str] | None = None) -> None:
    """Record, or read and print."""
    parser = BenchmarkParser("bench_tables", __doc__)
    parser.add_argument("hands", nargs="?", type=Path, help="that were recorded")
    parser.add_argument("--record", type=Path, help="play, and keep the hands in this file (JSON)")
    parser.add_argument("--deals", type=how_many, default=600, help="of a match that is recorded")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--learnt", type=how_many, default=100, help="hands of a match that are only learnt")
    parser.add_argument("--potential", choices=("plain", "weighted"), default="plain")
    parser.add_argument("--folds", action="store_true", help="folds predicted and seen, by the pot")
    parser.add_argument("--losses", action="store_true", help="log losses of what the opponent does")
    parser.add_argument("--save", type=Path, help="with --losses: keep them (.npz)")
    parser.add_argument("--than", type=Path, help="with --losses: compare with what was kept")
    options = parser.parse_args(arguments)
    if (options.hands is None) == (options.record is None):
        parser.error("expected a file of hands, or --record FILE")
    if options.record is not None:
        options.record.write_text(json.dumps(record(options.deals, options.seed)), "utf-8")
        return
    try:
        recorded: dict[str, Any] = json.loads(options.hands.read_text("utf-8"))
    except (OSError, ValueError) as error:
        parser.error(f"{options.hands} cannot be read: {error}")
    if options.losses:
        before = dict(np.load(options.than)) if options.than else {}
        kept: dict[str, NDArray[np.float64]] = {}
        for name, matches in recorded.items():
            kept[name] = np.concatenate([losses(hands) for hands in matches])
            if name in before and len(before[name]) != len(kept[name]):
                parser.error(f"{options.than} is of other hands of {name}")
            print(f"{name:<38} {_losses_text(kept[name], before.get(name))}", flush=True)
        if options.save:
            np.savez(options.save, allow_pickle=False, **kept)
        return
    for name, matches in recorded.items():
        found = np.array(
            [
                each
                for hands in matches
                for each in readings(hands, options.learnt, options.potential, options.folds)
            ]
        )
        print(f"{name:<38} {_folds_text(found) if options.folds else _text(found)}", flush=True)


def _text(found: NDArray[np.float64]) -> str:
    high, half = interval(found[:, 1])
    return (
        f"{len(found):>5} decisions, log weight {found[:, 0].mean():+.3f}, "
        f"ahead {high:+.3f} +- {half:.3f} too high"
    )


def _losses_text(found: NDArray[np.float64], before: NDArray[np.float64] | None) -> str:
    """By stage, before and after; then the difference of the last."""
    texts = []
    for begun, end in itertools.pairwise(STAGES):
        here = (found[:, 0] >= begun) & (found[:, 0] < end)
        means = [each[here, 1].mean() for each in (before, found) if each is not None]
        texts.append(" ".join(f"{mean:.3f}" for mean in means))
    if before is not None:
        later = found[:, 0] >= STAGES[-2]
        more, half = interval((found - before)[later, 1])
        texts.append(f"more {more:+.4f} +- {half:.4f}")
    return "   ".join(texts)


def _folds_text(found: NDArray[np.float64]) -> str:
    """By betting round, folds predicted and seen in the third of the smallest, middling and greatest pots."""
    texts = []
    for betting_round, name in ((1, "flop"), (2, "turn"), (3, "river")):
        here = found[found[:, 0] == betting_round]
        thirds = np.array_split(here[np.argsort(here[:, 1], kind="stable")], 3)
        shown = [f"{third[:, 2].mean():.2f}/{third[:, 3].mean():.2f}" for third in thirds if len(third)]
        texts.append(f"{name} {' '.join(shown)}")
    return f"{len(found):>5} answers, {', '.join(texts)}"


if __name__ == "__main__":
    main()
