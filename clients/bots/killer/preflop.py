"""Before the flop: the book of flop configurations, the one-chip game with blinds, or Sklansky's groups.

*configs*: the action of the greatest expected value.  Players who have already called or raised see the flop;
each player still to act does so with a probability that depends on how loosely they play.  Every number of
players is a configuration with its own pot and probability, and the book says what our hand is worth in it
(`engine.hands.flop_configs`).

*one-chip*: the table of the one-chip game with blinds for a first bet, and its rule for calling one: call
with those of the raiser's hands that are worth the pot odds, scaled by how loosely the raiser plays.

*groups*: Sklansky's groups of starting hands.  Group 1 is the best.  Hands in none of the eight groups are
played only for free.  The paper uses the groups where it has no method of its own, and says how to scale them
("Opponent Model for the preflop itself"):

* A *made* hand (a pair or high cards) wants few opponents.  Bets already made count against it; the bet of a
  player who sees twice the ideal number of flops counts half.
* A *drawing* hand wants to be paid.  Each player who has bet is a caller, and each player still to act counts
  as the share of flops that this player sees.  The hand is played if as many callers as it needs are
  expected, with some room for error.

Sources: *Hold'em Killer*, "Beyond the Sklansky Preflop" and "Opponent Modeling"; D. Sklansky and M. Malmuth,
*Hold'em Poker for Advanced Players*.
"""

from __future__ import annotations

from typing import Final

import attrs

from clients.bots.killer.reading import Reading, ideal_flops, ideal_share
from clients.bots.percentiles import starting_hand_percentiles
from engine.hands.flop_configs import FlopBook, FlopConfig, call_value, raise_value
from engine.poker.combos import STARTING_HAND_NAMES, parse_starting_hand, starting_hand
from engine.poker.rules import ActionKind, HandView, Rake

_FOLDS_TO_RAISE: Final = 0.1
"""How often a player who has already called folds to one more raise."""
_LEAST_STAYS: Final = 0.15
"""The least probability of calling a raise: even where a sound player calls less, others do not."""
_BLIND_STAYS: Final = 0.45
"""The same for a blind."""
_LATER: Final = 0.5
"""What we, and each opponent, are expected to put in after the flop: this share of one bet in each round."""
_NO_LIMIT_LATER: Final = 0.75
"""The same in no-limit, in pots."""


@attrs.frozen
class Other:
    """An opponent who has not folded."""

    is_in: bool
    """Whether they have called or raised, or need not put in anything to see the flop."""
    joins: float
    """The probability that they see the flop if we call."""
    stays: float
    """The probability that they see the flop if we raise."""
    share: float
    """The share of all hands, from the best down, that they may hold if they see the flop."""
    times_ideal: float
    """How loosely they play: how many times the ideal share of hands."""
    owed: float
    """Chips they still owe for the flop if nobody raises."""
    raised: int
    """How often they have raised."""


@attrs.frozen
class PreflopTable:
    """A decision before the flop."""

    hand: int
    """Our starting hand, 0 to 168."""
    others: tuple[Other, ...]
    pot: float
    to_call: float
    raise_: float
    """The chips that a raise adds to the call; 0 if none is allowed."""
    later: float
    """The chips of one bet in each round to come, in limit games."""
    is_limit: bool
    left: float
    """The chips we can still put in."""


