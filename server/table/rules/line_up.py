"""Who is dealt the next hand, in which position, and who posts what: the dead button, and the moving one.

The big blind moves to the next player in every hand, no matter who has come or gone, so that nobody pays it
twice in a round and nobody escapes it.  The small blind is due from the seat that had the big blind before,
and the button stands where the small blind was.  If nobody sits there any more, the small blind is dead
(nobody posts it), or the button is dead (it stands at an empty seat).  With two players the button posts the
small blind.

A player who has just sat down, or was not dealt in, waits for the big blind to come round, or posts an
additional live big blind to be dealt in at once; never between the button and the blinds.

With a moving button (`moving_line_up`) button and blinds go to the next players who are still there, so that
somebody may pay no blind, or the big blind twice.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import attrs

from engine.poker.rules import GameDefinition

HEADS_UP: Final = 2


class Joining(enum.Enum):
    """When a player who wants to play is dealt in."""

    IN = "in"
    """At once: they were dealt the last hand."""
    WAITS = "waits"
    """When the big blind is theirs."""
    POSTS = "posts"
    """As soon as they may post a big blind."""


@attrs.frozen
class Blinds:
    """The seats of button and blinds in a hand; a seat may have been empty, or vacated since."""

    button: int
    small: int
    big: int


@attrs.frozen
class LineUp:
    """The players of one hand."""

    seats: tuple[int, ...]
    """By position, the seat at the table."""
    game: GameDefinition
    """The table's game for these players, with their stacks and what they post."""
    blinds: Blinds


def posts_blinds(game: GameDefinition) -> bool:
    """Whether fewer players can play a game: it has a small and a big blind, in the usual places."""
    posted = sorted(blind for blind in game.blinds if blind)
    if len(posted) != 2:
        return False
    usual = usual_blinds(game.num_players, *posted), usual_firsts(game.num_players, game.num_rounds)
    return usual == (game.blinds, game.first_positions)


def usual_blinds(players: int, small: int, big: int) -> tuple[int, ...]:
    """The blinds by position as hold'em has them."""
    return (big, small) if players == HEADS_UP else (small, big, *(0,) * (players - 2))


def usual_firsts(players: int, rounds: int) -> tuple[int, ...]:
    """The first positions to act by betting round as hold'em has them."""
    return (1 if players == HEADS_UP else 2 % players, *(0,) * (rounds - 1))


def line_up(
    game: GameDefinition,
    ready: Mapping[int, tuple[int, Joining]],
    last: Blinds | None,
    draw: Callable[[int], int],
) -> LineUp | None:
    """The players of the next hand; None while there are too few of them.

    Args:
        game: of the table, for all its seats.
        ready: by seat, the chips of those who want to play, 1 or more, and on what condition.
        last: the previous hand's; None before the first.
        draw: gives a random number below its argument: where the button is when play begins.
    """
    if not posts_blinds(game):
        return _full_table(game, ready, last)
    if last is None or sum(entry is Joining.IN for _, entry in ready.values()) < HEADS_UP:
        return _begin(game, ready, last, draw)
    seats = game.num_players
    big = _next(ready, last.big, seats)
    small, button = last.big, last.small
    behind_button = _between(button, big, seats)
    dealt = {
        seat
        for seat, (_, entry) in ready.items()
        if seat in (big, small) or (seat not in behind_button and entry is not Joining.WAITS)
    }
    if small in dealt and ready[small][1] is not Joining.IN:
        dealt.discard(small)  # they have left and come back: the small blind is dead
    if len(dealt) < HEADS_UP:
        return _begin(game, ready, last, draw)
    posting = {seat for seat in dealt if ready[seat][1] is Joining.POSTS and seat != big}
    if len(dealt) == HEADS_UP:
        (small,) = dealt - {big}
        button = small
        posting = set()
    return _lined_up(game, {seat: ready[seat][0] for seat in dealt}, Blinds(button, small, big), posting)


def moving_line_up(game: GameDefinition, stacks: Mapping[int, int], last_button: int) -> LineUp:
    """The players of the next hand with a moving button.

    Args:
        game: of the table, for all its seats.
        stacks: by seat, the chips of two or more players.
        last_button: the seat of the previous hand's button.
    """
    seats = game.num_players
    button = _next(stacks, last_button, seats)
    small = button if len(stacks) == HEADS_UP else _next(stacks, button, seats)
    return _lined_up(game, stacks, Blinds(button, small, _next(stacks, small, seats)), set())


