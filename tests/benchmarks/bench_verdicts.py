"""Rules for ending a match: how often what they say is false, and after how many deals they say it.

    python -m tests.benchmarks.bench_verdicts [--matches 2000] [--seed 1]

Matches are simulated from payoffs whose mean is known; `tests/oracles/stopping_rules.py` has the shapes and
the rules.  The tables are those of docs/evidence.md.
"""

import math
from collections.abc import Sequence

import numpy as np

from tests.oracles.stopping_rules import POCOCK_LOOKS, RARE, SHAPES, averages, pluribus, simulate
from tests.support.benchmarks import BenchmarkParser

RULES = ("fixed", "peeking", "Pocock", "asymptotic", "betting")
EDGES = {0.2: 4_000, 0.1: 12_000, 0.05: 40_000, 0.02: 150_000}
"""By mean payoff in standard deviations: deals after which a match is given up."""
EDGE_MATCHES = 100


def truths(matches: int, seed: int) -> None:
    """How often rules are false."""
    deals = POCOCK_LOOKS[-1]
    print(
        f"False in ... of {matches} matches of {deals} deals, and covered by the interval fixed beforehand\n"
    )
    print("| payoffs, big blinds | looked at every deal | Pocock | asymptotic | betting | fixed: covers |")
    print("| --- | --- | --- | --- | --- | --- |")
    widths = []
    for shape in (*SHAPES, pluribus()):
        if shape is None:
            continue
        courses = simulate(shape, matches, deals, seed)
        cells = [f"{courses[rule].false:.1%}" for rule in RULES[1:]]
        print(
            f"| {shape.name} | {' | '.join(cells)} | {1 - courses['fixed'].missed_at_end:.1%} |", flush=True
        )
        widths.append((shape.name, [f"{courses[rule].half_width:.2f}" for rule in RULES[2:]]))
    print(f"\nHalf width after {deals} deals, in 1.96 standard errors\n")
    print("| payoffs | Pocock | asymptotic | betting |\n| --- | --- | --- | --- |")
    for name, cells in widths:
        print(f"| {name} | {' | '.join(cells)} |")


def learners(matches: int, seed: int) -> None:
    """How often the rule for matches of players that learn is false."""
    deals = POCOCK_LOOKS[-1]
    print(f"\nMatches of learners: false in ... of {matches} of {deals} deals\n")
    print("| payoffs, big blinds | play alike | learn | half width |\n| --- | --- | --- | --- |")
    for shape in (*SHAPES, RARE):
        alike, learnt = (averages(shape, matches, deals, seed, learns=learns) for learns in (False, True))
        print(
            f"| {shape.name} | {alike.false:.1%} | {learnt.false:.1%} | {alike.half_width:.2f} |", flush=True
        )


def hands(seed: int) -> None:
    """How many deals rules need."""
    print(f"\nDeals until half of the matches are decided ({EDGE_MATCHES} matches)\n")
    print("| edge, standard deviations | payoffs | edge, mbb/h | fixed beforehand | asymptotic | betting |")
    print("| --- | --- | --- | --- | --- | --- |")
    for edge, deals in EDGES.items():
        fixed = math.ceil((1.96 / edge) ** 2)
        for shape in SHAPES[:2]:
            courses = simulate(shape.moved(edge * shape.sd), EDGE_MATCHES, deals, seed)
            needed = [float(np.median(courses[rule].decided_after)) for rule in RULES[3:]]
            cells = [f"{n:.0f}" if math.isfinite(n) else f"> {deals}" for n in needed]
            mbb = edge * shape.sd * 1000
            print(f"| {edge} | {shape.name} | {mbb:.0f} | {fixed} | {' | '.join(cells)} |", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all tables."""
    parser = BenchmarkParser("bench_verdicts", __doc__, matches=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    truths(options.matches, options.seed)
    learners(options.matches, options.seed)
    hands(options.seed)


if __name__ == "__main__":
    main()
