"""``riverboat odds``: the value of a hand, now and at the showdown, and of a call.

It loads only what it needs: no plotting without ``--plot``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs
import click
from click import Choice, IntRange
from click.core import ParameterSource

from clients.commands import refusing
from clients.core import one_line
from engine.poker.cards import InvalidCardError, format_cards, parse_written_cards
from engine.support.text import rate, table
from engine.support.user_input import how_many
from server.support.options import FOR_EXPERTS, FiniteRange, GroupedCommand, Parsed, flag, option

if TYPE_CHECKING:
    from clients.reports.odds import OddsQuery


_MOST_OPPONENTS: Final = 9
_RANGE: Final = re.compile(r"[+:]|random|any|[2-9TJQKA]{2}[so]?\b", re.IGNORECASE)
"""What a range has and cards have not."""


def _shares(text: str) -> tuple[float, ...]:
    """The percentages of a text such as ``25,60``, each above 0 and at most 100."""
    one = FiniteRange(0, 100, min_open=True)
    return tuple(one.convert(part.strip(), None, None) for part in text.split(","))


_FOR_EXPERTS: Final = ("playing", "looseness", "trials", "seed", "simulate", "game", "model")


_OF_RANGES: Final = ("cards", "board", "dead", "trials", "seed", "as_json")
_NEEDED: Final = {
    "grid": "--plot", "game": "--simulate", "model": "--simulate", "looseness": "--playing",
    "won_later": "--pot", "lost_later": "--pot", "rake_percent": "--pot", "rake_cap": "--rake",
}  # fmt: skip


class _Odds(GroupedCommand, one_line.ComputingCommand):
    """A computing command with options for experts."""


@click.command(cls=_Odds, apart={FOR_EXPERTS: _FOR_EXPERTS})
@click.argument("cards", metavar="HOLE [BOARD] | RANGE RANGE...", nargs=-1, required=True)
@option("--board CARDS", "The board, where RANGEs are compared.")
@option("--dead CARDS", "Cards that nobody holds and that do not come, with RANGEs.", default="")
@option("--opponents N", "Opponents to beat: 1 to 9 (default 1).", IntRange(1, 9))
@option("--pot P", "Chips in the pot before the call.", FiniteRange(0, one_line.MOST_CHIPS))
@option("--to-call C", "Chips the call costs.", FiniteRange(0, one_line.MOST_CHIPS))
@option(
    "--won-later CHIPS",
    "Implied odds: what opponents still put in, all together, in the hands that you win.",
    FiniteRange(0, one_line.MOST_CHIPS),
)
@option(
    "--lost-later CHIPS",
    "Reverse implied odds: what you still put in, in the hands that you lose.",
    FiniteRange(0, one_line.MOST_CHIPS),
)
@option(
    "--rake rake_percent PERCENT", "Rake taken from a pot that is won.", FiniteRange(0, 100), default=0.0,
    show_default=False,
)  # fmt: skip
@option("--rake-cap CHIPS", "The most rake that is taken.", FiniteRange(0, one_line.MOST_CHIPS))
@option(
    "--playing PERCENT[,...]",
    "Opponents continue only with the best PERCENT of hands, before the flop, on the flop, on the turn, "
    "on the river: reflective odds.  Once for all opponents, or once for each.", Parsed("percents", _shares),
    multiple=True,
)  # fmt: skip
@option(
    "--looseness X", "Scales --playing: 25 at looseness 2 is 50.", FiniteRange(0, 1000, min_open=True),
    default=1.0, show_default=False,
)  # fmt: skip
@option(
    "--trials N", "Number of deals for sampled odds, of trials for --simulate.", IntRange(1000, 100_000_000),
    default=100_000, show_default=False,
)  # fmt: skip
@one_line.seed_option("samples", default=1)
@option(
    "--simulate BETTING",
    'Play the hand out from where BETTING leads, written as in logs ("" for the first decision): what '
    "each action is worth to the player to act, who holds HOLE.",
)
@option("--game GAME", "What is played, for --simulate.", default="limit-2p")
@option("--model", "Model of the others, for --simulate.", Choice(["none", "generic"]), default="generic")
@flag("--grid", "--plot draws the equity against each starting hand, 13 x 13, instead.")
@one_line.json_option()
@one_line.plot_option("the spectrum of final hands")
def odds(
    cards: tuple[str, ...],
    board: str | None,
    dead: str,
    simulate: str | None,
    game: str,
    model: str,
    grid: bool,
    as_json: bool,
    plot: str | None,
    **asked: Any,
) -> None:
    """Show what two hole cards are worth, or what hands and ranges win of each other.

    HOLE is looked at on a BOARD of none, three, four or five cards.  RANGEs are compared:
    ``riverboat odds AhKd QQ+,AKs --board 2c7d9h``.

    Cards in any common spelling, in one word or several: 7h9h, "7H 9h", 10h, 7♥9♥.  A RANGE lists hands:
    AKs, AK, JJ+, ATs+, 22-66, AhKd, random, each perhaps with a weight as in 22-66:0.5.
    """
    are_ranges = _are_ranges(cards) or board is not None or dead
    _refuse_unused(click.get_current_context(), are_ranges=bool(are_ranges))
    if are_ranges:
        _compare(cards, board or "", dead, trials=asked["trials"], seed=asked["seed"], as_json=as_json)
        return
    hole_cards, community = _split_cards(cards)
    from clients.reports.odds import OddsQuery, odds_report

    query = _checked(OddsQuery(hole_cards, community, **asked))
    with refusing(ValueError, what="--playing: " if query.playing else ""):  # all else has been checked
        report = odds_report(query)
    if simulate is not None:
        report["simulation"] = _simulation(query, game, simulate, model)
    if plot is not None and grid:
        _draw_grid(plot, hole_cards, community)
    elif plot is not None:
        from clients.reports.plots import draw_spectrum

        shares = query.playing[0][0] if query.playing else None
        draw_spectrum(plot, hole_cards, community, playing=shares, looseness=query.looseness, seed=query.seed)
    if as_json:
        click.echo(json.dumps(report))
    else:
        _print_lines(report)


def _refuse_unused(ctx: click.Context, *, are_ranges: bool) -> None:
    """Refuse options that would be ignored."""
    given = {
        each.name: each.opts[0]
        for each in ctx.command.params
        if ctx.get_parameter_source(str(each.name)) is ParameterSource.COMMANDLINE
    }
    if are_ranges and (unused := [opt for name, opt in given.items() if name not in _OF_RANGES]):
        raise one_line.CommandError(f"{', '.join(unused)}: only for one hand, not where RANGEs are compared")
    for name, needed in _NEEDED.items():
        if name in given and needed not in given.values():
            raise one_line.CommandError(f"{given[name]} says nothing without {needed}")


def _checked(query: OddsQuery) -> OddsQuery:
    """The question, with as many opponents as `playing` says; what makes no sense together is refused."""
    times, opponents = len(query.playing), query.opponents
    if (query.pot is not None) != (query.to_call is not None):
        raise one_line.CommandError("--pot and --to-call belong together: give both or neither")
    if query.pot == 0 and query.to_call == 0:
        raise one_line.CommandError("--pot and --to-call are both 0: there are no odds to speak of")
    if query.pot == 0 and query.won_later == 0:
        raise one_line.CommandError("--pot and --won-later are both 0: there is nothing to win")
    if times > 1 and opponents not in (None, times):
        raise one_line.CommandError(
            f"--playing is given {times} times and --opponents says {opponents}: give it once for all "
            "opponents, or once for each"
        )
    if times > _MOST_OPPONENTS:
        raise one_line.CommandError(f"--playing is given {times} times: expected at most {_MOST_OPPONENTS}")
    return attrs.evolve(query, opponents=times) if times > 1 else query


def _are_ranges(words: Sequence[str]) -> bool:
    """Whether words are hands and ranges to be compared, not one hand and its board."""
    try:
        sizes = {len(parse_written_cards(word)) for word in words}
    except InvalidCardError:
        return any(_RANGE.search(word) for word in words)
    return len(words) > 1 and sizes == {2}


def _compare(words: Sequence[str], board: str, dead: str, *, trials: int, seed: int, as_json: bool) -> None:
    from clients.reports.odds import ranges_report
    from engine.poker.ranges import parse_range

    ranges = {}
    with refusing(ValueError):
        for number, word in enumerate(words, 1):
            ranges[word if word not in ranges else f"{word} ({number})"] = parse_range(word)
        if not 2 <= len(words) <= 1 + _MOST_OPPONENTS:
            raise one_line.CommandError(f"expected two to ten hands or ranges to compare, got {len(words)}")
        out, gone = (parse_written_cards(text) if text else () for text in (board, dead))
        found = ranges_report(ranges, out, gone, trials=trials, seed=seed)
    if as_json:
        click.echo(json.dumps(found))
        return
    kind = "exact" if found["exact"] else f"± 95 %, fixed: {trials:,} deals, seed {seed}"
    rows = [["", "wins alone", "shares", "share of the pot"]]
    for each in found["players"]:
        half = None if each["ci95"] is None else 100 * each["ci95"]
        share = rate(100 * each["equity"], half, 2, signed=False, unit="%")
        rows.append([each["range"], f"{each['win']:.2%}", f"{each['tie']:.2%}", share])
    where = f"on {found['board']}" if found["board"] else "before the flop"
    click.echo("\n".join([f"{where}{', without ' + found['dead'] if dead else ''} ({kind})", *table(rows)]))


def _draw_grid(path: str, hole_cards: tuple[int, ...], board: tuple[int, ...]) -> None:
    from clients.core.figure import save_figure
    from clients.reports.grids import values_figure
    from clients.reports.odds import equity_by_starting_hand

    where = f"on {format_cards(board)}" if board else "before the flop"
    title = f"Equity of {format_cards(hole_cards)} {where} against each starting hand, per cent"
    equities = equity_by_starting_hand(hole_cards, board)
    save_figure(values_figure(equities, title, "share of the pot"), path)


def _split_cards(words: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The two hole cards and the board, however they are divided into words."""
    with refusing(InvalidCardError):
        known = parse_written_cards(" ".join(words))
    if len(known) not in (2, 5, 6, 7):
        got = f"got {how_many(len(known), 'card')}: {format_cards(known)}"
        raise one_line.CommandError(f"expected two hole cards and a board of 0, 3, 4 or 5, {got}")
    return known[:2], known[2:]


def _simulation(query: OddsQuery, game: str, betting: str, model: str) -> dict[str, Any]:
    from clients.reports.spot import simulation_report

    with refusing(ValueError, OSError, what=f"--simulate {betting!r} --game {game}: "):
        return simulation_report(
            query.hole_cards, query.board,
            game=game, betting=betting, model=model, trials=query.trials, seed=query.seed,
        )  # fmt: skip


def _print_lines(report: Mapping[str, Any]) -> None:
    from clients.reports.odds import ODDS_COLUMNS, odds_rows, report_rows

    for label, text in report_rows(report):
        click.echo(f"{label:<36} {text}")
    for row in (ODDS_COLUMNS, *odds_rows(report)):
        click.echo("".join([f"{cell:>16}" for cell in row]))
