"""Hands of the bot with scripted players, and which of them are played for which check."""

from __future__ import annotations

import functools
import random
from collections.abc import Awaitable, Callable
from typing import Any, Final

import attrs
import trio

from clients.lab.check_bot.client import Delivery
from clients.lab.check_bot.conversation import Conversation
from clients.lab.check_bot.findings import seats_check
from engine.poker import rules
from engine.support.seeds import derive_seed

_FOLDS: Final = 0.06
_CALLS: Final = 0.53
# Below these a random player folds or calls: the shares of the ACPC's example player.
_SHARE_OF_STACK: Final = 0.6
# Raised first, so that a player who then goes all in raises less than a full raise.

Opponent = Callable[[rules.HandView, random.Random], rules.Action]
"""What a scripted player does; corrected if it is not legal."""


def folds(view: rules.HandView, rng: random.Random) -> rules.Action:
    """Folds where there is something to call."""
    return rules.FOLD


def calls(view: rules.HandView, rng: random.Random) -> rules.Action:
    """Calls."""
    return rules.CALL


def raises(view: rules.HandView, rng: random.Random) -> rules.Action:
    """Raises as long as it may, in no-limit games by about the pot."""
    legal = view.legal_actions()
    return legal.raising_to((legal.min_raise_to or 0) + view.pot)


def goes_all_in(view: rules.HandView, rng: random.Random) -> rules.Action:
    """Bets all that it has."""
    return view.legal_actions().raising_to(10**9)


def goes_all_in_short(view: rules.HandView, rng: random.Random) -> rules.Action:
    """Raises to most of its stack, or goes all in over such a raise, which is then less than a full raise."""
    much = int(_SHARE_OF_STACK * view.game.betting_stacks[view.position])
    if view.betting.max_spent < much:
        return view.legal_actions().raising_to(much)
    return goes_all_in(view, rng)


def plays_at_random(view: rules.HandView, rng: random.Random) -> rules.Action:
    """Seldom folds, calls and raises equally often, mostly by little."""
    drawn = rng.random()
    legal = view.legal_actions()
    if drawn < _FOLDS:
        return rules.FOLD if legal.can_fold else rules.CALL
    if drawn < _CALLS or legal.min_raise_to is None or legal.max_raise_to is None:
        return rules.CALL
    if legal.is_limit:
        return legal.raising_to()
    most = legal.max_raise_to if rng.random() < 0.2 else legal.min_raise_to + view.pot
    return rules.raise_to(
        min(legal.max_raise_to, rng.randint(legal.min_raise_to, max(legal.min_raise_to, most)))
    )


@attrs.define(eq=False)
class ScriptedTable:
    """A table with the bot in seat 0, where hands are played one after another.

    Args:
        conversation: with the bot.
        game: what is played.
        seed: of the cards and of the other players.
        next_hand: the number of the next hand.
    """

    conversation: Conversation
    game: rules.GameDefinition
    seed: int
    next_hand: int = 0

    async def play(
        self,
        opponent: Opponent,
        *,
        acts_in_its_place: bool = False,
        pause_s: float = 0.0,
        shown_from: Callable[[rules.HandState], bool] | None = None,
        until: Callable[[rules.HandState], bool] | None = None,
    ) -> rules.HandState:
        """Play the next hand; returns where it ended.

        Args:
            opponent: plays the other seats.
            acts_in_its_place: call for the bot at its first turn, without waiting for it.
            pause_s: how long one of the others thinks, once.
            shown_from: nothing is shown before this holds; the bot's seat calls.
            until: the hand is broken off when this holds.

        Raises:
            Fell: the bot cannot continue.
        """
        number = self.next_hand
        self.next_hand += 1
        position = -number % self.game.num_players
        rng = random.Random(f"{self.seed} {number}")
        deal = rules.CardDealer(self.game, derive_seed(self.seed, number)).deal()
        state = rules.initial_hand(self.game, number, deal)
        is_shown = shown_from is None
        while True:
            view = state.view(position)
            is_shown = is_shown or (shown_from is not None and shown_from(state))
            if is_shown:
                await self.conversation.show(view)
            to_act = state.position_to_act
            if to_act is None or (until is not None and until(state)):
                return state
            if to_act == position:
                if not is_shown:
                    action = rules.CALL
                elif acts_in_its_place:
                    acts_in_its_place = False
                    self.conversation.withdraw(view)
                    action = rules.CALL
                else:
                    action = await self.conversation.answer(view)
            else:
                if pause_s and is_shown:
                    await trio.sleep(pause_s)
                    pause_s = 0.0
                action = state.legal_actions().nearest(opponent(state.view(to_act), rng))
            state = state.apply(action)

    async def play_several(self, opponent: Opponent, hands: int, **how: Any) -> None:
        """Play some hands; see `play`."""
        for _ in range(hands):
            await self.play(opponent, **how)

    async def play_orbit(self, opponent: Opponent, **how: Any) -> None:
        """Play a hand in each position; see `play`."""
        await self.play_several(opponent, self.game.num_players, **how)

    async def settle(self) -> None:
        """Play a plain hand: a bot that died in the last one, or got confused, does not answer in it."""
        await self.play(calls)

    def is_bots_turn(self, state: rules.HandState) -> bool:
        """Whether the bot is to act."""
        return state.position_to_act == -state.hand_number % self.game.num_players


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


