"""How well weight tables read an opponent: the weight of the hand he holds, how often we are ahead of it.

``python -m tests.benchmarks.bench_tables --record hands.json --deals 600``
``python -m tests.benchmarks.bench_tables hands.json --potential weighted``

Hands of a formula bot against each opponent are recorded once, heads-up, two matches each.  They are then
read hand by hand, as by one who watches: models learn from what was shown.  At each decision of the formula
bot after the flop, but in the first `--learnt` hands of a match, it is asked

* for the log weight of the opponent's hand in his table, less that of the mean of what he may hold, and
* for the chance to be ahead that the table states, less what was: 1, 0, or .5 where both were as good.

How well actions are predicted is what `riverboat experiment calibration` and `bench_models --online` say.

Hands that are recorded by one version can be read by another: this module copied into its tree.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clients.core.arena import Arena
from engine.players.board_values import board_values
from engine.players.learning import learn_from_hand
from engine.players.models.player import PlayerModel
from engine.players.table_reader import PotentialName, TableReader
from engine.poker.combos import NUM_COMBOS, combo_index, combos_without
from engine.poker.rules import GameDefinition, HandState, load_game, parse_betting
from tests.benchmarks.bench_formula import interval
from tests.support.benchmarks import BenchmarkParser, known_game, known_player, make_player
from tests.support.strangers import STRANGERS

OTHERS: Final = (
    "always-call", "always-raise", "random", "simple", "hand-strength", "heuristic", "killer",
    "formula:tightness=0.9,aggression=0.9",
)  # fmt: skip
NOISE: Final = 0.02
Recorded = list[tuple[int, str, list[list[int]], list[int]]]
"""Of each hand: its number, the betting, hole cards by position, the board."""


def record(game: str, names: Sequence[str], deals: int, seed: int) -> dict[str, Any]:
    """Two matches of the formula bot against each opponent."""
    rules, recorded = load_game(game), dict[str, list[Recorded]]()
    for name in names:
        for match in range(2):
            hands: Recorded = []

            def keep(state: HandState, _: tuple[float, ...], into: Recorded = hands) -> None:
                holes = [list(cards) for cards in state.deal.hole_cards]
                into.append((state.hand_number, state.betting.text, holes, list(state.deal.board)))

            arena = Arena(rules, [make_player("formula"), make_player(name)], seed + match)
            arena.play(deals, on_hand=keep)
            recorded.setdefault(name, []).append(hands)
    return {"game": game, "hands": recorded}


def readings(
    game: GameDefinition, hands: Recorded, learnt: int, potential: PotentialName
) -> list[tuple[float, float]]:
    """By decision of the formula bot: the log weight, and by how much the stated chance was too high."""
    found: list[tuple[float, float]] = []
    models = [PlayerModel(), PlayerModel()]
    for played, (number, text, holes, cards) in enumerate(hands):
        betting, board, ours = parse_betting(game, text), tuple(cards), number % 2  # the position of seat 0
        here = [models[(position + number) % 2] for position in range(2)]
        reader = TableReader(here, NOISE, potential)
        for before, position, _ in betting.steps() if played >= learnt else ():
            if before.betting_round > 0 and position == ours:
                reader.follow(before, board)
                out = board[: before.num_board_cards]
                found.append(_reading(reader.reading.weights[1 - ours], out, holes[ours], holes[1 - ours]))
        learn_from_hand(here, reader, betting, board, holes)
    return found


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
    parser = BenchmarkParser("bench_tables", __doc__, deals=600, learnt=100)
    parser.add_argument("hands", nargs="?", type=Path, help="that were recorded")
    parser.add_argument("--record", type=Path, help="play, and keep the hands in this file (JSON)")
    parser.add_argument("--game", type=known_game, default="limit-2p", help="that is recorded")
    everybody = (*STRANGERS, *OTHERS)
    parser.add_argument("--against", nargs="*", type=known_player, default=everybody, help="who is recorded")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--potential", choices=("plain", "weighted"), default="plain")
    options = parser.parse_args(arguments)
    if (options.hands is None) == (options.record is None):
        parser.error("expected a file of hands, or --record FILE")
    if load_game(options.game).num_players != 2:
        parser.error(f"--game: expected a game for two, got {options.game}")
    if options.record is not None:
        recorded = record(options.game, options.against, options.deals, options.seed)
        options.record.write_text(json.dumps(recorded), "utf-8")
        return
    try:
        data: dict[str, Any] = json.loads(options.hands.read_text("utf-8"))
        game = load_game(data["game"])
    except (OSError, ValueError) as error:
        parser.error(f"{options.hands} cannot be read: {error}")
    except (LookupError, TypeError):
        parser.error(f"{options.hands} is no file of --record: expected a JSON object with game and hands")
    for name, matches in data["hands"].items():
        read = [readings(game, hands, options.learnt, options.potential) for hands in matches]
        found = np.array([each for match in read for each in match], np.float64)
        high, half = interval(found[:, 1])
        print(
            f"{name:<38} {len(found):>5} decisions, log weight {found[:, 0].mean():+.3f}, "
            f"ahead {high:+.3f} +- {half:.3f} too high",
            flush=True,
        )


if __name__ == "__main__":
    main()
