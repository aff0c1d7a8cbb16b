"""What a hand is worth, now and at the showdown, and what a call is worth: the report of ``riverboat odds``.

`hand_worth` also answers a person who asks for the odds at a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs
import numpy as np

from engine.hands import hand_strength as strengths
from engine.hands.equity import equity_against, preflop_equities, range_equities
from engine.hands.hand_odds import joint_hand_odds, raw_hand_odds
from engine.hands.pot_odds import (
    FurtherBets,
    bet_to_pot_odds,
    immediate_pot_odds,
    implied_odds,
    raise_odds,
    return_on_investment,
    straight_play,
)
from engine.hands.preflop.tables import shipped_tables
from engine.hands.reflective_odds import has_reflective_nuts, playable_in_rounds, reflective_hand_odds
from engine.poker.cards import format_cards
from engine.poker.combos import NUM_STARTING_HANDS, STARTING_HAND_OF_COMBO, combos_without, starting_hand
from engine.poker.rules import Rake
from engine.poker.rules.hand_words import name_hand
from engine.support.arrays import Floats
from engine.support.intervals import Z95
from engine.support.text import rate

_BY_LOOK_AHEAD: Final = (
    ("positive_potential", "positive potential"),
    ("negative_potential", "negative potential"),
    ("effective_hand_strength", "effective hand strength"),
    ("effective_hand_strength_npot", "  with negative potential"),
)
"""What depends on the cards looked ahead, and how it is called in text."""


@attrs.frozen
class HandWorth:
    """The worth of a hand on a board against one unknown opponent."""

    strength: strengths.HandStrength
    potentials: Mapping[int, strengths.HandPotential]
    """By the number of cards looked ahead; empty on the river."""

    def effective(self, look_ahead: int) -> float:
        """Strength and positive potential together (Poki, eq. 3.6)."""
        return strengths.effective_hand_strength(self.strength.value, self.potentials[look_ahead].positive)

    def effective_npot(self, look_ahead: int) -> float:
        """The same with negative potential as well (Poki, eq. 3.5)."""
        now, later = self.strength.value, self.potentials[look_ahead]
        return strengths.effective_hand_strength_npot(now, later.positive, later.negative)


def hand_worth(hole_cards: Sequence[int], board: Sequence[int]) -> HandWorth:
    """Strength and potentials of a hand.

    Args:
        hole_cards: our two cards.
        board: 3, 4 or 5 cards.

    Raises:
        ValueError: wrong cards.
    """
    ahead = range(1, 6 - len(board))
    potentials = {cards: strengths.hand_potential(hole_cards, board, look_ahead=cards) for cards in ahead}
    return HandWorth(strengths.hand_strength(hole_cards, board), potentials)


def equity_by_starting_hand(hole_cards: Sequence[int], board: Sequence[int]) -> Floats:
    """The equity of a hand against each starting hand, exact; before the flop of its kind, all suits alike.

    Args:
        hole_cards: our two cards.
        board: 0, 3, 4 or 5 cards.

    Returns:
        Shape (169,); NaN for starting hands of which every combo has a card that is out.

    Raises:
        ValueError: wrong cards.
    """
    if not board:
        return np.array(preflop_equities()[starting_hand(*hole_cards)])
    alive = combos_without((*hole_cards, *board))
    equities = np.full(NUM_STARTING_HANDS, np.nan)
    for hand in range(NUM_STARTING_HANDS):
        weights = (hand == STARTING_HAND_OF_COMBO) & alive
        if weights.any():
            equities[hand] = equity_against(hole_cards, board, weights.astype(np.float64))
    return equities


def ranges_report(
    ranges: Mapping[str, Floats], board: Sequence[int], dead: Sequence[int], *, trials: int, seed: int
) -> dict[str, Any]:
    """The equities of hands and ranges against each other, as they stand in the JSON.

    Args:
        ranges: the weights by combo, by what was written; equal ones have a number behind.
        board: 0, 3, 4 or 5 cards.
        dead: cards that nobody holds and that do not come.
        trials: deals, where the equities are sampled.
        seed: of the deals.

    Raises:
        ValueError: wrong cards, or ranges that cannot be held together.
    """
    alive = combos_without((*board, *dead))
    for text, weights in ranges.items():
        if not (weights * alive).any():
            raise ValueError(f"{text}: all its hands hold cards of the board or dead ones")
    rng = np.random.default_rng(seed)
    found = range_equities(list(ranges.values()), board, dead=dead, trials=trials, rng=rng)
    is_exact = not any(each.standard_error for each in found)
    return {
        "board": format_cards(board),
        "dead": format_cards(dead),
        "exact": is_exact,
        "trials": None if is_exact else trials,
        "players": [
            {
                "range": text, "win": each.win, "tie": each.tie, "equity": each.value,
                "ci95": None if is_exact else Z95 * each.standard_error,
            }
            for text, each in zip(ranges, found, strict=True)
        ],
    }  # fmt: skip


@attrs.frozen
class OddsQuery:
    """The question to ``riverboat odds``."""

    hole_cards: Sequence[int]
    """Our two cards."""
    board: Sequence[int]
    """0, 3, 4 or 5 cards."""
    opponents: int | None = None
    """How many to beat; 1 where it matters and None was given."""
    pot: float | None = None
    """Chips in the pot before the call; None, as `to_call`, where there is no price to be judged."""
    to_call: float | None = None
    """Chips the call costs."""
    rake_percent: float = 0.0
    """Taken from the pot that is won."""
    rake_cap: float | None = None
    """The most that is taken, in chips."""
    won_later: float | None = None
    """Chips that opponents still put in, all together, in the hands that we win; None: nothing is asked."""
    lost_later: float | None = None
    """Chips that we still put in, in the hands that we lose."""
    playing: Sequence[Sequence[float]] = ()
    """Per cent of the hands with which opponents go on, before the flop and in each round after it: once for
    all opponents, or once for each; empty for any hand."""
    looseness: float = 1.0
    """Scales `playing`."""
    trials: int = 100_000
    """Deals of the sampled odds."""
    seed: int = 1
    """Seed of the sampled odds."""


def odds_report(query: OddsQuery) -> dict[str, Any]:
    """Everything ``riverboat odds`` says about a hand, as it stands in its JSON.

    Returns:
        Probabilities as numbers between 0 and 1; lists of odds are for 1, 2, ... 9 opponents; objects are
        keyed by the cards looked ahead.  Without a board, what needs one is null or empty.

    Raises:
        ValueError: wrong cards, a number out of range, opponents who play no hand that is possible, or
            another number of opponents than of what they play.
    """
    hole_cards, board = query.hole_cards, query.board
    report: dict[str, Any] = {"hole_cards": format_cards(hole_cards), "board": format_cards(board)}
    report["hand"] = name_hand([*hole_cards, *board], kickers=True) if board else None
    worth = hand_worth(hole_cards, board) if board else None
    report |= worth_entries(worth)
    raw = raw_hand_odds(hole_cards, board)
    if board:
        generator = np.random.default_rng(query.seed)
        joint = joint_hand_odds(hole_cards, board, rng=generator, trials=query.trials)
        shares, errors = joint.shares, joint.standard_errors
    else:
        shares, errors = _shipped_shares(hole_cards)
    report["equity"] = float(raw[0])
    report["raw_odds"] = raw.tolist()
    report["raw_odds_joint"] = shares.tolist()
    report["raw_odds_joint_standard_error"] = errors.tolist()
    if query.opponents is not None:
        report["opponents"] = query.opponents
        # Eq 3.3 with one uniform table for each.
        report["hand_strength_n"] = None if worth is None else worth.strength.value**query.opponents
    hand_odds = float(raw[(query.opponents or 1) - 1])
    if query.playing:
        reflective = _reflective_entries(query)
        report |= reflective
        hand_odds = reflective["reflective_odds"]
    if query.pot is not None and query.to_call is not None:
        report |= _price_entries(query, hand_odds, query.pot, query.to_call)
    return report


def worth_entries(worth: HandWorth | None) -> dict[str, Any]:
    """The worth of a hand as it stands in JSON, by cards looked ahead; without a board null or empty."""
    if worth is None:
        unknown: dict[str, Any] = dict.fromkeys(("hand_strength", "ahead", "tied", "behind"))
        return unknown | {name: {} for name, _ in _BY_LOOK_AHEAD}
    strength, ahead = worth.strength, worth.potentials
    return {
        "hand_strength": strength.value,
        **{name: int(getattr(strength, name)) for name in ("ahead", "tied", "behind")},
        "positive_potential": {str(cards): float(each.positive) for cards, each in ahead.items()},
        "negative_potential": {str(cards): float(each.negative) for cards, each in ahead.items()},
        "effective_hand_strength": {str(cards): float(worth.effective(cards)) for cards in ahead},
        "effective_hand_strength_npot": {str(cards): float(worth.effective_npot(cards)) for cards in ahead},
    }


def _shipped_shares(hole_cards: Sequence[int]) -> tuple[Floats, Floats]:
    """Before the flop the sampled odds are those of the shipped roll-outs, for 1 to 9 opponents."""
    hand = starting_hand(*hole_cards)
    tables = shipped_tables().tables
    errors = np.array([table.share_standard_errors[hand] for table in tables])
    return np.array([table.shares[hand] for table in tables]), errors


def _tables(query: OddsQuery) -> Floats:
    """A weight table for each opponent, by what they play: shape (opponents, 1326)."""
    played = [[share / 100 for share in shares] for shares in query.playing]
    tables = [playable_in_rounds(query.board, shares, query.looseness) for shares in played]
    if len(tables) == 1:
        tables *= query.opponents or 1
    return np.array(tables)


def _reflective_entries(query: OddsQuery) -> dict[str, Any]:
    """The odds against opponents who play only their best hands, and the strength now: each table by itself
    (Poki, eq. 3.3), and one table for the whole field (eq. 3.4), Poki's and Loki's."""
    hole_cards, board = query.hole_cards, query.board
    tables = _tables(query)
    generator = np.random.default_rng(query.seed)
    # One table for several: its boards are counted once.
    weights = tables[0] if len(query.playing) == 1 else tables
    odds = reflective_hand_odds(hole_cards, board, weights, len(tables), rng=generator)
    has_nuts = bool(board) and all(has_reflective_nuts(hole_cards, board, table) for table in tables)
    entries: dict[str, Any] = {"reflective_odds": odds, "reflective_nuts": has_nuts}
    if board:
        entries["hand_strength_tables"] = strengths.multi_player_hand_strength(hole_cards, board, tables)
        fields = [(how, strengths.field_array(tables, how)) for how in ("maximum", "mean")]
        strength = strengths.field_hand_strength
        found = {how: strength(hole_cards, board, field, len(tables)) for how, field in fields}
        entries["hand_strength_field"] = found
    return entries


def _price_entries(query: OddsQuery, hand_odds: float, pot: float, to_call: float) -> dict[str, Any]:
    """The cost and the gain of a call, for a hand of some odds."""
    rake = Rake(query.rake_percent) if query.rake_cap is None else Rake(query.rake_percent, query.rake_cap)
    raising = raise_odds(query.opponents or 1)
    further = FurtherBets(query.won_later or 0.0, query.lost_later or 0.0)
    # The rake is part of the price: what we can win is the pot less what is taken from it.
    net_pot = pot - rake.amount(pot + to_call)
    if net_pot > 0:
        implied = implied_odds(net_pot, to_call, further)
        play = straight_play(hand_odds, implied, raising, facing_bet=to_call > 0).value
    else:
        play = "fold" if to_call > 0 else "check"
    return {
        "pot_odds": immediate_pot_odds(pot, to_call).value,
        "bet_to_pot": bet_to_pot_odds(to_call, pot).value if pot else None,
        **_implied_entries(query, pot, to_call),
        "expected_value_of_call": return_on_investment(hand_odds, pot, to_call, further=further, rake=rake),
        "raise_odds": raising.as_pot_odds().value,
        "straight_play": play,
    }


def _implied_entries(query: OddsQuery, pot: float, to_call: float) -> dict[str, Any]:
    """The price with further bets: the chances of winning that are needed, and Killer's ratio."""
    if query.won_later is None and query.lost_later is None:
        return {}
    won, lost = query.won_later or 0.0, query.lost_later or 0.0
    both = implied_odds(pot, to_call, FurtherBets(won, lost))
    reverse = implied_odds(pot, to_call, FurtherBets(0.0, lost)) if pot else None
    return {
        "implied_odds": both.as_pot_odds().value,
        "implied_bet_to_pot": both.value,
        "implied_odds_of_draw": implied_odds(pot, to_call, FurtherBets(won)).as_pot_odds().value,
        "reverse_implied_odds": None if reverse is None else reverse.as_pot_odds().value,
    }


