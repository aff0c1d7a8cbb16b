"""Speed of hand evaluation, strength, potential and equity, beside eval7 and phevaluator in the same run.

    python -m tests.benchmarks.bench_evaluation [--quick] [--ompeval FOLDER]

FOLDER has OMPEval's sources (``HandEvaluator.cpp``), which are compiled for the run.

Each figure is the median of several runs of CPU time on one thread, so that other programs on the machine
disturb little; peers run in turn with ours.  A goal is what the project set itself on a quiet machine; only
the ratios to the peers carry over from one machine to another.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import eval7
import numpy as np
from phevaluator import evaluate_cards
from rich.console import Console
from rich.table import Table

from engine.hands import equity, hand_rank, hand_strength
from engine.kernels.poker import tables
from engine.kernels.solving.lanes import walk_in_order
from engine.poker.cards import CARD_TEXTS, parse_cards
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS
from engine.solving.holdem.abstraction import by_strength
from tests.benchmarks.ompeval import ranker
from tests.support.benchmarks import BenchmarkParser

RNG: Final = np.random.default_rng(1)


class Row(NamedTuple):
    """One line of the table; times in seconds per item."""

    task: str
    ours: float
    goal: str
    peers: dict[str, float]
    unit: str


def medians(runs: int, *functions: Callable[[], object]) -> list[float]:
    """Median CPU seconds of each function; the functions take turns."""
    times: list[list[float]] = [[] for _ in functions]
    for function in functions:
        function()
    for _ in range(runs):
        for function, taken in zip(functions, times, strict=True):
            start = time.thread_time()
            function()
            taken.append(time.thread_time() - start)
    return [statistics.median(taken) for taken in times]


def repeated(function: Callable[[], object], times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            function()

    return run


def per_call(function: Callable[[], object], calls: int, runs: int) -> float:
    return medians(runs, repeated(function, calls))[0] / calls


def scalar_rows(runs: int) -> list[Row]:
    hands = [tuple(RNG.permutation(52)[:7].tolist()) for _ in range(2000)]
    theirs = [[eval7.Card(CARD_TEXTS[card]) for card in hand] for hand in hands]
    rank, evaluate = hand_rank.rank_seven_cards, eval7.evaluate

    def unchecked() -> None:
        for a, b, c, d, e, f, g in hands:
            rank(a, b, c, d, e, f, g)

    def checked() -> None:
        for hand in hands:
            hand_rank.hand_rank(hand)

    def with_eval7() -> None:
        for cards in theirs:
            evaluate(cards)

    def with_phevaluator() -> None:
        for a, b, c, d, e, f, g in hands:
            evaluate_cards(a, b, c, d, e, f, g)

    found = medians(runs, unchecked, checked, with_eval7, with_phevaluator)
    ours, slow, eval7_time, phe_time = [seconds / len(hands) for seconds in found]
    peers = {"eval7": eval7_time, "phevaluator": phe_time}
    return [
        Row("7 cards, one call from Python, unchecked", ours, "250 ns", peers, "ns"),
        Row("7 cards, one call from Python, checked", slow, "", peers, "ns"),
    ]


def batch_rows(runs: int, ompeval: Path | None) -> list[Row]:
    deck = np.tile(np.arange(52, dtype=np.uint8), (200_000, 1))
    hands = np.ascontiguousarray(RNG.permuted(deck, axis=1)[:, :7])
    hands = np.tile(hands, (5, 1))
    with_peer = [] if ompeval is None else [ranker(ompeval, hands)]
    batches = medians(3 * runs, lambda: hand_rank.hand_ranks(hands), *with_peer)
    ours, *theirs = [seconds / len(hands) for seconds in batches]
    peers = {"OMPEval": theirs[0]} if theirs else {}
    built = medians(runs, rebuilt_tables)[0]
    return [
        Row("7 cards, random batch of a million, a hand", ours, "3.3 ns", peers, "ns"),
        Row(f"tables, built ({tables.ranking_table().nbytes / 1000:.0f} KB)", built, "150 ms", {}, "ms"),
    ]


def rebuilt_tables() -> None:
    tables._build.cache_clear()
    tables.ranking_table()


def strength_with_eval7(hole: Sequence[int], board: Sequence[int]) -> Callable[[], object]:
    """Fig. 3.3 as written, with eval7's evaluator and hands made beforehand."""
    cards = [eval7.Card(text) for text in CARD_TEXTS]
    shared = [cards[card] for card in board]
    live = [card for card in range(52) if card not in (*hole, *board)]
    hands = [[*shared, cards[a], cards[b]] for a, b in itertools.combinations(live, 2)]
    our_hand = [*shared, *(cards[card] for card in hole)]

    def run() -> tuple[int, int, int]:
        ours = eval7.evaluate(our_hand)
        theirs = list(map(eval7.evaluate, hands))
        tied = theirs.count(ours)
        ahead = sum([rank < ours for rank in theirs])
        return ahead, tied, len(theirs) - ahead - tied

    assert run() == hand_strength.hand_strength(hole, board)
    return run


