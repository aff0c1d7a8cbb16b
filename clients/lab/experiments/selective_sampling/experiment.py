"""The experiment ``selective-sampling``: its parts, one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from clients.lab.experiments.command import experiment_command
from clients.lab.experiments.report import Findings
from clients.lab.experiments.selective_sampling.equal_time import equal_time
from clients.lab.experiments.selective_sampling.examined import obvious_moves, stability, uniform_dealing
from clients.lab.experiments.selective_sampling.robustness import robustness
from clients.lab.experiments.selective_sampling.self_play import self_play
from clients.lab.experiments.selective_sampling.settings import PARTS, SamplingSettings, read_parts
from clients.lab.experiments.selective_sampling.wrong_models import wrong_models
from clients.lab.experiments.tasks import VERSION, Work

__all__ = ["DONE_BY", "selective_sampling"]

DONE_BY: Final[dict[str, tuple[str, Callable[[SamplingSettings, Work], Findings]]]] = {
    "a": ("Self-play: sampling bots against formula bots", self_play),
    "b": ("Stability of values and decisions", stability),
    "c": ("Obvious moves", obvious_moves),
    "d": ("Selective against uniform sampling", uniform_dealing),
    "e": ("Wrong models", wrong_models),
    "f": ("Costly and cheap trials in the same time", equal_time),
    "g": ("What is stated and what is realised", robustness),
}
"""The heading of each part, and the function that does it, by letter."""


@experiment_command(SamplingSettings, "what each task found", seeded="results")
def selective_sampling(settings: SamplingSettings, work: Work) -> Iterator[Findings]:
    """Reproduce Loki's selective sampling: self-play, stability, obvious moves; Poki's warnings; costs.

    Parts: a self-play, b stability, c obvious-moves, d uniform-dealing, e wrong-models, f equal-time,
    g robustness.  Files are written after each part; the time left is that of the part's present matches.
    Part f also measures the processor time of a trial, the only number that differs from run to run.
    """
    parts: dict[str, Any] = {}
    report = f"# Selective sampling\n\nSeed {settings.seed}; Riverboat {VERSION}.\n"
    for letter in read_parts(settings.parts):
        heading, do = DONE_BY[letter]
        start = time.monotonic()
        part = do(settings, work)
        parts[PARTS[letter]] = part.numbers
        report += f"\n## ({letter}) {heading}\n\n{part.report}"
        if work.plots:
            report += "".join(f"\n![{plot.title}]({plot.name}.png)\n" for plot in part.plots)
        yield Findings({"settings": settings, "parts": parts}, report, part.plots)
        work.progress(f"({letter}) {heading}: done in {time.monotonic() - start:.0f} s")