def _begin(
    game: GameDefinition,
    ready: Mapping[int, tuple[int, Joining]],
    last: Blinds | None,
    draw: Callable[[int], int],
) -> LineUp | None:
    """The first hand, also after a break: everybody is dealt in and posts what the position requires."""
    if len(ready) < HEADS_UP:
        return None
    order = sorted(ready)
    big = order[draw(len(order))] if last is None else _next(ready, last.big, game.num_players)
    at = order.index(big)
    small = order[at - 1]
    button = small if len(order) == HEADS_UP else order[at - 2]
    return _lined_up(game, {seat: ready[seat][0] for seat in order}, Blinds(button, small, big), set())


def _full_table(
    game: GameDefinition, ready: Mapping[int, tuple[int, Joining]], last: Blinds | None
) -> LineUp | None:
    """A full table for a game with other blinds; positions move by one with each hand."""
    seats = game.num_players
    if len(ready) < seats:
        return None
    first = 0 if last is None else (last.small + 1) % seats
    order = tuple([(first + position) % seats for position in range(seats)])
    seated = _of(game, [ready[seat][0] for seat in order], game.blinds, game.antes, game.first_positions)
    return LineUp(order, seated, Blinds(order[-1], first, first))


def _lined_up(game: GameDefinition, stacks: Mapping[int, int], blinds: Blinds, posting: set[int]) -> LineUp:
    """The hand of some players, by seat with their chips; those in `posting` post an additional big blind."""
    small_blind, big_blind = sorted(blind for blind in game.blinds if blind)
    number, total = len(stacks), game.num_players
    if number == HEADS_UP:
        order = [blinds.big, blinds.small]
    else:
        order = sorted(stacks, key=lambda seat: (seat - blinds.button - 1) % total)
    posts = {blinds.small: small_blind, **dict.fromkeys(posting, big_blind), blinds.big: big_blind}
    at_big = order.index(blinds.big)
    seated = _of(
        game,
        [stacks[seat] for seat in order],
        [posts.get(seat, 0) for seat in order],
        _antes(game, number, at_big),
        ((at_big + 1) % number, *(0,) * (game.num_rounds - 1)),
    )
    return LineUp(tuple(order), seated, blinds)


def _antes(game: GameDefinition, number: int, big: int) -> tuple[int, ...]:
    """Antes for fewer players: everybody's, or the big blind's alone."""
    if game.has_equal_antes or not game.has_antes:
        return (game.antes[0],) * number
    return tuple([max(game.antes) if position == big else 0 for position in range(number)])


def _of(
    game: GameDefinition,
    stacks: Sequence[int],
    blinds: Sequence[int],
    antes: Sequence[int],
    first_positions: tuple[int, ...],
) -> GameDefinition:
    """A table's game for some players; those with less than they must post post what they have.

    The bet to call stays the whole big blind.
    """
    posted = [
        min(blind, stack - min(ante, stack)) for blind, ante, stack in zip(blinds, antes, stacks, strict=True)
    ]
    return attrs.evolve(
        game,
        num_players=len(stacks),
        stacks=tuple(stacks),
        blinds=tuple(posted),
        least_bet=game.big_blind if max(posted) < game.big_blind else game.least_bet,
        antes=tuple(antes),
        first_positions=first_positions,
    )


def _next(ready: Mapping[int, object], seat: int, seats: int) -> int:
    """The first seat after another, clockwise, where somebody is ready."""
    return min(ready, key=lambda other: (other - seat - 1) % seats)


def _between(start: int, end: int, seats: int) -> set[int]:
    """The seats after one and before another, clockwise; the first is not among them."""
    distance = (end - start) % seats or seats
    return {(start + step) % seats for step in range(1, distance)}


def can_use_up_chips(game: GameDefinition) -> bool:
    """Whether somebody may run out of chips in a hand of this game."""
    if not game.is_limit:
        return True
    most = max(game.antes) + game.big_blind
    most += sum(size * raises for size, raises in zip(game.raise_sizes, game.max_raises, strict=True))
    return min(game.stacks) <= most
