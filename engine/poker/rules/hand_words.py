"""What happens in a hand, in sentences: the same for those at the table and those who look back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import attrs

from engine.poker.rules.action import Action, ActionKind
from engine.poker.rules.betting import BettingState
from engine.poker.rules.game_definition import GameDefinition
from engine.poker.rules.hand_rank import HandCategory, hand_category, hand_rank, ranks_in_order

_HOLDEM_ROUNDS: Final = ("Before the flop", "Flop", "Turn", "River")
_NAMES: Final = (
    "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace",
)  # fmt: skip
_MAIN_RANKS: Final = (0, 1, 2, 1, 1, 0, 2, 1, 1)
"""By category: how many ranks name the hand; the others are kickers."""
_PATTERNS: Final = (
    "high card, {all}", "pair of {plurals}", "two pair, {plurals}", "three of a kind, {plurals}",
    "straight, {high}", "flush, {all}", "full house, {over}", "four of a kind, {plurals}",
    "straight flush, {high}",
)  # fmt: skip
"""By category."""
_HAVE_KICKERS: Final = (
    HandCategory.PAIR,
    HandCategory.TWO_PAIR,
    HandCategory.THREE_OF_A_KIND,
    HandCategory.FOUR_OF_A_KIND,
)


def format_chips(chips: float, *, sign: bool = False) -> str:
    """Chips as people write them: ``40``, ``12.5``, with a sign ``+40``.  A split pot can leave fractions."""
    text = f"{chips:{'+' if sign else ''}.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "+0") else text


def round_name(game: GameDefinition, betting_round: int) -> str:
    """``Flop``; in games without one, ``Round 2``."""
    return _HOLDEM_ROUNDS[betting_round] if game.is_holdem else f"Round {betting_round + 1}"


def tell_posts(game: GameDefinition, names: Sequence[str]) -> str:
    """``Posted: Ann 5, Bob 10 and an ante of 1.``; empty if nobody posts anything.

    Args:
        game: what is played.
        names: by position.
    """
    posted = []
    for name, ante, blind in zip(names, game.antes_posted, game.blinds, strict=True):
        parts = [str(blind)] if blind else []
        parts += [f"an ante of {ante}"] if ante else []
        if parts:
            posted.append(f"{name} {listed(parts)}")
    return f"Posted: {', '.join(posted)}." if posted else ""


@attrs.frozen
class Deed:
    """An action of a hand, as it is told: ``Deed(*step)`` of a step."""

    before: BettingState
    position: int
    action: Action

    @property
    def after(self) -> BettingState:
        """The state after the action."""
        return self.before.apply(self.action)

    @property
    def is_bet(self) -> bool:
        """Whether a raise is the first bet of its round."""
        return not self.before.bets_in_round

    @property
    def word(self) -> str:
        """Whether it is to fold, check, call, bet or raise."""
        if self.action.kind is ActionKind.RAISE:
            return "bet" if self.is_bet else "raise"
        return "fold" if self.action.kind is ActionKind.FOLD else "call" if self.paid > 0 else "check"

    @property
    def paid(self) -> int:
        """The chips that it puts in."""
        return self.after.spent[self.position] - self.before.spent[self.position]

    @property
    def floor(self) -> int:
        """The chips that each player had to spend before this betting round."""
        return max(self.before.spent_before_round())

    @property
    def total(self) -> int:
        """The chips of the betting round to which it comes."""
        return self.after.spent[self.position] - self.floor

    @property
    def is_all_in(self) -> bool:
        """Whether it leaves the player nothing."""
        stack = self.before.game.betting_stacks[self.position]
        return self.paid > 0 and self.after.spent[self.position] >= stack


def deeds(betting: BettingState) -> list[Deed]:
    """The actions of a hand so far, oldest first."""
    return [Deed(*step) for step in betting.steps()]


def tell_action(
    before: BettingState, position: int, action: Action, name: str, *, is_reader: bool = False
) -> str:
    """An action as a sentence: ``formula raises to 40 (20 more).``

    Args:
        before: the state in which it was done.
        position: whose it is.
        action: what was done.
        name: whom the sentence is about.
        is_reader: that player is the reader, who is called ``You``.
    """
    deed = Deed(before, position, action)
    word, all_in = deed.word, ""
    if deed.is_all_in:
        all_in = " and are all in" if is_reader else " and is all in"

    def verb(word: str) -> str:
        return f"{name} {word}{'' if is_reader else 's'}"

    if word in ("fold", "check"):
        return f"{verb(word)}."
    if word == "raise":
        return f"{verb(word)} to {deed.after.spent[position]} ({deed.paid} more){all_in}."
    return f"{verb(word)} {deed.paid}{all_in}."


def tell_winnings(won: Sequence[float], names: Sequence[str], *, reader: int | None = None) -> str:
    """``Ann wins 40; Bob loses 40.``

    Args:
        won: chips by position.
        names: by position.
        reader: the position of the reader, who is called ``You``; None for a reader who is not at the table.
    """
    parts = []
    for position in sorted(range(len(won)), key=lambda position: -won[position]):
        if won[position]:
            word = "win" if won[position] > 0 else "lose"
            person = "" if position == reader else "s"
            parts.append(f"{names[position]} {word}{person} {format_chips(abs(won[position]))}")
    return "; ".join(parts) + "." if parts else "The pot is split: nobody wins anything."


def name_shown_hands(
    betting: BettingState, hole_cards: Sequence[tuple[int, ...]], board: tuple[int, ...]
) -> list[tuple[int, str]]:
    """The positions that show cards at the showdown, each with its hand in words; none without a showdown.

    Args:
        betting: the end of a hand.
        hole_cards: by position, empty if they are not known.
        board: the board cards dealt.
    """
    if not betting.is_showdown:
        return []
    shown = [position for position, cards in enumerate(hole_cards) if cards and not betting.folded[position]]
    hands = [(*hole_cards[position], *board) for position in shown]
    names = [name_hand(hand) for hand in hands]
    # Between hands with the same name kickers decide, or nothing does.
    return [
        (position, name_hand(hand, kickers=True) if names.count(name) > 1 else name)
        for position, hand, name in zip(shown, hands, names, strict=True)
    ]


def listed(values: Iterable[object]) -> str:
    """``5, 10 and 20``."""
    *first, last = map(str, values)
    return f"{', '.join(first)} and {last}" if first else last


def name_hand(cards: Sequence[int], *, kickers: bool = False) -> str:
    """The best hand among 1 to 10 cards, in words.

    It is computed from the rules' plain hand rank: naming must not wait for numba at the first showdown, and
    Kuhn and Leduc have hands of one and two cards.

    Args:
        cards: hole cards and board.
        kickers: name also the cards that only break ties.

    >>> from engine.poker.cards import parse_cards
    >>> name_hand(parse_cards("KsTd" "KhTc2s3d5c"))
    'two pair, kings and tens'
    """
    value = hand_rank(cards)
    category, ranks = hand_category(value), ranks_in_order(value)
    main, rest = ranks[: _MAIN_RANKS[category]], ranks[_MAIN_RANKS[category] :]
    text = _PATTERNS[category].format(
        plurals=" and ".join(map(_plural, main)),
        over=" over ".join(map(_plural, main)),
        high=f"{_NAMES[ranks[0]]} high",
        all=listed([_NAMES[rank] for rank in ranks]),
    )
    if text == "straight flush, ace high":
        text = "royal flush"
    if kickers and rest and category in _HAVE_KICKERS:
        text += f", {listed([_NAMES[rank] for rank in rest])} kicker{'s' if len(rest) > 1 else ''}"
    return text


def _plural(rank: int) -> str:
    return _NAMES[rank] + ("es" if _NAMES[rank] == "six" else "s")
