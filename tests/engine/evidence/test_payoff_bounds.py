"""Bounds of payoffs against all betting there is, where that can be enumerated, and against random play."""

from __future__ import annotations

import random
from collections.abc import Iterator

import attrs
import pytest

from engine.evidence.confidence_sequence import payoff_bounds
from engine.poker.match_key import MatchSeed
from engine.poker.rules import (
    Action,
    BettingState,
    GameDefinition,
    initial_betting,
    load_game,
    packaged_games,
    play_hand,
    raise_to,
)
from engine.poker.rules.action import ActionKind
from tests.support.asserting import known
from tests.support.hands.golden_files import GOLDEN

GAMES = [*packaged_games(), *sorted(str(path) for path in GOLDEN.glob("*.game"))]


def actions(state: BettingState) -> Iterator[Action]:
    legal = state.legal_actions()
    yield from (Action(kind) for kind in (ActionKind.FOLD, ActionKind.CALL) if Action(kind) in legal)
    if legal.can_raise:
        yield from {legal.raising_to(legal.min_raise_to), legal.raising_to(legal.max_raise_to)}


@pytest.mark.parametrize("name", ["kuhn-2p", "kuhn-3p", "leduc", "limit-2p"])
def test_what_positions_put_in_reaches_the_bounds_and_no_more(name: str) -> None:
    path = GOLDEN / f"{name}.game"
    game = load_game(str(path) if path.exists() else name)
    most = [0] * game.num_players
    ahead = [initial_betting(game)]
    while ahead:
        state = ahead.pop()
        most = [max(before, spent) for before, spent in zip(most, state.spent, strict=True)]
        if not state.is_finished:
            ahead += [state.apply(action) for action in actions(state)]

    bounds = known(payoff_bounds(game))
    assert bounds.most_lost == tuple(most)


def test_heads_up_limit_costs_24_small_bets() -> None:
    bounds = known(payoff_bounds(load_game("limit-2p")))
    assert bounds.most_lost == bounds.most_won == (240, 240)
    assert bounds.of_a_lead() == 240
    assert bounds.of_a_player() == (-240, 240)


def test_three_handed_limit_costs_24_small_bets_each() -> None:
    bounds = known(payoff_bounds(load_game("limit-3p")))
    assert bounds.most_lost == (240, 240, 240)
    assert bounds.most_won == (480, 480, 480)
    assert bounds.of_a_lead() == 720
    assert bounds.of_a_player() == (-240, 480)


def test_a_short_stack_wins_its_own_size_from_each() -> None:
    game = attrs.evolve(load_game("nolimit-3p"), stacks=(500, 2000, 9000))

    bounds = known(payoff_bounds(game))
    assert bounds.most_lost == (500, 2000, 2000)  # what nobody can match comes back
    assert bounds.most_won == (1000, 2500, 2500)


def test_without_stacks_only_limit_has_bounds() -> None:
    endless = 2**31 - 1
    limit = attrs.evolve(load_game("limit-2p"), stacks=(endless, endless))
    no_limit = attrs.evolve(load_game("nolimit-2p"), stacks=(endless, endless))

    assert payoff_bounds(limit) == payoff_bounds(load_game("limit-2p"))
    assert payoff_bounds(no_limit) is None
    one_stack = known(payoff_bounds(attrs.evolve(no_limit, stacks=(20_000, endless))))
    assert one_stack.most_lost == (20_000, 20_000)


def test_a_round_without_a_cap_ends_by_its_length() -> None:
    game = attrs.evolve(load_game("limit-2p"), max_raises=(255,) * 4)

    bounds = known(payoff_bounds(game))
    assert bounds.most_lost[0] == 10 + 63 * (10 + 10 + 20 + 20)  # 64 actions with two players


def test_antes_are_lost_whatever_others_have() -> None:
    game = attrs.evolve(load_game("nolimit-3p"), stacks=(500, 2000, 9000), antes=(100, 100, 100))

    bounds = known(payoff_bounds(game))
    assert bounds.most_lost == (500, 2000, 2000)
    assert bounds.most_won == (1000, 2500, 2500)


def with_antes(antes: tuple[int, ...], stacks: tuple[int, ...]) -> GameDefinition:
    return attrs.evolve(load_game("nolimit-6p-ante"), antes=antes, stacks=stacks)


@pytest.mark.parametrize("name", GAMES, ids=lambda name: name.rpartition("/")[2])
@pytest.mark.parametrize("raises", [0.3, 0.9])
def test_no_hand_costs_or_brings_more(name: str, raises: float) -> None:
    hold_to_bounds(load_game(name), raises)


@pytest.mark.parametrize(
    "game",
    [
        with_antes((40,) * 6, (900, 190, 30, 12, 90, 1100)),
        with_antes((0, 100, 0, 0, 0, 0), (300, 260, 5, 90, 700, 90)),
        with_antes((0, 5, 20, 7, 0, 9), (900, 130, 120, 500, 400, 7)),
    ],
    ids=["stacks below the ante", "the big blind's", "antes of some"],
)
def test_no_hand_with_antes_costs_or_brings_more(game: GameDefinition) -> None:
    hold_to_bounds(game, 0.3)
    hold_to_bounds(game, 0.9)


def hold_to_bounds(game: GameDefinition, raises: float) -> None:
    bounds = known(payoff_bounds(game))
    lead = bounds.of_a_lead()
    least, most = bounds.of_a_player()
    generator = random.Random(1)
    dealer = MatchSeed(3).dealer(game)

    for hand in range(40):
        chips = play_randomly(game, hand, dealer.deal(), generator, raises)
        for position, won in enumerate(chips):
            assert -bounds.most_lost[position] - 1e-9 <= won <= bounds.most_won[position] + 1e-9
            assert least <= won <= most
        difference = max(chips) - min(chips)
        assert difference * (0.5 if len(chips) == 2 else 1) <= lead + 1e-9


def play_randomly(
    game: GameDefinition, hand: int, deal: object, generator: random.Random, raises: float
) -> tuple[float, ...]:
    loop = play_hand(game, hand, deal)  # type: ignore[arg-type]
    try:
        state = next(loop)
        while True:
            legal = state.legal_actions()
            action = Action(ActionKind.CALL)
            if legal.can_raise and generator.random() < raises:
                assert legal.min_raise_to is not None
                assert legal.max_raise_to is not None
                total = generator.choice([legal.min_raise_to, legal.max_raise_to])
                action = legal.raising_to(total) if legal.is_limit else raise_to(total)
            elif legal.can_fold and generator.random() < 0.2:
                action = Action(ActionKind.FOLD)
            state = loop.send(action)
    except StopIteration as finished:
        chips: tuple[float, ...] = finished.value.chips_won()
    return chips
