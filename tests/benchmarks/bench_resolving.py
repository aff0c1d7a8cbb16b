"""What solving at the table is worth in subgames drawn by playing the blueprint, exactly, with all hands.

Gain: what the solution wins more than the blueprint where the opponent plays the blueprint, per hand dealt.
Excess: what a best response wins beyond what the blueprint allows each hand, all hands alike, of the pot.

python -m tests.benchmarks.bench_resolving --first turn --subgames 40
"""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from clients.bots.strategy_files import bucketed_strategy
from engine.compiling import subgames
from engine.poker.combos import NUM_COMBOS, combo_index
from engine.poker.rules import BettingState, initial_betting, load_game
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.strategy_file import read_shipped
from engine.solving.subgames.resolving import Effort, TableSolver
from engine.solving.subgames.solver import Board, Subgame, meeting
from engine.support.arrays import Floats
from tests.benchmarks.bench_formula import interval
from tests.support.benchmarks import BenchmarkParser


def drawn(
    blueprint: BucketedStrategy, first: int, generator: np.random.Generator
) -> tuple[BettingState, Board]:
    """A hand that both play by the blueprint, as far as the round."""
    cards = generator.permutation(52)[:9].tolist()
    combos = combo_index(*cards[:2]), combo_index(*cards[2:4])
    state = initial_betting(blueprint.game)
    while not state.is_finished and state.betting_round < first:
        actions, chances = blueprint.chances_of_all(state, cards[4 : 4 + state.num_board_cards])
        state = state.apply(actions[generator.choice(len(actions), p=chances[combos[state.actor()]])])
    return state, tuple(cards[4 : 4 + state.num_board_cards])


def worth(game: Subgame, player: int, reach: Sequence[Floats]) -> float:
    """What a player wins with its range against the other's, in chips; the first is the player's."""
    game.reach = [weights[combos] for weights, combos in zip(reach, game.combos, strict=True)]
    met = reach[player] @ meeting(reach[1 - player])
    return float(game.reach[player] @ game.expected(player) / met)


def measured(blueprint: BucketedStrategy, effort: Effort, root: BettingState, board: Board) -> Floats:
    """Gain in big blinds, and excess of the solution and of the blueprint: means of both seats."""
    found = []
    for position in range(2):
        solver = TableSolver(blueprint, effort)
        solution = solver._from_start(root, board, position, 0)
        game, player = solution.game, solution.player
        trunk = solver.of_blueprint(root, board, game, player)
        allowed = trunk.expected(1 - player)
        weights = np.zeros(NUM_COMBOS)
        weights[game.combos[player]] = game.reach[player]
        unit = meeting(weights)[game.combos[1 - player]].sum() * game.start.pot
        excess = [np.maximum(0, each.best(1 - player) - allowed).sum() / unit for each in (game, trunk)]
        reach = solver.reaches(root, board, position)
        if player != position:
            reach.reverse()
        solver.play_blueprint(solution, (1 - player,))
        gain = worth(game, player, reach) - worth(trunk, player, reach)
        found.append((gain / root.game.big_blind, *excess))
    return np.mean(found, axis=0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_resolving", __doc__, subgames=40, iterations=100, seed=1)
    parser.add_argument("--game", default="nolimit-2p-100bb")
    parser.add_argument("--strategy", type=Path, help="default: the packaged one")
    parser.add_argument("--first", choices=("turn", "river"), default="turn")
    parser.add_argument("--mixed", type=float, default=0.8)
    options = parser.parse_args(arguments)
    blueprint = (
        bucketed_strategy(options.strategy) if options.strategy else read_shipped(load_game(options.game))
    )
    assert blueprint is not None
    subgames()
    first = {"turn": 2, "river": 3}[options.first]
    effort = Effort(iterations=options.iterations, first_round=first, mixed=options.mixed)
    generator, hands, start = np.random.default_rng(options.seed), 0, time.process_time()
    rows: list[Floats] = []
    while len(rows) < options.subgames:
        hands += 1
        root, board = drawn(blueprint, first, generator)
        if not root.is_finished and root.betting_round == first:
            rows.append(measured(blueprint, effort, root, board))
    table = np.array(rows)
    print(f"{len(rows)} of {hands} hands reach the {options.first}; 95 %")
    for name, number, unit in (
        ("gain, mbb/h", 0, 1000 * len(rows) / hands),
        ("excess of the solution, % of the pot", 1, 100),
        ("excess of the blueprint, % of the pot", 2, 100),
    ):
        mean, half = interval(unit * table[:, number])
        print(f"{name} {mean:+.1f} ± {half:.1f}")
    worse = int((table[:, 1] > table[:, 2]).sum())
    print(f"in {worse} of them the solution's is greater; {time.process_time() - start:.0f} s of CPU")


if __name__ == "__main__":
    main()