# --- as text ---------------------------------------------------------------------------------------------


def _number(value: float | None, digits: int = 4) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def report_rows(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Everything but the odds against 1 to 9, as label and text."""
    rows = [("hand", f"{report['hole_cards']} on {report['board'] or 'no board'}")]
    if report["hand"] is not None:
        rows.append(("makes", report["hand"]))
        rows.append(("hand strength", _number(report["hand_strength"])))
        rows.append(("  ahead / tied / behind", f"{report['ahead']} / {report['tied']} / {report['behind']}"))
    for key, label in _BY_LOOK_AHEAD:
        for look_ahead, value in report[key].items():
            cards = "one card" if look_ahead == "1" else "two cards"
            rows.append((f"{label}, {cards}", _number(value)))
    if report.get("hand_strength_n") is not None:
        rows.append((f"hand strength against {report['opponents']}", _number(report["hand_strength_n"])))
    rows.append(("equity", _number(report["equity"])))
    if "reflective_odds" in report:
        nuts = ", the reflective nuts" if report["reflective_nuts"] else ""
        rows.append(("reflective odds", _number(report["reflective_odds"]) + nuts))
    if "hand_strength_tables" in report:
        rows.append(("strength, a table for each (3.3)", _number(report["hand_strength_tables"])))
        for how, value in report["hand_strength_field"].items():
            rows.append((f"  one for all (3.4), the {how}", _number(value)))
    if "pot_odds" in report:
        ratio = report["bet_to_pot"]
        beside = "" if ratio is None else f" (bet to pot {100 * ratio:.1f} %)"
        rows.append(("pot odds", f"{_number(report['pot_odds'])}{beside}"))
        if "implied_odds" in report:
            beside = f" (bet to pot {100 * report['implied_bet_to_pot']:.1f} %)"
            rows.append(("implied odds", _number(report["implied_odds"]) + beside))
            rows.append(("  a draw, folded when it misses", _number(report["implied_odds_of_draw"])))
            rows.append(("  reverse: paid only when beaten", _number(report["reverse_implied_odds"])))
        rows.append(("value of a call", f"{report['expected_value_of_call']:+z.2f}"))
        rows.append(("raise odds", _number(report["raise_odds"])))
        rows.append(("straight play", report["straight_play"]))
    if "simulation" in report:
        simulation = report["simulation"]
        for entry in simulation["values"]:
            best = ", best" if entry["action"] == simulation["best"] else ""
            error = Z95 * entry["standard_error"]
            text = rate(entry["value"], error, 3, unit=simulation["unit"]).replace("±", "+-")
            rows.append((f"simulated: {entry['action']}", text + best))
        rows.append(("  trials", str(simulation["trials"])))
    return rows


ODDS_COLUMNS: Final = ("opponents", "raw odds", "dealt together", "+-")


def odds_rows(report: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """The odds against 1 to 9 opponents, in the order of `ODDS_COLUMNS`."""
    names = ("raw_odds", "raw_odds_joint", "raw_odds_joint_standard_error")
    rows = enumerate(zip(*(report[name] for name in names), strict=True), start=1)
    return [(str(n), _number(raw), _number(joint), _number(Z95 * error)) for n, (raw, joint, error) in rows]
