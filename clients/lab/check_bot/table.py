"""Hands with the bot in one seat and scripted players, which are not programs, in the others."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import attrs
import trio

from clients.lab.check_bot.conversation import Conversation
from engine.poker.rules import (
    CALL,
    FOLD,
    Action,
    CardDealer,
    GameDefinition,
    HandState,
    HandView,
    initial_hand,
)
from engine.poker.rules import raise_to as raised_to
from engine.support.seeds import derive_seed

_FOLDS: Final = 0.06
_CALLS: Final = 0.53
# Below these a random player folds or calls: the shares of the ACPC's example player.
_SHARE_OF_STACK: Final = 0.6
# Raised first, so that a player who then goes all in raises less than a full raise.

Opponent = Callable[[HandView, random.Random], Action]
"""What a scripted player does; corrected if it is not legal."""


def folds(view: HandView, rng: random.Random) -> Action:
    """Folds where there is something to call."""
    return FOLD


def calls(view: HandView, rng: random.Random) -> Action:
    """Calls."""
    return CALL


def raises(view: HandView, rng: random.Random) -> Action:
    """Raises as long as it may, in no-limit games by about the pot."""
    legal = view.legal_actions()
    return legal.raising_to((legal.min_raise_to or 0) + view.pot)


def goes_all_in(view: HandView, rng: random.Random) -> Action:
    """Bets all that it has."""
    return view.legal_actions().raising_to(10**9)


def goes_all_in_short(view: HandView, rng: random.Random) -> Action:
    """Raises to most of its stack, or goes all in over such a raise, which is then less than a full raise."""
    much = int(_SHARE_OF_STACK * view.game.betting_stacks[view.position])
    if view.betting.max_spent < much:
        return view.legal_actions().raising_to(much)
    return goes_all_in(view, rng)


def plays_at_random(view: HandView, rng: random.Random) -> Action:
    """Seldom folds, calls and raises equally often, mostly by little."""
    drawn = rng.random()
    legal = view.legal_actions()
    if drawn < _FOLDS:
        return FOLD if legal.can_fold else CALL
    if drawn < _CALLS or legal.min_raise_to is None or legal.max_raise_to is None:
        return CALL
    if legal.is_limit:
        return legal.raising_to()
    most = legal.max_raise_to if rng.random() < 0.2 else legal.min_raise_to + view.pot
    return raised_to(min(legal.max_raise_to, rng.randint(legal.min_raise_to, max(legal.min_raise_to, most))))


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
    game: GameDefinition
    seed: int
    next_hand: int = 0

    async def play(
        self,
        opponent: Opponent,
        *,
        acts_in_its_place: bool = False,
        pause_s: float = 0.0,
        shown_from: Callable[[HandState], bool] | None = None,
        until: Callable[[HandState], bool] | None = None,
    ) -> HandState:
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
        deal = CardDealer(self.game, derive_seed(self.seed, number)).deal()
        state = initial_hand(self.game, number, deal)
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
                    action = CALL
                elif acts_in_its_place:
                    acts_in_its_place = False
                    self.conversation.withdraw(view)
                    action = CALL
                else:
                    action = await self.conversation.answer(view)
            else:
                if pause_s and is_shown:
                    await trio.sleep(pause_s)
                    pause_s = 0.0
                action = state.legal_actions().nearest(opponent(state.view(to_act), rng))
            state = state.apply(action)

    async def play_orbit(self, opponent: Opponent) -> None:
        """Play a hand in each position; raises as `play` does."""
        for _ in range(self.game.num_players):
            await self.play(opponent)

    async def settle(self) -> None:
        """Play a plain hand: a bot that died in the last one, or got confused, does not answer in it."""
        await self.play(calls)

    def is_bots_turn(self, state: HandState) -> bool:
        """Whether the bot is to act."""
        return state.position_to_act == -state.hand_number % self.game.num_players
