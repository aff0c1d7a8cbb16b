"""The experiment ``heuristic``: Table 1 of Saukonoja and Pasanen, played against our own bots.

In heads-up limit each variant of the heuristic bot meets a game-theoretic player that does not learn, one
that learns how its opponent plays, and one after Poki.  Matches are long, since the paper's bot lost to the
learner from about the thousandth hand on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

import attrs

from clients.core.options import OptionError
from clients.core.registry import installed_bots, make_bot
from clients.lab.experiments import command, harness
from clients.lab.experiments.command import Options, bots, choices, experiment_command, whole
from engine.poker.rules import load_game
from engine.support.intervals import Estimate, Winnings, estimate_of_few

GAME: Final = "limit-2p"
LEARNT: Final = 1_000
"""The hand from about which the paper's learner had learnt."""


@attrs.frozen
class Counterpart:
    """An opponent of the paper."""

    name: str
    about: str
    sb_per_hand: float
    """What the paper's bot won from it, in small bets per hand."""
    candidates: tuple[str, ...]
    """Bots that may stand in, the most similar first; the first one that is installed and can play does."""

    def stand_in(self) -> str:
        """The bot that stands in for it.

        Raises:
            ValueError: none of them is installed and plays the game.
        """
        for spec in self.candidates:
            if _can_play(spec):
                return spec
        raise ValueError(f"no bot stands in for {self.name}: none of {', '.join(self.candidates)} can play")


def _can_play(spec: str) -> bool:
    """Whether a bot is installed and, with these options, plays the game of Table 1."""
    if spec.partition(":")[0] not in installed_bots():
        return False
    try:
        make_bot(spec).prepare(load_game(GAME))
    except OptionError:  # such as a strategy that must be given
        return False
    return True


COUNTERPARTS: Final = (
    Counterpart(
        "Sparbot", "near an equilibrium, does not learn", -0.023, ("equilibrium", "formula:model=generic")
    ),
    Counterpart("Vexbot", "learns to exploit", -0.242, ("adaptive", "sampling:trials=100")),
    Counterpart("Pokibrat", "Poki's formula, heads-up", 0.015, ("formula",)),
)
"""The paper's opponents in the order of Table 1.  The candidates need no files; ``--against`` names bots that
need one."""


def stood_in_for(spec: str) -> Counterpart | None:
    """The paper's opponent for which a bot may stand in, if any."""
    bot = spec.partition(":")[0]
    for each in COUNTERPARTS:
        if bot in {candidate.partition(":")[0] for candidate in each.candidates}:
            return each
    return None


VARIANTS: Final[Mapping[str, str]] = {
    "direct": "heuristic", "strategic": "heuristic:method=strategic", "steady": "heuristic:aggression=off",
    "vote": "heuristic:model=vote", "greedy": "heuristic:randomness=0",
}  # fmt: skip
"""Variants of the bot by name; the first is the paper's."""


@attrs.frozen
class HeuristicSettings(Options):
    """The players, and the number of hands."""

    hands: int = whole(20_000, 2 * harness.BLOCKS, "Hands of each variant against each opponent.")
    match_hands: int = command.hands_of_a_match(4_000, 2 * harness.BLOCKS, "the bots learn about each other")
    names: tuple[str, ...] = choices("--variant", VARIANTS, "Only this variant; may be repeated.")
    opponents: tuple[str, ...] = bots(
        "--against", (), "This opponent instead of those of the paper; may be repeated."
    )
    seed: int = 1

    def check(self) -> None:
        """Refuse opponents that do not exist, or for which nobody stands in."""
        for spec in self.against():
            make_bot(spec)

    def against(self) -> dict[str, Counterpart | None]:
        """The opponents, each with that of the paper for which it stands in.

        Raises:
            ValueError: nobody stands in for one of the paper's.
        """
        if self.opponents:
            return {spec: stood_in_for(spec) for spec in self.opponents}
        return {each.stand_in(): each for each in COUNTERPARTS}


