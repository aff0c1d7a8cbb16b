"""Which hands are played for which check."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Final

import attrs

from clients.lab.check_bot import findings as checks
from clients.lab.check_bot import table as players
from clients.lab.check_bot.delivery import Delivery
from clients.lab.check_bot.table import Opponent, ScriptedTable
from engine.poker.rules import GameDefinition, HandState

_MOST_PLAIN: Final = 3
_DELIVERED: Final = 2
"""Hands for each delivery: dozens of lines, and each one in pieces takes time."""
_IN_THE_MIDDLE: Final = 1057
"""The hand in which a late player sits down."""
_STACKS_IN_BLINDS: Final = (15, 40, 5, 25, 60, 10, 30, 20, 50, 35)
"""By position, so that three players are all in with different stacks, the last to act before the flop with
the largest: even a bot that assumes equal stacks knows whose turn it is there."""
_LAST_TO_ACT: Final = 1
"""The position of the big blind, at tables of three and more."""


@attrs.frozen
class CheckScript:
    """Hands for a check."""

    check: str
    run: Callable[[ScriptedTable], Awaitable[None]]
    settles: bool = True
    """Whether another hand must show that the bot has survived the last."""


def plain(game: GameDefinition) -> CheckScript:
    """The first hands at a table: others call."""

    async def run(table: ScriptedTable) -> None:
        for _ in range(min(game.num_players, _MOST_PLAIN)):
            await table.play(players.calls)

    return CheckScript(checks.seats_check(game.num_players), run)


def poker(game: GameDefinition) -> list[CheckScript]:
    """Situations in poker: walks, raises, all-ins."""
    scripts = [
        CheckScript(checks.WALK, functools.partial(_orbit, players.folds)),
        CheckScript(checks.RAISES, functools.partial(_orbit, players.raises)),
    ]
    if not game.is_limit:
        scripts += [
            CheckScript(checks.ALL_IN, functools.partial(_orbit, players.goes_all_in_short)),
            CheckScript(checks.RAISES, functools.partial(_orbit, players.goes_all_in)),
        ]
    return scripts


def network(game: GameDefinition, slow_s: float) -> list[CheckScript]:
    """Situations of networks and dealers: split and merged lines, comments, turns taken by the dealer."""
    return [
        CheckScript(checks.SPLIT, functools.partial(_delivered, Delivery.PIECES)),
        CheckScript(checks.LINE_END, functools.partial(_delivered, Delivery.LINE_END)),
        CheckScript(checks.MERGED, functools.partial(_delivered, Delivery.MERGED)),
        CheckScript(checks.COMMENTS, functools.partial(_delivered, Delivery.COMMENTS)),
        CheckScript(checks.EARLY, _early),
        CheckScript(checks.LATE, functools.partial(_late, slow_s)),
    ]


def random_hands(hands: int) -> CheckScript:
    """Hands in which everybody plays at random."""

    async def run(table: ScriptedTable) -> None:
        for _ in range(hands):
            await table.play(players.plays_at_random)

    return CheckScript(checks.RANDOM, run)


def reconnection(game: GameDefinition) -> list[CheckScript]:
    """Sitting down in the middle of a hand."""

    async def sit_down(table: ScriptedTable) -> None:
        table.next_hand = _IN_THE_MIDDLE
        last = game.num_rounds > 1

        def is_later(state: HandState) -> bool:
            return table.is_bots_turn(state) and (state.betting.betting_round > 0 or not last)

        for _ in range(game.num_players):
            await table.play(players.calls, shown_from=is_later)
        await table.play(players.calls)

    return [CheckScript(checks.RECONNECT, sit_down)]


async def stop_in_a_hand(table: ScriptedTable) -> None:
    """Play on until somebody else is to act in a hand that the bot has been shown."""

    def is_others_turn(state: HandState) -> bool:
        return state.position_to_act is not None and not table.is_bots_turn(state)

    while (await table.play(players.calls, until=is_others_turn)).is_finished:
        pass


def side_pots(asks_for_game: Callable[[], bool], hands: int) -> CheckScript:
    """Three players all in with different stacks, the bot with the largest first.

    Args:
        asks_for_game: whether the bot knows the stacks, once it has answered: otherwise only the hand is
            played in which it has the turn whatever stacks it assumes.
        hands: random ones, with other stacks.
    """

    async def run(table: ScriptedTable) -> None:
        table.next_hand = table.game.num_players - _LAST_TO_ACT
        await table.play(players.goes_all_in)
        if asks_for_game():
            await table.play_orbit(players.goes_all_in)
            await table.play_orbit(players.calls)
            await random_hands(hands).run(table)
            await table.settle()

    return CheckScript(checks.SIDE_POTS, run, settles=False)


def uneven_stacks(game: GameDefinition) -> list[int]:
    """Stacks for `side_pots`, in chips by position."""
    return [game.big_blind * blinds for blinds in _STACKS_IN_BLINDS[: game.num_players]]


async def _orbit(opponent: Opponent, table: ScriptedTable) -> None:
    await table.play_orbit(opponent)


async def _delivered(delivery: Delivery, table: ScriptedTable) -> None:
    table.conversation.sender.delivery = delivery
    try:
        for _ in range(_DELIVERED):
            await table.play(players.calls)
        await table.conversation.flush()
    finally:
        table.conversation.sender.delivery = Delivery.PLAIN


async def _early(table: ScriptedTable) -> None:
    for _ in range(table.game.num_players):
        await table.play(players.calls, acts_in_its_place=True)
    await table.play(players.calls)


async def _late(slow_s: float, table: ScriptedTable) -> None:
    await table.play(players.calls, pause_s=slow_s)
    await table.play(players.calls)
