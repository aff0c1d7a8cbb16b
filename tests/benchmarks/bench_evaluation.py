"""Speed of hand evaluation, strength, potential and equity, beside eval7 and phevaluator in the same run.

    python -m tests.benchmarks.bench_evaluation [--runs N] [--ompeval FOLDER]

FOLDER has OMPEval's sources (``HandEvaluator.cpp``), which are compiled for the run.

Each figure is the median of several runs of CPU time on one thread, so that other programs on the machine
disturb little; peers run in turn with ours.  A goal is what the project set itself on a quiet machine; only
the ratios to the peers carry over from one machine to another.
"""

import ctypes
import itertools
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import eval7
import numpy as np
from numpy.typing import NDArray
from phevaluator import evaluate_cards

from engine.evidence.pair_equities import _compute_points
from engine.hands.equity import all_hand_equities, monte_carlo_equities
from engine.hands.hand_rank import hand_rank, hand_ranks, rank_seven_cards
from engine.hands.hand_strength import all_hand_strengths, hand_potential, hand_strength
from engine.kernels.poker import tables
from engine.kernels.solving.lanes import walk_in_order
from engine.poker.cards import CARD_TEXTS, parse_cards
from engine.poker.combos import COMBO_CARDS, NUM_COMBOS, combo_index
from engine.solving.holdem.abstraction import by_strength
from tests.support.benchmarks import BenchmarkParser, Figure, Task, repeated, seconds, show

# --- ompeval ------------------------------------------------------------------------------------------------

_RANK_HANDS: Final = """
#include "HandEvaluator.h"
extern "C" void rank_hands(const unsigned char *cards, unsigned short *ranks, long count) {
    static const omp::HandEvaluator evaluator;
    for (long i = 0; i < count; i++, cards += 7) {
        omp::Hand hand = omp::Hand::empty();
        for (int j = 0; j < 7; j++)
            hand += omp::Hand(cards[j]);
        ranks[i] = evaluator.evaluate(hand);
    }
}
"""


def ranker(sources: Path, hands: NDArray[np.uint8]) -> Callable[[], NDArray[np.uint16]]:
    """A function that ranks hands of seven cards with OMPEval, on its own scale.

    Args:
        sources: the folder with ``HandEvaluator.cpp`` (github.com/zekyll/OMPEval, folder ``omp``).
        hands: shape (n, 7), C-contiguous.

    Raises:
        subprocess.CalledProcessError: it does not compile.
    """
    with tempfile.TemporaryDirectory() as folder:
        glue, library = Path(folder) / "glue.cpp", Path(folder) / "ompeval.so"
        glue.write_text(_RANK_HANDS)
        compiler = ["c++", "-std=c++14", "-O3", "-march=native", "-shared", "-fPIC", f"-I{sources}"]
        subprocess.run(
            [*compiler, str(glue), str(sources / "HandEvaluator.cpp"), "-o", str(library)], check=True
        )
        rank_hands = ctypes.CDLL(str(library)).rank_hands
    ranks = np.empty(len(hands), np.uint16)

    def rank() -> NDArray[np.uint16]:
        rank_hands(
            ctypes.c_void_p(hands.ctypes.data), ctypes.c_void_p(ranks.ctypes.data), ctypes.c_long(len(hands))
        )
        return ranks

    return rank


# --- bench evaluation ---------------------------------------------------------------------------------------

RNG: Final = np.random.default_rng(1)


def rank_tasks(ompeval: Path | None) -> Iterator[Task]:
    """Hands of seven cards, one by one and in a batch."""
    hands = [tuple(RNG.permutation(52)[:7].tolist()) for _ in range(2000)]
    theirs = [[eval7.Card(CARD_TEXTS[card]) for card in hand] for hand in hands]

    def each(rank: Callable[..., object]) -> Figure:
        def run() -> None:
            for a, b, c, d, e, f, g in hands:
                rank(a, b, c, d, e, f, g)

        return seconds(run, len(hands))

    def checked() -> None:
        for hand in hands:
            hand_rank(hand)

    def with_eval7(evaluate: Callable[[object], object] = eval7.evaluate) -> None:
        for cards in theirs:
            evaluate(cards)

    peers = {"eval7": seconds(with_eval7, len(hands)), "phevaluator": each(evaluate_cards)}
    yield Task("7 cards, one call from Python, unchecked", each(rank_seven_cards), "ns", "250 ns", peers)
    yield Task("7 cards, one call from Python, checked", seconds(checked, len(hands)), "ns", "", peers)
    deck = np.tile(np.arange(52, dtype=np.uint8), (200_000, 1))
    batch = np.tile(np.ascontiguousarray(RNG.permuted(deck, axis=1)[:, :7]), (5, 1))
    yield Task(
        "7 cards, random batch of a million, a hand",
        seconds(lambda: hand_ranks(batch), len(batch)),
        "ns",
        "3.3 ns",
        {"OMPEval": seconds(ranker(ompeval, batch), len(batch))} if ompeval else {},
    )
    size = tables.ranking_table().nbytes / 1000
    yield Task(f"tables, built ({size:.0f} KB)", seconds(rebuilt_tables), "ms", "150 ms")


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

    assert run() == hand_strength(hole, board)
    return run