def read_table(view: HandView, reading: Reading, raise_: float) -> PreflopTable:
    """The decision, with what is known of the opponents.

    Args:
        view: before the flop, our turn.
        reading: what is known of the opponents.
        raise_: the chips that a raise adds to the call; 0 if none is allowed.
    """
    betting, us = view.betting, view.position
    players = view.game.num_players
    raised = [0] * players
    shares = [1.0] * players
    acted: set[int] = set()
    for before, position, action in betting.steps():
        if action.kind is ActionKind.RAISE:
            raised[position] += 1
            acted = {position}
        else:
            acted.add(position)
        shares[position] = ideal_share(before, position)
    others = []
    to_call = float(max(0, betting.amount_to_call(us)))
    called = betting.apply(betting.legal_actions().raising_to()) if raise_ > 0 else None
    for position, out in enumerate(betting.folded):
        if out or position == us:
            continue
        times = reading.of(view, position).times_ideal(players)
        owed = float(max(0, betting.amount_to_call(position)))
        is_in = position in acted or owed == 0
        share = min(1.0, times * shares[position]) if position in acted else 1.0
        if not is_in:
            share = min(1.0, times * ideal_share(betting, position))
        joins = 1.0 if is_in else share
        stays = 1 - _FOLDS_TO_RAISE if position in acted else joins
        if called is not None and position not in acted:
            least = _BLIND_STAYS if betting.spent[position] > 0 else _LEAST_STAYS
            stays = min(1.0, times * max(least, ideal_share(called, position)))
        others.append(Other(is_in, joins, stays, max(share, 0.05), times, owed, raised[position]))
    game = view.game
    later = float(sum(game.raise_sizes[1:])) if game.is_limit else 0.0
    left = float(game.betting_stacks[us] - betting.spent[us])
    return PreflopTable(
        starting_hand(*view.own_cards), tuple(others), float(betting.pot), to_call, raise_, later,
        game.is_limit, left,
    )  # fmt: skip


def configurations(table: PreflopTable, *, raising: bool) -> list[FlopConfig]:
    """Every number of opponents who may see the flop with us, with its probability.

    If we call, the probabilities add up to 1, since somebody always sees the flop.  If we raise, the rest is
    the probability that everybody folds.
    """
    joins = [other.stays if raising else other.joins for other in table.others]
    chances = [1.0]
    for chance in joins:
        pairs = zip([*chances, 0.0], [0.0, *chances], strict=True)
        chances = [same * (1 - chance) + fewer * chance for same, fewer in pairs]
    expected = sum(joins)
    if not raising:  # nobody: the blinds would have to fold to no raise
        chances[1] += chances[0]
    more = table.raise_ if raising else 0.0
    # A raise that is called leaves the better part of the hands of those who have not acted.
    shares = [min(o.share, o.stays) if raising and not o.raised else o.share for o in table.others]
    weighted = sum(chance * share for chance, share in zip(joins, shares, strict=True))
    share = weighted / expected if expected > 0 else 1.0  # averaged over those who get there
    configs = []
    for number in range(1, len(chances)):
        if chances[number] <= 0:
            continue
        joining = number / max(expected, 1e-9)
        paid = sum((other.owed + more) * chance for other, chance in zip(table.others, joins, strict=True))
        pot = table.pot + table.to_call + more + paid * min(1.0, joining)
        bets = _LATER * table.later if table.is_limit else _NO_LIMIT_LATER * pot
        bets = min(bets, max(0.0, table.left - table.to_call - more))
        configs.append(FlopConfig(chances[number], number, share, pot, bets))
    return configs


def by_configs(table: PreflopTable, book: FlopBook, rake: Rake) -> dict[ActionKind, float]:
    """The value of folding (0), calling and, if allowed, raising, in chips."""
    values = {ActionKind.FOLD: 0.0}
    configs = configurations(table, raising=False)
    values[ActionKind.CALL] = call_value(book, table.hand, configs, table.to_call, rake)
    if table.raise_ > 0:
        configs, price = configurations(table, raising=True), table.to_call + table.raise_
        values[ActionKind.RAISE] = raise_value(book, table.hand, configs, table.pot, price, rake)
    return values


def by_one_chip(view: HandView, reading: Reading) -> tuple[ActionKind, str]:
    """The kind of action by the one-chip game, and why: it raises its first bets, and calls its calls."""
    betting, us = view.betting, view.position
    first, second = view.own_cards
    better = 1 - starting_hand_percentiles(view.game.num_players)[52 * first + second]
    share = ideal_share(betting, us)
    raises = share
    raisers = [actor for _, actor, action in betting.steps() if action.kind is ActionKind.RAISE]
    if raisers:
        share *= reading.of(view, raisers[-1]).times_ideal(view.game.num_players)
        raises = 0.3 * share
    said = f"{better:.1%} of all hands are better; raises the best {raises:.1%}, calls up to {share:.1%}"
    if better <= raises:
        return ActionKind.RAISE, said
    return ActionKind.CALL if better <= share else ActionKind.FOLD, said


