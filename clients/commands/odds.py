"""``riverboat odds``: what a hand is worth, now and at the showdown, and what a call is worth.

Only this module and what it needs is loaded: no plotting without ``--plot``, no rich off a terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from clients.commands.parameters import MOST_CHIPS, FiniteRange
from engine.card_text import parse_written_cards
from engine.cards import InvalidCardError, format_cards
from engine.intervals import Z95


class CommandError(click.UsageError):
    """What the user asked for cannot be done, in one line; exit status 2."""


class OneLineCommand(click.Command):
    """A command whose usage errors are one line too."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As click's, with the usage text left out of errors."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            _fail(info_name, error)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's, with the usage text left out of errors."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            _fail(ctx.info_name, error)


def _fail(name: str | None, error: click.UsageError) -> NoReturn:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        raise error
    click.echo(f"riverboat {name}: {error.format_message()}", err=True)
    raise click.exceptions.Exit(2)


@click.command(cls=OneLineCommand)
@click.argument("cards", metavar="HOLE [BOARD]", nargs=-1, required=True)
@click.option(
    "--opponents", type=click.IntRange(1, 9), metavar="N", help="Opponents to beat: 1 to 9 (default 1)."
)
@click.option("--pot", type=FiniteRange(0, MOST_CHIPS), metavar="P", help="Chips in the pot before the call.")
@click.option("--to-call", type=FiniteRange(0, MOST_CHIPS), metavar="C", help="Chips the call costs.")
@click.option(
    "--rake",
    type=FiniteRange(0, 100),
    default=0.0,
    metavar="PERCENT",
    help="Rake taken from a pot that is won.",
)
@click.option(
    "--rake-cap", type=FiniteRange(0, MOST_CHIPS), metavar="CHIPS", help="The most rake that is taken."
)
@click.option(
    "--playing",
    type=FiniteRange(0, 100, min_open=True),
    metavar="PERCENT",
    help="Opponents hold only the best PERCENT of starting hands: reflective odds.",
)
@click.option(
    "--looseness",
    type=FiniteRange(0, 1000, min_open=True),
    default=1.0,
    metavar="X",
    help="Scales --playing: 25 at looseness 2 is 50.",
)
@click.option(
    "--trials",
    type=click.IntRange(1000, 100_000_000),
    default=100_000,
    metavar="N",
    help="Number of deals for sampled odds, of trials for --simulate.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, metavar="S", help="Seed of whatever is sampled."
)
@click.option(
    "--simulate",
    metavar="BETTING",
    help='Play the hand out from where BETTING leads, written as in logs ("" for the first decision): what '
    "each action is worth to the player to act, who holds HOLE.",
)
@click.option(
    "--game", default="limit-2p", show_default=True, metavar="GAME", help="What is played, for --simulate."
)
@click.option(
    "--model",
    type=click.Choice(["none", "generic"]),
    default="generic",
    show_default=True,
    help="Model of the others, for --simulate.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Draw the spectrum of final hands (PNG, PDF, SVG).",
)
def odds(
    cards: tuple[str, ...],
    opponents: int | None,
    pot: float | None,
    to_call: float | None,
    rake: float,
    rake_cap: float | None,
    playing: float | None,
    looseness: float,
    trials: int,
    seed: int,
    simulate: str | None,
    game: str,
    model: str,
    as_json: bool,
    plot: str | None,
) -> None:
    """Show what the two cards HOLE are worth on a BOARD of none, three, four or five cards.

    Cards in any common spelling, in one word or several: 7h9h, "7H 9h", 10h, 7♥9♥.
    """
    hole_cards, board = _split_cards(cards)
    if (pot is None) != (to_call is None):
        raise CommandError("--pot and --to-call belong together: give both or neither")
    if pot == 0 and to_call == 0:
        raise CommandError("--pot and --to-call are both 0: there are no odds to speak of")
    report = odds_report(
        hole_cards, board,
        opponents=opponents, pot=pot, to_call=to_call, rake_percent=rake, rake_cap=rake_cap,
        playing=playing, looseness=looseness, trials=trials, seed=seed,
    )  # fmt: skip
    if simulate is not None:
        report["simulation"] = simulation_report(
            hole_cards, board, game=game, betting=simulate, model=model, trials=trials, seed=seed
        )
    if plot is not None:
        from clients.reports.plots import PlotError, draw_spectrum

        try:
            draw_spectrum(plot, hole_cards, board, playing=playing, looseness=looseness, seed=seed)
        except PlotError as error:
            raise CommandError(str(error)) from error
    if as_json:
        click.echo(json.dumps(report))
    elif sys.stdout.isatty():
        _print_table(report)
    else:
        _print_lines(report)


