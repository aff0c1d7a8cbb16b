"""Texas hold'em hands for tests of bots: random games, random decisions, and given views."""

import random
from collections.abc import Iterator

from hypothesis import strategies as st

from engine.poker.rules import (
    CALL,
    CardDealer,
    Deal,
    GameDefinition,
    HandState,
    HandView,
    initial_hand,
    play_hand,
)
from engine.poker.rules.action import FOLD, LIMIT_RAISE, raise_to
from tests.support.hands.strategies import choose


@st.composite
def holdem_games(draw: st.DrawFn) -> GameDefinition:
    """Games of hold'em for 2 to 10 players, limit and no-limit, with all kinds of stacks and blinds."""
    players = draw(st.integers(2, 10))
    is_limit = draw(st.booleans())
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    big_blind = rng.choice((0, 2, 10))
    most = rng.choice((10, 60, 400, 20_000))
    stacks = tuple(rng.randint(10, most) for _ in range(players))
    blinds = [0] * players
    blinds[0], blinds[1] = (big_blind, big_blind // 2) if players == 2 else (big_blind // 2, big_blind)
    return GameDefinition(
        is_limit=is_limit,
        num_players=players,
        num_rounds=4,
        blinds=tuple(blinds),
        raise_sizes=(big_blind or 2,) * 2 + (2 * big_blind or 4,) * 2 if is_limit else (),
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
        stacks=stacks,
        first_positions=(1 if players == 2 else 2, 0, 0, 0),
        max_raises=(3, 4, 4, 4) if is_limit else (255,) * 4,
    )


def decisions(game: GameDefinition, seed: int) -> Iterator[HandView]:
    """The view of the player to act at each decision of one random hand."""
    rng = random.Random(seed)
    hand = play_hand(game, 0, CardDealer(game, seed).deal())
    try:
        state = next(hand)
        while True:
            assert state.position_to_act is not None
            yield state.view(state.position_to_act)
            # Mostly calls, since otherwise few hands would reach a flop.
            action = CALL if rng.random() < 0.6 else choose(rng.randrange(65536), state.legal_actions())
            state = hand.send(action)
    except StopIteration:
        pass


def view_with(
    game: GameDefinition, hole_cards: tuple[int, ...], board: tuple[int, ...], *actions: str
) -> HandView:
    """The view of the position to act, holding given cards, after some actions such as ``r300``."""
    rest = [card for card in range(52) if card not in hole_cards and card not in board]
    board += tuple(rest[: 5 - len(board)])
    rest = [card for card in rest if card not in board]
    others = [tuple(rest[2 * k : 2 * k + 2]) for k in range(game.num_players)]
    state = initial_hand(game, 0, Deal(tuple(others), board))
    for action in actions:
        state = state.apply({"f": FOLD, "c": CALL, "r": LIMIT_RAISE}.get(action) or raise_to(int(action[1:])))
    position = state.position_to_act
    assert position is not None
    held = tuple(hole_cards if p == position else cards for p, cards in enumerate(others))
    return HandState(state.betting, 0, Deal(held, board)).view(position)