def strength_and_potential_rows(runs: int) -> list[Row]:
    hole, flop = parse_cards("AdQc"), parse_cards("Jh4c3h")
    weights = RNG.random(NUM_COMBOS)
    strength, weighted, theirs = medians(
        runs,
        repeated(lambda: hand_strength.hand_strength(hole, flop), 500),
        repeated(lambda: hand_strength.hand_strength(hole, flop, weights), 500),
        strength_with_eval7(hole, flop),
    )
    strength, weighted = strength / 500, weighted / 500
    one = per_call(lambda: hand_strength.hand_potential(hole, flop, None, 1), 200, runs)
    one_weighted = per_call(lambda: hand_strength.hand_potential(hole, flop, weights, 1), 200, runs)
    two = []
    for _ in range(40):
        cards = RNG.permutation(52)[:5].tolist()
        two.append(per_call(lambda c=cards: hand_strength.hand_potential(c[:2], c[2:], weights), 10, 5))  # type: ignore[misc]
    one_suited = []
    for _ in range(20):
        board = (4 * RNG.permutation(13)[:3] + 2).tolist()
        rest = RNG.permutation([card for card in range(52) if card not in board])[:2].tolist()
        hearts = [card for card in range(2, 52, 4) if card not in board][-2:]
        one_suited += [
            per_call(lambda h=hand, b=board: hand_strength.hand_potential(h, b, weights), 10, 5)  # type: ignore[misc]
            for hand in (rest, hearts)
        ]
    return [
        Row("hand strength, flop", strength, "4 µs", {"eval7": theirs}, "µs"),
        Row("hand strength, flop, weighted", weighted, "4 µs", {}, "µs"),
        Row("potential, one card, flop", one, "20 µs", {}, "µs"),
        Row("potential, one card, flop, weighted", one_weighted, "", {}, "µs"),
        Row(
            "potential, two cards, weighted, median of random flops",
            statistics.median(two),
            "350 µs",
            {},
            "µs",
        ),
        Row("potential, two cards, weighted, worst (one-suited flops)", max(one_suited), "2500 µs", {}, "µs"),
    ]


def walk_rows(runs: int) -> list[Row]:
    """The range walk on a river by pairs of ranks, by combos, and in order for many ranges side by side."""
    weights = RNG.random(NUM_COMBOS)
    three, four = parse_cards("8h6h4hKs2d"), parse_cards("8h6h4hKh2d")
    by_ranks = per_call(lambda: hand_strength.all_hand_strengths(three, weights), 200, runs)
    by_combos = per_call(lambda: hand_strength.all_hand_strengths(four, weights), 200, runs)
    held, ends = by_strength(three)
    ranges = np.ascontiguousarray(RNG.random((len(held), 64), np.float32))
    sums, found = np.zeros((53, 64), np.float32), np.empty_like(ranges)
    groups = (0, len(ends))
    lanes = (
        per_call(lambda: walk_in_order(COMBO_CARDS[held], ends, groups, ranges, sums, found), 5, runs) / 64
    )
    return [
        Row("range walk, river with three hearts: by pairs of ranks", by_ranks, "", {}, "µs"),
        Row("range walk, river with four hearts: by combos", by_combos, "", {}, "µs"),
        Row("range walk, river, 64 ranges in order, a range", lanes, "", {}, "µs"),
    ]