# --- Sklansky's groups --------------------------------------------------------------------------------------

_GROUPS: Final = (
    "AA KK QQ JJ AKs",
    "TT AQs AJs KQs AKo",
    "99 JTs QJs KJs ATs AQo",
    "T9s KQo 88 QTs 98s J9s AJo KTs",
    "77 87s Q9s T8s KJo QJo JTo 76s 97s A9s A8s A7s A6s A5s A4s A3s A2s 65s",
    "66 ATo 55 86s KTo QTo 54s K9s J8s 75s",
    "44 J9o 64s T9o 53s 33 98o 43s 22 K8s K7s K6s K5s K4s K3s K2s T7s Q8s",
    "87o A9o Q9o 76o 42s 32s 96s 85s J8o J7s 65o 54o 74s K9o T8o",
)

NO_GROUP: Final = len(_GROUPS) + 1
_NUMBERS: Final = {parse_starting_hand(h): n for n, group in enumerate(_GROUPS, 1) for h in group.split()}

_LEAST_GROUP: Final = {"early": 4, "middle": 5, "late": 7, "heads-up": 8}
"""The last group that is played if nobody has raised, by position."""
_WANTED: Final = 3.0
"""Callers that a drawing hand needs, not counting us."""
_ROOM: Final = 1.0
"""How many of these callers may be missing from the estimate."""


def group_of(hand: int) -> int:
    """The group of a starting hand, 1 to 8, or `NO_GROUP`."""
    return _NUMBERS.get(hand, NO_GROUP)


def is_drawing(hand: int) -> bool:
    """Whether a starting hand plays for a straight or flush.

    It is suited, or its ranks are adjacent below a queen; it is not a pair, nor two cards of jack or higher.
    """
    name = STARTING_HAND_NAMES[hand]
    high, low = (("23456789TJQKA").index(rank) for rank in name[:2])
    if high == low or low >= 9:
        return False
    return name.endswith("s") or (high - low == 1 and high < 10)


def plays(hand: int, position: str, scaled_bets: float, expected_callers: float, opponents: int) -> bool:
    """Whether a hand is worth a call.

    Args:
        hand: 0 to 168.
        position: early, middle, late or heads-up.
        scaled_bets: raises already made, each scaled by how tight its bettor is.
        expected_callers: the expected number of opponents who will see the flop.
        opponents: the number of opponents who could.
    """
    last = _LEAST_GROUP[position]
    group = group_of(hand)
    if position != "heads-up" and is_drawing(hand) and group > 3:
        return group <= last and expected_callers + _ROOM >= min(_WANTED, opponents)
    # Every full raise already made requires a hand two groups better; heads-up one group is enough.
    stricter = (1.0 if position == "heads-up" else 2.0) * scaled_bets
    return group <= last - stricter


def raises(hand: int, position: str, scaled_bets: float) -> bool:
    """Whether a hand is worth a raise: a made hand, two groups better than for a call."""
    last = _LEAST_GROUP[position] - 2
    return not is_drawing(hand) and group_of(hand) <= max(1.0, last - 2.0 * scaled_bets)


def by_groups(view: HandView, table: PreflopTable) -> tuple[ActionKind, str]:
    """The kind of action by Sklansky's groups, and why; bets and callers are scaled by looseness."""
    players = view.game.num_players
    behind = sum(not other.is_in for other in table.others)
    position = "heads-up"
    if players > 2:
        position = "late" if behind <= 2 else "middle" if behind <= 5 else "early"
    scaled = sum(other.raised / max(other.times_ideal, 1e-9) for other in table.others)
    ideal = ideal_flops(players)
    expected = sum(1.0 if other.is_in else min(1.0, other.times_ideal * ideal) for other in table.others)
    said = f"group {group_of(table.hand)} of 9; by looseness {scaled:.2f} raises, {expected:.2f} callers"
    if table.raise_ > 0 and raises(table.hand, position, scaled):
        return ActionKind.RAISE, said
    is_played = plays(table.hand, position, scaled, expected, len(table.others))
    return ActionKind.CALL if is_played else ActionKind.FOLD, said