def _split_cards(words: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The two hole cards and the board, however the words divide them."""
    try:
        known = parse_written_cards(" ".join(words))
    except InvalidCardError as error:
        raise CommandError(str(error)) from error
    if len(known) not in (2, 5, 6, 7):
        plural = "" if len(known) == 1 else "s"
        raise CommandError(
            f"expected two hole cards and a board of 0, 3, 4 or 5, "
            f"got {len(known)} card{plural}: {format_cards(known)}"
        )
    return known[:2], known[2:]


def odds_report(
    hole_cards: Sequence[int],
    board: Sequence[int],
    *,
    opponents: int | None = None,
    pot: float | None = None,
    to_call: float | None = None,
    rake_percent: float = 0.0,
    rake_cap: float | None = None,
    playing: float | None = None,
    looseness: float = 1.0,
    trials: int = 100_000,
    seed: int = 1,
) -> dict[str, Any]:
    """Everything ``riverboat odds`` tells about a hand, as it stands in its JSON.

    Args:
        hole_cards: Our two cards.
        board: 0, 3, 4 or 5 cards.
        opponents: How many to beat; 1 where it matters and None was given.
        pot: Chips in the pot before the call.
        to_call: Chips the call costs.
        rake_percent: Of the pot that is won.
        rake_cap: At most so many chips of it.
        playing: Per cent of the starting hands that opponents play; None for any hand.
        looseness: Scales ``playing``.
        trials: Deals of the sampled odds.
        seed: Of the sampled odds.

    Returns:
        Probabilities as numbers between 0 and 1; lists of odds are for 1, 2, ... 9 opponents; objects are
        keyed by the cards looked ahead.  Without a board, what needs one is null or empty.

    Raises:
        ValueError: wrong cards or a number out of range.
    """
    import numpy as np

    from engine.evaluation.hand_odds import joint_hand_odds, raw_hand_odds
    from engine.evaluation.hand_potential import hand_potential
    from engine.evaluation.hand_rank import describe_hand
    from engine.evaluation.hand_strength import (
        effective_hand_strength,
        effective_hand_strength_npot,
        hand_strength,
    )

    report: dict[str, Any] = {"hole_cards": format_cards(hole_cards), "board": format_cards(board)}
    report["hand"] = describe_hand([*hole_cards, *board]) if board else None
    counts = hand_strength(hole_cards, board) if board else None
    report["hand_strength"] = None if counts is None else counts.value
    for name in ("ahead", "tied", "behind"):
        report[name] = None if counts is None else int(getattr(counts, name))
    potentials = ("positive_potential", "negative_potential")
    effective = ("effective_hand_strength", "effective_hand_strength_npot")
    report.update({name: {} for name in potentials + effective})
    if counts is not None:
        for look_ahead in range(1, 6 - len(board)):
            potential = hand_potential(hole_cards, board, look_ahead=look_ahead)
            positive, negative = potential.positive, potential.negative
            values = (
                positive,
                negative,
                effective_hand_strength(counts.value, positive),
                effective_hand_strength_npot(counts.value, positive, negative),
            )
            for name, value in zip(potentials + effective, values, strict=True):
                report[name][str(look_ahead)] = float(value)

    raw = raw_hand_odds(hole_cards, board)
    if board:
        joint = joint_hand_odds(hole_cards, board, rng=np.random.default_rng(seed), trials=trials)
        shares, errors = joint.shares, joint.standard_errors
    else:
        shares, errors = _shipped_shares(hole_cards)
    report["equity"] = float(raw[0])
    report["raw_odds"] = raw.tolist()
    report["raw_odds_joint"] = shares.tolist()
    report["raw_odds_joint_standard_error"] = errors.tolist()

    number = opponents or 1
    if opponents is not None:
        report["opponents"] = opponents
        # Eq 3.3 with one uniform table for each.
        report["hand_strength_n"] = None if counts is None else counts.value**opponents
    hand_odds = float(raw[number - 1])
    if playing is not None:
        hand_odds = _add_reflective_odds(report, hole_cards, board, number, playing, looseness, seed)
    if pot is not None and to_call is not None:
        _add_pot_odds(report, hand_odds, number, pot, to_call, rake_percent, rake_cap)
    return report


def _shipped_shares(hole_cards: Sequence[int]) -> tuple[Any, Any]:
    """Before the flop the sampled odds are those of the shipped roll-outs, for 1 to 9 opponents."""
    import numpy as np

    from engine.combos import starting_hand
    from engine.evaluation.preflop.tables import shipped_tables

    hand = starting_hand(*hole_cards)
    tables = shipped_tables().tables
    return (
        np.array([table.shares[hand] for table in tables]),
        np.array([table.share_standard_errors[hand] for table in tables]),
    )


def _add_reflective_odds(
    report: dict[str, Any],
    hole_cards: Sequence[int],
    board: Sequence[int],
    opponents: int,
    playing: float,
    looseness: float,
    seed: int,
) -> float:
    import numpy as np

    from engine.evaluation.reflective_odds import (
        has_reflective_nuts,
        playable_before_flop,
        reflective_hand_odds,
    )

    weights = playable_before_flop(playing / 100, looseness)
    try:
        value = reflective_hand_odds(hole_cards, board, weights, opponents, rng=np.random.default_rng(seed))
    except ValueError as error:
        raise CommandError(f"--playing {playing:g}: {error}") from error
    report["reflective_odds"] = value
    report["reflective_nuts"] = bool(board) and has_reflective_nuts(hole_cards, board, weights)
    return value


def _add_pot_odds(
    report: dict[str, Any],
    hand_odds: float,
    opponents: int,
    pot: float,
    to_call: float,
    rake_percent: float,
    rake_cap: float | None,
) -> None:
    from engine.evaluation.pot_odds import (
        Rake,
        bet_to_pot_odds,
        immediate_pot_odds,
        raise_odds,
        return_on_investment,
        straight_play,
    )

    rake = Rake(rake_percent) if rake_cap is None else Rake(rake_percent, rake_cap)
    report["pot_odds"] = immediate_pot_odds(pot, to_call).value
    report["bet_to_pot"] = bet_to_pot_odds(to_call, pot).value if pot else None
    report["expected_value_of_call"] = return_on_investment(hand_odds, pot, to_call, rake=rake)
    raising = raise_odds(opponents)
    report["raise_odds"] = raising.as_pot_odds().value
    # The rake is part of the price: what we can win is the pot less what is taken from it.
    net_pot = pot - rake.amount(pot + to_call)
    if net_pot > 0:
        play = straight_play(hand_odds, bet_to_pot_odds(to_call, net_pot), raising, facing_bet=to_call > 0)
        report["straight_play"] = play.value
    else:
        report["straight_play"] = "fold" if to_call > 0 else "check"


def simulation_report(
    hole_cards: Sequence[int],
    board: Sequence[int],
    *,
    game: str = "limit-2p",
    betting: str = "",
    model: str = "generic",
    trials: int = 100_000,
    seed: int = 1,
) -> dict[str, Any]:
    """What each action is worth to the player to act, by selective sampling, as it stands in the JSON.

    Args:
        hole_cards: His two cards.
        board: The board cards that are out.
        game: What is played.
        betting: What has been bet, written as in logs.
        model: How the others play and are read: none or generic.
        trials: How many.
        seed: Same seed, same values.

    Raises:
        CommandError: no such game, a betting that is none, or another number of board cards.
    """
    from engine.rules import FOLD, GameDefinitionError, IllegalActionError, load_game, parse_betting

    try:
        definition = load_game(game)
        state = parse_betting(definition, betting)
    except (GameDefinitionError, IllegalActionError, OSError) as error:
        raise CommandError(f"--simulate: {error}") from error

    from engine.opponents.models.generic import GenericModel
    from engine.opponents.models.model import NoModel, OpponentModel
    from engine.opponents.table_reader import TableReader
    from engine.trials.players import OwnStrategy, simulated_players
    from engine.trials.selective_sampling import best_move
    from engine.trials.trials import Spot
    from engine.trials.trials import simulate as simulate_spot

    position = state.position_to_act
    if not definition.is_holdem:
        raise CommandError(f"--simulate: {game} is not Texas hold'em")
    if position is None:
        raise CommandError(f"--simulate: after {betting!r} the hand is over")
    if len(board) != state.num_board_cards:
        raise CommandError(
            f"--simulate: after {betting!r} there are {state.num_board_cards} board cards, got {len(board)}"
        )
    players = range(definition.num_players)
    models: list[OpponentModel] = [GenericModel() if model == "generic" else NoModel() for _ in players]
    reader = TableReader(models)
    reader.follow(state, board)
    first, second = hole_cards
    spot = Spot(
        state,
        tuple(board),
        (first, second),
        reader.reading.weights,
        simulated_players([OwnStrategy() if p == position else each for p, each in enumerate(models)]),
    )
    *_, estimates = simulate_spot(spot, seed, max_trials=trials, batch=1000)
    actions = [str(action) for action in estimates.moves]
    values, errors = estimates.values.tolist(), estimates.standard_errors.tolist()
    if state.legal_actions().can_fold:
        actions, values, errors = [str(FOLD), *actions], [0.0, *values], [0.0, *errors]
    return {
        "game": game,
        "betting": betting,
        "position": position,
        "model": model,
        "trials": estimates.samples,
        "unit": "small bets" if definition.is_limit else "big blinds",
        "values": [
            {"action": action, "value": value, "standard_error": error}
            for action, value, error in zip(actions, values, errors, strict=True)
        ],
        "best": actions[best_move(values, range(len(values)))],
    }


def _number(value: float | None, digits: int = 4) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _rows(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Everything but the odds against 1 to 9, as label and text."""
    rows = [("hand", f"{report['hole_cards']} on {report['board'] or 'no board'}")]
    if report["hand"] is not None:
        rows.append(("makes", report["hand"]))
        rows.append(("hand strength", _number(report["hand_strength"])))
        rows.append(("  ahead / tied / behind", f"{report['ahead']} / {report['tied']} / {report['behind']}"))
    for key, label in (
        ("positive_potential", "positive potential"),
        ("negative_potential", "negative potential"),
        ("effective_hand_strength", "effective hand strength"),
        ("effective_hand_strength_npot", "  with negative potential"),
    ):
        for look_ahead, value in report[key].items():
            cards = "one card" if look_ahead == "1" else "two cards"
            rows.append((f"{label}, {cards}", _number(value)))
    if report.get("hand_strength_n") is not None:
        rows.append((f"hand strength against {report['opponents']}", _number(report["hand_strength_n"])))
    rows.append(("equity", _number(report["equity"])))
    if "reflective_odds" in report:
        nuts = ", the reflective nuts" if report["reflective_nuts"] else ""
        rows.append(("reflective odds", _number(report["reflective_odds"]) + nuts))
    if "pot_odds" in report:
        ratio = report["bet_to_pot"]
        beside = "" if ratio is None else f" (bet to pot {100 * ratio:.1f} %)"
        rows.append(("pot odds", f"{_number(report['pot_odds'])}{beside}"))
        rows.append(("value of a call", f"{report['expected_value_of_call']:+.2f}"))
        rows.append(("raise odds", _number(report["raise_odds"])))
        rows.append(("straight play", report["straight_play"]))
    if "simulation" in report:
        simulation = report["simulation"]
        for entry in simulation["values"]:
            best = ", best" if entry["action"] == simulation["best"] else ""
            error = Z95 * entry["standard_error"]
            text = f"{entry['value']:+.3f} +- {error:.3f} {simulation['unit']}{best}"
            rows.append((f"simulated: {entry['action']}", text))
        rows.append(("  trials", str(simulation["trials"])))
    return rows


_ODDS_COLUMNS = ("opponents", "raw odds", "dealt together", "+-")


def _odds_rows(report: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    columns = zip(
        report["raw_odds"], report["raw_odds_joint"], report["raw_odds_joint_standard_error"], strict=True
    )
    return [
        (str(number), _number(raw), _number(joint), _number(Z95 * error))
        for number, (raw, joint, error) in enumerate(columns, start=1)
    ]


def _print_lines(report: Mapping[str, Any]) -> None:
    for label, text in _rows(report):
        click.echo(f"{label:<36} {text}")
    for row in (_ODDS_COLUMNS, *_odds_rows(report)):
        click.echo("".join([f"{cell:>16}" for cell in row]))


def _print_table(report: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    facts = Table(show_header=False, box=None)
    for row in _rows(report):
        facts.add_row(*row)
    several = Table(title="share of the pot against random hands", title_justify="left")
    for column in _ODDS_COLUMNS:
        several.add_column(column, justify="right")
    for odds_row in _odds_rows(report):
        several.add_row(*odds_row)
    console = Console()
    console.print(facts)
    console.print(several)