def strength_tasks() -> Iterator[Task]:
    """Strength and potential on a flop; potentials of random and of one-suited flops, 10 calls of each."""
    hole, flop = parse_cards("AdQc"), parse_cards("Jh4c3h")
    weights = RNG.random(NUM_COMBOS)
    peers = {"eval7": seconds(strength_with_eval7(hole, flop))}
    strength, potential = partial(hand_strength, hole, flop), partial(hand_potential, hole, flop)
    yield Task("hand strength, flop", repeated(strength, 500), "µs", "4 µs", peers)
    yield Task("hand strength, flop, weighted", repeated(partial(strength, weights), 500), "µs", "4 µs")
    yield Task("potential, one card, flop", repeated(partial(potential, None, 1), 200), "µs", "20 µs")
    yield Task("potential, one card, flop, weighted", repeated(partial(potential, weights, 1), 200), "µs")
    flops = [RNG.permutation(52)[:5].tolist() for _ in range(40)]
    one_suited = []
    for _ in range(20):
        board = (4 * RNG.permutation(13)[:3] + 2).tolist()
        rest = RNG.permutation([card for card in range(52) if card not in board])[:2].tolist()
        hearts = [card for card in range(2, 52, 4) if card not in board][-2:]
        one_suited += [[*rest, *board], [*hearts, *board]]

    def figure(cards: list[list[int]], of_all: Callable[[list[float]], float]) -> Callable[[], float]:
        each = [repeated(partial(hand_potential, hand[:2], hand[2:], weights), 10) for hand in cards]
        return lambda: of_all([measure() for measure in each])

    name = "potential, two cards, weighted, "
    yield Task(name + "median of random flops", figure(flops, statistics.median), "µs", "350 µs")
    yield Task(name + "worst (one-suited flops)", figure(one_suited, max), "µs", "2500 µs")


def walk_tasks() -> Iterator[Task]:
    """The range walk on a river by pairs of ranks, by combos, and in order for many ranges side by side."""
    weights = RNG.random(NUM_COMBOS)
    three, four = parse_cards("8h6h4hKs2d"), parse_cards("8h6h4hKh2d")
    held, ends = by_strength(three)
    ranges = np.ascontiguousarray(RNG.random((len(held), 64), np.float32))
    sums, found = np.zeros((53, 64), np.float32), np.empty_like(ranges)
    in_order = partial(walk_in_order, COMBO_CARDS[held], ends, (0, len(ends)), ranges, sums, found)
    for way, board in (("three hearts: by pairs of ranks", three), ("four hearts: by combos", four)):
        walk = repeated(partial(all_hand_strengths, board, weights), 200)
        yield Task(f"range walk, river with {way}", walk, "µs")
    yield Task("range walk, river, 64 ranges in order, a range", seconds(in_order, 64), "µs")


def equity_tasks() -> Iterator[Task]:
    """All hands against a range, before the flop and after it; and one hand, by trials."""
    weights, board = RNG.random(NUM_COMBOS), parse_cards("8h6c4hKs2d")
    for street, cards, calls, unit, goal in (
        ("river", 5, 100, "µs", "9 µs"),
        ("turn", 4, 5, "ms", "0.4 ms"),
        ("flop", 3, 1, "ms", "9 ms"),
    ):
        equities = repeated(partial(all_hand_equities, board[:cards], weights), calls)
        yield Task(f"all hands against a weighted range, {street}", equities, unit, goal)
    yield Task("pairs before the flop, 169 x 1326, exact", seconds(_compute_points), "ms", "10000 ms")
    trials, ranges = 200_000, np.ones((2, NUM_COMBOS))
    ranges[0] = 0.0
    ranges[0, combo_index(*parse_cards("AsKd"))] = 1.0
    rng = np.random.default_rng(2)
    villain = eval7.HandRange("22+, A2+, K2+, Q2+, J2+, T2+, 92+, 82+, 72+, 62+, 52+, 42+, 32+")
    hand, flop = [[eval7.Card(text) for text in texts] for texts in (("As", "Kd"), ("8h", "6c", "4h"))]
    yield Task(
        "Monte Carlo, heads-up on a flop, a trial",
        seconds(lambda: monte_carlo_equities(ranges, board[:3], trials=trials, rng=rng), trials),
        "ns",
        "1.8 x eval7",
        {"eval7": seconds(lambda: eval7.py_hand_vs_range_monte_carlo(hand, villain, flop, trials), trials)},
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = BenchmarkParser("bench_evaluation", __doc__, runs=15)
    parser.add_argument("--ompeval", type=Path, metavar="FOLDER", help="OMPEval's sources")
    options = parser.parse_args(arguments)
    tasks = (rank_tasks(options.ompeval), strength_tasks(), walk_tasks(), equity_tasks())
    show("Evaluation, one thread, median CPU time", itertools.chain(*tasks), options.runs)


if __name__ == "__main__":
    main()
