"""Verdicts on two versions that are equal: how many of them are false.

    python -m tests.benchmarks.bench_compare [--runs 2000] [--deals 20000] [--seed 1]

In each run a version is compared with itself, with dice, by the rule of `riverboat compare`, looked at after
every deal; `tests/oracles/comparisons.py` has payoffs and rule.  The table is that of docs/evidence.md.
"""

from collections.abc import Sequence

from tests.oracles.comparisons import SHAPES, false_verdicts, of_learners, of_the_difference, of_two_versions
from tests.support.benchmarks import BenchmarkParser

KINDS = {"each version": of_two_versions, "their difference": of_the_difference, "learners": of_learners}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = BenchmarkParser("bench_compare", __doc__, runs=2000, deals=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print("| payoffs of | in big blinds | gain | hold | simplify | interval missed | by a normal rule |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for of, kind in KINDS.items():
        for shape in SHAPES:
            found = false_verdicts(kind, shape, options.runs, options.deals, options.seed)
            shares = found.gain, found.hold, found.simplify, found.missed, found.missed_by_normal
            print(f"| {of} | {shape.name} | {' | '.join(f'{share:.1%}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