def plain(game: rules.GameDefinition) -> CheckScript:
    """The first hands at a table: others call."""
    hands = min(game.num_players, _MOST_PLAIN)
    run = functools.partial(ScriptedTable.play_several, opponent=calls, hands=hands)
    return CheckScript(seats_check(game.num_players), run)


def poker(game: rules.GameDefinition) -> list[CheckScript]:
    """Situations in poker: walks, raises, all-ins."""
    played: list[tuple[str, Opponent]] = [("walk", folds), ("raises", raises)]
    if not game.is_limit:
        played += [("short-all-in", goes_all_in_short), ("raises", goes_all_in)]
    return [
        CheckScript(check, functools.partial(ScriptedTable.play_orbit, opponent=opponent))
        for check, opponent in played
    ]


def network(slow_s: float) -> list[CheckScript]:
    """Situations of networks and dealers: split and merged lines, comments, turns taken by the dealer."""
    delivered = {
        "split-lines": Delivery.PIECES, "split-line-end": Delivery.LINE_END, "merged-lines": Delivery.MERGED,
        "comments": Delivery.COMMENTS,
    }  # fmt: skip
    scripts = [
        CheckScript(check, functools.partial(_delivered, delivery)) for check, delivery in delivered.items()
    ]
    late = CheckScript("late-lines", functools.partial(_late, slow_s))
    return [*scripts, CheckScript("early-lines", _early), late]


def random_hands(hands: int) -> CheckScript:
    """Hands in which everybody plays at random."""
    run = functools.partial(ScriptedTable.play_several, opponent=plays_at_random, hands=hands)
    return CheckScript("random-hands", run)


def reconnection(game: rules.GameDefinition) -> list[CheckScript]:
    """Sitting down in the middle of a hand."""

    async def sit_down(table: ScriptedTable) -> None:
        table.next_hand = _IN_THE_MIDDLE
        last = game.num_rounds > 1

        def is_later(state: rules.HandState) -> bool:
            return table.is_bots_turn(state) and (state.betting.betting_round > 0 or not last)

        await table.play_orbit(calls, shown_from=is_later)
        await table.settle()

    return [CheckScript("reconnect", sit_down)]


async def stop_in_a_hand(table: ScriptedTable) -> None:
    """Play on until somebody else is to act in a hand that the bot has been shown."""

    def is_others_turn(state: rules.HandState) -> bool:
        return state.position_to_act is not None and not table.is_bots_turn(state)

    while (await table.play(calls, until=is_others_turn)).is_finished:
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
        await table.play(goes_all_in)
        if asks_for_game():
            await table.play_orbit(goes_all_in)
            await table.play_orbit(calls)
            await random_hands(hands).run(table)
            await table.settle()

    return CheckScript("side-pots", run, settles=False)


def uneven_stacks(game: rules.GameDefinition) -> list[int]:
    """Stacks for `side_pots`, in chips by position."""
    return [game.big_blind * blinds for blinds in _STACKS_IN_BLINDS[: game.num_players]]


async def _delivered(delivery: Delivery, table: ScriptedTable) -> None:
    table.conversation.sender.delivery = delivery
    try:
        await table.play_several(calls, _DELIVERED)
        await table.conversation.flush()
    finally:
        table.conversation.sender.delivery = Delivery.PLAIN


async def _early(table: ScriptedTable) -> None:
    await table.play_orbit(calls, acts_in_its_place=True)
    await table.settle()


async def _late(slow_s: float, table: ScriptedTable) -> None:
    await table.play(calls, pause_s=slow_s)
    await table.settle()