def equity_rows(runs: int) -> list[Row]:
    weights = RNG.random(NUM_COMBOS)
    board = parse_cards("8h6c4hKs2d")
    river = per_call(lambda: equity.all_hand_equities(board, weights), 100, runs)
    turn = per_call(lambda: equity.all_hand_equities(board[:4], weights), 5, runs)
    flop = medians(runs, lambda: equity.all_hand_equities(board[:3], weights))[0]
    matrix = medians(1, lambda: equity._compute_preflop_points())[0]
    return [
        Row("all hands against a weighted range, river", river, "9 µs", {}, "µs"),
        Row("all hands against a weighted range, turn", turn, "0.4 ms", {}, "ms"),
        Row("all hands against a weighted range, flop", flop, "9 ms", {}, "ms"),
        Row("preflop matrix, 169 x 169, exact", matrix, "3000 ms", {}, "ms"),
    ]


def monte_carlo_row(runs: int) -> Row:
    hole, flop = "AsKd", "8h6c4h"
    trials = 200_000
    ranges = np.ones((2, NUM_COMBOS))
    ranges[0] = 0.0
    high, low = sorted(parse_cards(hole), reverse=True)
    ranges[0, high * (high - 1) // 2 + low] = 1.0
    board = parse_cards(flop)
    rng = np.random.default_rng(2)
    villain = eval7.HandRange("22+, A2+, K2+, Q2+, J2+, T2+, 92+, 82+, 72+, 62+, 52+, 42+, 32+")
    their_hand = [eval7.Card(text) for text in ("As", "Kd")]
    their_board = [eval7.Card(text) for text in ("8h", "6c", "4h")]

    ours, theirs = medians(
        runs,
        lambda: equity.monte_carlo_equities(ranges, board, trials=trials, rng=rng),
        lambda: eval7.py_hand_vs_range_monte_carlo(their_hand, villain, their_board, trials),
    )
    return Row(
        "Monte Carlo, heads-up on a flop, a trial",
        ours / trials,
        "1.8 x eval7",
        {"eval7": theirs / trials},
        "ns",
    )


_SCALE: Final = {"ns": 1e9, "µs": 1e6, "ms": 1e3}


def print_table(rows: Sequence[Row]) -> None:
    """The rows as a table on stdout; ratios are the peer's time over ours."""
    table = Table(title="Evaluation, one thread, median CPU time")
    for column in ("task", "ours", "goal", "peers", "ratio"):
        table.add_column(column, justify="left" if column == "task" else "right")
    for row in rows:
        scale = _SCALE[row.unit]
        peers = ", ".join([f"{name} {seconds * scale:.3g}" for name, seconds in row.peers.items()])
        ratios = ", ".join([f"{seconds / row.ours:.1f}" for seconds in row.peers.values()])
        table.add_row(row.task, f"{row.ours * scale:.3g} {row.unit}", row.goal, peers, ratios)
    Console(width=130).print(table)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints."""
    parser = BenchmarkParser("bench_evaluation", __doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    parser.add_argument("--ompeval", type=Path, metavar="FOLDER", help="OMPEval's sources")
    options = parser.parse_args(arguments)
    runs = 5 if options.quick else 15
    rows = (
        scalar_rows(runs)
        + batch_rows(runs, options.ompeval)
        + strength_and_potential_rows(runs)
        + walk_rows(runs)
        + equity_rows(runs)
    )
    print_table([*rows, monte_carlo_row(runs)])


if __name__ == "__main__":
    main()
