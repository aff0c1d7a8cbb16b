"""What is being played: players, blinds, stacks, bet sizes, rounds, deck.

Everything indexed by *position* (0 is the first blind; see the glossary) or by *betting round*.
The checks are the ACPC reader's own, in its order (docs/acpc-dealer.md 1.3), followed by the faults that
program does not notice and then loops or crashes on (docs/acpc-dealer.md 8.10-8.14).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import attrs

from engine.poker.cards import NUM_RANKS, NUM_SUITS, make_card
from engine.poker.rules.errors import GameDefinitionError
from engine.support.user_input import parse_finite

if TYPE_CHECKING:
    from fractions import Fraction

MAX_PLAYERS: Final = 10
MAX_ROUNDS: Final = 4
MAX_HOLE_CARDS: Final = 3
MAX_BOARD_CARDS: Final = 7
"""Size of the ACPC dealer's board; more cards overwrite hole cards there (docs/acpc-dealer.md 8.14)."""
MAX_ACTIONS_PER_ROUND: Final = 64
"""Raises are refused when a round's actions and the players together pass this (docs/acpc-dealer.md 3.2)."""
UNLIMITED_STACK: Final = 2**31 - 1
"""The stack of a game that names none: the largest 32-bit integer."""
UNLIMITED_RAISES: Final = 255
"""The raise cap of a game that names none."""
_ORDINALS: Final = ("1st", "2nd", "3rd", *[f"{k}th" for k in range(4, MAX_PLAYERS + 1)])


def opener(blinds: Sequence[int] | Sequence[Fraction]) -> int:
    """The position that acts first before the flop: the one after the last of the largest blinds."""
    largest = max(range(len(blinds)), key=lambda position: (blinds[position], position))
    return (largest + 1) % len(blinds)


_RAKE: Final = re.compile(r"([0-9.]{1,20}(?:e[+-]?[0-9]{1,3})?) %(?: up to ([0-9.e+-]{1,20}) chips)?")
_LATE: Final = ("LJ", "HJ", "CO")
# Lojack, hijack and cutoff: the last positions before the button.