@experiment_command(HeuristicSettings, "what each match found", seeded="figures")
def heuristic(settings: HeuristicSettings, work: harness.Work) -> Iterator[harness.Findings]:
    """Reproduce Saukonoja and Pasanen's Table 1: each variant of the heuristic bot against its opponents.

    The full size, which is the default, takes some hours on one core.
    """
    against = settings.against()
    settings = attrs.evolve(settings, opponents=tuple(against))
    _, deals = harness.long_matches(settings.hands, settings.match_hands)
    found = {
        pair: _of_pair([harness.blocks_of(result) for result in results], deals)
        for pair, results in work.groups(all_matches(settings)).items()
    }
    opponents, rows, plots, agree = {}, [], [], list[bool]()
    for number, (opponent, paper) in enumerate(against.items(), 1):
        variants = {name: found[opponent, name] for name in settings.names}
        opponents[opponent] = {"paper": paper and paper.name, "variants": variants}
        printed = paper and f"{paper.name} {paper.sb_per_hand:+z.3f}"
        if paper:
            rates = [each["all"] for each in variants.values()]
            agree += [abs(rate.mean - paper.sb_per_hand) <= (rate.ci95 or 0.0) for rate in rates]
        rows += [
            {"opponent": opponent, "name": name, "paper": printed, **each} for name, each in variants.items()
        ]
        running = {
            name: {point["hand"]: Estimate(point["sb"], point["ci95"], 0) for point in each["running"]}
            for name, each in variants.items()
        }
        bot, y = opponent.partition(":")[0], "small bets won (mean of matches, 95 % band)"
        title = f"heuristic against {opponent}" + (f" (for {paper.name})" if paper else "")
        name = f"bankroll-{number}-{bot}"
        plots.append(harness.plot(name, title, "hand of the match", y, running, levels=harness.ZERO))
    shown: dict[str, harness.Column] = {
        "against": "opponent", "variant": "name", "hands": lambda row: f"{row['all'].samples:,}",
        "sb/h": "all", f"to hand {LEARNT:,}": "early", "from there on": "late", "Table 1": "paper",
    }  # fmt: skip
    report = (
        f"# The heuristic bot against its opponents\n\n{GAME}, seed {settings.seed}, riverboat "
        f"{harness.VERSION}; matches of {settings.match_hands:,} hands, each deal played from both seats; "
        "small bets per hand with 95 % intervals from per-deal means.\n\n"
        + harness.columns(shown, rows)
        + f"\n{sum(agree)} of {len(agree)} rows have the paper's figure within their interval.  Its Table 1: "
        "about level with Sparbot and Pokibrat; Vexbot wins once it has learnt, from about hand 1,000 on.\n"
    )
    kept = {"names": settings.names, "opponents": settings.opponents, **attrs.asdict(settings)}
    played = {"variants": [VARIANTS[name] for name in settings.names], **kept}
    yield harness.Findings({"game": GAME, "settings": played, "opponents": opponents}, report, plots)


def all_matches(settings: HeuristicSettings) -> list[harness.Task]:
    """The matches of each variant against each opponent, with the same cards for every pair of players."""
    tasks = []
    for opponent, name in product(settings.opponents, settings.names):
        file = f"{name}-{opponent.replace(':', '-').replace('=', '-').replace(',', '-')}"
        played = {"variant": VARIANTS[name], "opponent": opponent}
        pair, label = (VARIANTS[name], opponent), f"{name} against {opponent}"
        tasks += harness.long_match_tasks(GAME, pair, label, file, played, settings, (opponent, name))
    return tasks


def _rate(blocks: Sequence[Winnings]) -> Estimate | None:
    """Small bets per hand, with an interval over deals, each of which was played twice."""
    won = sum(blocks, Winnings())
    return None if not won.hands else Estimate(won.chips / won.hands, won.half_width(), 2 * won.hands)


def _of_pair(matches: Sequence[Sequence[Winnings]], deals: int) -> dict[str, Any]:
    """The result of two players: overall, before and after the learner has learnt, and the running sum."""
    ends = [(block + 1) * deals // harness.BLOCKS for block in range(harness.BLOCKS)]
    blocks = [(end, block) for match in matches for end, block in zip(ends, match, strict=True)]
    running = []
    for number, end in enumerate(ends, 1):
        won = estimate_of_few([sum(part.chips for part in match[:number]) for match in matches])
        running.append({"hand": end, "sb": won.mean, "ci95": won.ci95})
    early = [block for end, block in blocks if end <= LEARNT]
    late = [block for end, block in blocks if end > LEARNT]
    everything = _rate([block for _, block in blocks])
    return {"all": everything, "early": _rate(early), "late": _rate(late), "running": running}