@attrs.frozen
class Rake:
    """The house's share of a pot: a percentage, up to a cap."""

    percent: float = attrs.field(default=0.0)
    """Per cent of the pot, 0 to 100."""
    cap: float = attrs.field(default=math.inf)
    """The most that is taken from one pot, in chips."""

    @percent.validator
    def _check_percent(self, _attribute: attrs.Attribute[float], value: float) -> None:
        if not 0 <= value <= 100:
            raise ValueError(f"rake is {value!r} per cent: expected 0 to 100")

    @cap.validator
    def _check_cap(self, _attribute: attrs.Attribute[float], value: float) -> None:
        if not value >= 0:
            raise ValueError(f"the cap of the rake is {value!r}: expected at least 0 chips")

    def amount(self, pot: float) -> float:
        """Chips taken from a final pot of ``pot`` chips."""
        if not (math.isfinite(pot) and pot >= 0):
            raise ValueError(f"pot is {pot!r}: expected a finite number of at least 0 chips")
        return min(pot * self.percent / 100, self.cap)

    def whole_amount(self, pot: int) -> int:
        """The same where chips stay whole: rounded down, with the percentage taken to two decimals."""
        return int(min(pot * round(self.percent * 100) // 10_000, self.cap))

    def __str__(self) -> str:
        """A text such as ``5 % up to 60 chips``, which `parse` reads."""
        return f"{self.percent:g} %" + (f" up to {self.cap:g} chips" if math.isfinite(self.cap) else "")

    @classmethod
    def parse(cls, text: str) -> Rake:
        """The rake that ``str`` has written.

        Raises:
            ValueError: it is something else.
        """
        found = _RAKE.fullmatch(text)
        if found is None:
            raise ValueError(f"expected a rake such as '5 % up to 60 chips', got {text[:60]!r}")
        return cls(float(found[1]), math.inf if found[2] is None else float(found[2]))


NO_RAKE: Final = Rake()
"""A house that takes nothing."""


@attrs.frozen(cache_hash=True)
class GameDefinition:
    """One game of poker, valid by construction.

    Raises:
        GameDefinitionError: a game that cannot be played.
    """

    is_limit: bool
    """Fixed bet sizes; otherwise no-limit."""
    num_players: int
    """2 to 10."""
    num_rounds: int
    """1 to 4 betting rounds."""
    blinds: tuple[int, ...]
    """Chips each position has in the pot before the first action."""
    raise_sizes: tuple[int, ...]
    """Limit: chips a raise adds, per betting round.  Empty in no-limit."""
    num_suits: int
    """1 to 4, counted from the end of clubs, diamonds, hearts, spades."""
    num_ranks: int
    """1 to 13, counted from the ace down."""
    num_hole_cards: int
    """1 to 3 cards dealt to each position."""
    num_board_cards: tuple[int, ...]
    """Cards dealt to the board at the start of each betting round."""
    stacks: tuple[int, ...]
    """Chips of each position at the start of every hand."""
    first_positions: tuple[int, ...]
    """Position first in line to act in each betting round, from 0."""
    max_raises: tuple[int, ...]
    """Raises allowed in each betting round; blinds do not count."""
    antes: tuple[int, ...] = ()
    """Chips each position puts into the pot before its blind, or its whole stack if that is less.

    An extension: the ACPC's games have none.  They count in the pot but in no bet: not in `spent`, in no
    total of a raise, in no amount to call.  Equal antes are part of what a position plays for, so a
    position with less than an ante competes for as much of the others'; other antes, such as the big
    blind's alone, are dead money for the winner of the main pot.
    """
    rake: Rake = NO_RAKE
    """What the house takes from pots that have seen a board card, or any in a game without a board.

    An extension: the ACPC's games have none.  Bets that nobody called are not raked.
    """
    least_bet: int = 0
    """The nominal big blind: everybody has to match it before the flop if somebody posts a blind, even if
    nobody has put in that much; it is the least bet and raise.  0 for the largest blind posted.

    An extension: in the ACPC's games a short big blind would make the call cheaper, a straddle later bets
    dearer.
    """
    short_raises_reopen: bool = True
    """Who has acted may raise again after an all-in of less than a full raise: the ACPC's rule.

    False is the card rooms' rule, an extension: they may only call or fold until what they face adds up to a
    full raise (in limit games, to half of one), and a raise is at least the last full one more.
    """
    antes_posted: tuple[int, ...] = attrs.field(init=False, eq=False, repr=False)
    """The antes as far as the stacks go."""
    betting_stacks: tuple[int, ...] = attrs.field(init=False, eq=False, repr=False)
    """Chips each position has for blinds and bets: its stack less its ante."""
    deck: tuple[int, ...] = attrs.field(init=False, eq=False, repr=False)
    """A fresh deck in dealing order: suit by suit, ranks ascending (docs/acpc-dealer.md 4.2)."""
    board_ends: tuple[int, ...] = attrs.field(init=False, eq=False, repr=False)
    """How many board cards have been dealt in each betting round: ``(0, 3, 4, 5)`` in hold'em."""

    def __attrs_post_init__(self) -> None:
        if not any(self.antes):
            object.__setattr__(self, "antes", (0,) * self.num_players)
        _check(self)
        posted = tuple(map(min, self.antes, self.stacks))
        object.__setattr__(self, "antes_posted", posted)
        left = tuple(stack - ante for stack, ante in zip(self.stacks, posted, strict=True))
        object.__setattr__(self, "betting_stacks", left)
        deck = tuple(
            make_card(rank, suit)
            for suit in range(NUM_SUITS - self.num_suits, NUM_SUITS)
            for rank in range(NUM_RANKS - self.num_ranks, NUM_RANKS)
        )
        object.__setattr__(self, "deck", deck)
        ends = tuple(sum(self.num_board_cards[: k + 1]) for k in range(self.num_rounds))
        object.__setattr__(self, "board_ends", ends)

    @property
    def big_blind(self) -> int:
        """The unit of mbb/h and the smallest no-limit bet: the largest blind, or the `least_bet`."""
        return self.least_bet or max(self.blinds)

    @property
    def opening_bet(self) -> int:
        """The chips that a position must have put in before the flop to stay in."""
        most = max(self.blinds)
        return max(most, self.least_bet) if most else 0

    @property
    def is_acpc(self) -> bool:
        """Whether the ACPC's game files can say it: without antes and rake, and by its rules on all-ins."""
        return not (self.has_antes or self.has_rake or self.least_bet) and self.short_raises_reopen

    def raked(self, text: str) -> GameDefinition:
        """The same game with a rake as people write it: ``5%,3``, at most 3 small bets.

        In no-limit they are big blinds.

        Raises:
            ValueError: it is not a rake.
        """
        percent, _, cap = text.partition(",")
        try:
            share = parse_finite(percent.strip().removesuffix("%").strip())
            most = parse_finite(cap) * (self.small_bet or self.big_blind) if cap.strip() else math.inf
            if not 0 < share <= 100 or not most > 0:
                raise ValueError
        except ValueError:
            raise ValueError(
                f"expected a rake such as 5% or 5%,3, at most 3 small bets (or big blinds), got {text!r}"
            ) from None
        return attrs.evolve(self, rake=Rake(share, most))

    @property
    def has_rake(self) -> bool:
        """Whether the house takes something."""
        return self.rake.percent > 0 and self.rake.cap > 0

    @property
    def has_antes(self) -> bool:
        """Whether somebody posts an ante."""
        return any(self.antes)

    @property
    def has_equal_antes(self) -> bool:
        """Whether everybody posts the same ante, as far as stacks go."""
        return self.antes[0] > 0 and len(set(self.antes)) == 1

    @property
    def small_bet(self) -> int | None:
        """The bet size of a limit game's first round, the papers' unit; None in no-limit."""
        return self.raise_sizes[0] if self.is_limit else None

    @property
    def is_holdem(self) -> bool:
        """Texas hold'em: 52 cards, two hole cards, boards of 0, 3, 4 and 5 cards."""
        return (
            self.num_suits == NUM_SUITS
            and self.num_ranks == NUM_RANKS
            and self.num_hole_cards == 2
            and self.board_ends == (0, 3, 4, 5)
        )

    def round_board(self, board: Sequence[int], betting_round: int) -> tuple[int, ...]:
        """The cards of a board that are dealt at the beginning of a betting round."""
        start = self.board_ends[betting_round - 1] if betting_round else 0
        return tuple(board[start : self.board_ends[betting_round]])

    @property
    def kind(self) -> str:
        """``no-limit hold'em``, for people."""
        return ("limit " if self.is_limit else "no-limit ") + ("hold'em" if self.is_holdem else "poker")

    @property
    def position_names(self) -> tuple[str, ...]:
        """What players call each position: ``("SB", "BB", "UTG", "CO", "BTN")``.

        The button acts last after the flop; heads-up it posts a blind and is ``BTN/SB``.  If all post the
        same, or nothing, positions are ``1st``, ``2nd`` and so on.
        """
        n, blinds = self.num_players, self.blinds
        if min(blinds) == max(blinds):
            return _ORDINALS[:n]
        button = (self.first_positions[-1] - 1) % n
        small = [p for p in range(n) if 0 < blinds[p] < self.big_blind]
        names = ["BTN" if p == button else "" for p in range(n)]
        for p in range(n):
            if blinds[p]:
                blind = "BB" if blinds[p] == self.big_blind else "SB" if len(small) == 1 else f"B{p + 1}"
                names[p] = f"BTN/{blind}" if p == button else blind
        others = [p for p in ((self.first_positions[0] + k) % n for k in range(n)) if not names[p]]
        early = len(others) - min(len(_LATE), (len(others) + 1) // 2)
        for k, p in enumerate(others):
            names[p] = _LATE[k - len(others)] if k >= early else f"UTG+{k}" if k else "UTG"
        return tuple([f"{name}{p + 1}" if names.count(name) > 1 else name for p, name in enumerate(names)])

    @property
    def cards_per_hand(self) -> int:
        """Cards dealt each hand, and so random numbers drawn (docs/acpc-dealer.md 4.4)."""
        return self.num_players * self.num_hole_cards + self.board_ends[-1]


def _check(game: GameDefinition) -> None:
    """Raise the first fault in the ACPC reader's order, then the faults it overlooks."""
    _check_players_and_bets(game)
    _check_cards(game)
    _check_counts(game)
    _check_what_cannot_be_played(game)


def _fault(field: str, acpc_line: str | None, message: str) -> GameDefinitionError:
    return GameDefinitionError(f"{field}: {message}", acpc_line=acpc_line, field=field)


def _check_range(field: str, name: str, value: int, least: int, most: int, unit: str = "") -> None:
    if not least <= value <= most:
        expected = f"expected {least} to {most}{unit}, got {value}"
        raise _fault(field, f"invalid number of {name}: {value}", expected)


def _check_length(
    field: str, name: str, values: tuple[int, ...], need: int, each: str, more: str = ""
) -> None:
    if len(values) < need:
        expected = f"expected {each}, got {len(values)}{more}"
        raise _fault(field, f"only read {len(values)} {name}, need {need}", expected)


def _check_players_and_bets(game: GameDefinition) -> None:
    """Check what the ACPC reader checks first."""
    rounds, players = game.num_rounds, game.num_players
    positions, betting_rounds = f"for each of {players} positions", f"for each of {rounds} betting rounds"
    _check_range("numRounds", "rounds", rounds, 1, MAX_ROUNDS, " betting rounds")
    _check_range("numPlayers", "players", players, 2, MAX_PLAYERS, " players")
    many = " (a game of five or more players must name them)"
    _check_length("stack", "stack sizes", game.stacks, players, f"a stack {positions}", many)
    _check_length("blind", "blinds", game.blinds, players, f"a blind, 0 for none, {positions}")
    for position in range(players):
        blind, stack = game.blinds[position], game.stacks[position]
        if blind > stack:
            raise _fault(
                "blind",
                f"blind for player {position + 1} is greater than stack size",
                f"position {position} posts {blind} of a stack of {stack}",
            )
    if game.is_limit:
        _check_length("raiseSize", "raise sizes", game.raise_sizes, rounds, f"a raise size {betting_rounds}")
    for betting_round in range(rounds):
        first = game.first_positions[betting_round] + 1
        if not 1 <= first <= players:
            raise _fault(
                "firstPlayer",
                f"invalid first player {first} on round {betting_round + 1}",
                f"round {betting_round + 1} begins with player {first}, expected 1 to {players}",
            )


def _check_cards(game: GameDefinition) -> None:
    """Check what it checks next."""
    rounds, boards = game.num_rounds, game.num_board_cards
    _check_range("numSuits", "suits", game.num_suits, 1, NUM_SUITS)
    _check_range("numRanks", "ranks", game.num_ranks, 1, NUM_RANKS)
    _check_range("numHoleCards", "hole cards", game.num_hole_cards, 1, MAX_HOLE_CARDS)
    each = f"a number, 0 for none, for each of {rounds} betting rounds"
    _check_length("numBoardCards", "board card numbers", boards, rounds, each)
    dealt = game.num_players * game.num_hole_cards + sum(boards[:rounds])
    if dealt > game.num_suits * game.num_ranks:
        raise _fault(
            "numHoleCards",
            "too many hole and board cards for specified deck",
            f"{dealt} hole and board cards cannot come from a deck of {game.num_suits * game.num_ranks}",
        )


def _check_counts(game: GameDefinition) -> None:
    """Check what a game file cannot get wrong, but a program can."""
    rounds, players = game.num_rounds, game.num_players
    for field, values, count in (
        ("stack", game.stacks, players),
        ("blind", game.blinds, players),
        ("ante", game.antes, players),
        ("raiseSize", game.raise_sizes, rounds if game.is_limit else 0),
        ("firstPlayer", game.first_positions, rounds),
        ("maxRaises", game.max_raises, rounds),
        ("numBoardCards", game.num_board_cards, rounds),
    ):
        if len(values) != count:
            raise _fault(field, None, f"expected {count} numbers, got {len(values)}")
    for field, values in (("maxRaises", game.max_raises), ("numBoardCards", game.num_board_cards)):
        if min(values) < 0:
            raise _fault(field, None, f"expected 0 or more, got {min(values)}")


def _check_what_cannot_be_played(game: GameDefinition) -> None:
    """Check for faults that the ACPC reader lets pass, so that its dealer hangs, crashes or cheats."""
    board = sum(game.num_board_cards[: game.num_rounds])
    if board > MAX_BOARD_CARDS:
        raise _fault("numBoardCards", None, f"{board} board cards, at most 7 can be played")
    for position, stack in enumerate(game.stacks):
        ante, blind = game.antes[position], game.blinds[position]
        if stack <= 0:
            raise _fault("stack", None, f"position {position} has a stack of {stack}, expected 1 or more")
        for field, posts in (("blind", blind), ("ante", ante)):
            if posts < 0:
                raise _fault(field, None, f"position {position} posts {posts}, expected 0 or more")
        if min(ante, stack) + blind > stack:
            posted = f"an ante of {ante} and a blind of {blind} of a stack of {stack}"
            raise _fault("ante", None, f"position {position} posts {posted}")
    if not 0 <= game.least_bet <= UNLIMITED_STACK:
        raise _fault("leastBet", None, f"expected 0 to {UNLIMITED_STACK}, got {game.least_bet}")
    if game.is_limit and min(game.raise_sizes) < 0:
        raise _fault("raiseSize", None, f"a raise size is negative: {min(game.raise_sizes)}")
