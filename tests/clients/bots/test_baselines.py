"""Every baseline's choices, over random games and hands, against what the rules allow."""

from __future__ import annotations

import collections

import pytest

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.agent import begin_decision
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, CardDealer, HandView, load_game, play_hand, raise_to


def view_after(game_name: str, *actions: str) -> HandView:
    """What the position to act sees after some actions in the first hand of seed 7."""
    game = load_game(game_name)
    hand = play_hand(game, 0, CardDealer(game, 7).deal())
    state = next(hand)
    for action in actions:
        state = hand.send({"f": FOLD, "c": CALL, "r": LIMIT_RAISE}.get(action) or raise_to(int(action[1:])))
    assert state.position_to_act is not None
    return state.view(state.position_to_act)


FACING_A_BET = view_after("limit-2p", "r")
NOTHING_TO_CALL = view_after("limit-2p", "c")
CAPPED = view_after("limit-2p", "r", "r", "r")
NO_LIMIT_BET = view_after("nolimit-2p", "r300")
NO_LIMIT_ALL_IN = view_after("nolimit-2p", "r20000")


@pytest.mark.parametrize(
    ("agent", "choices"),
    [
        (AlwaysCall(), [CALL] * 5),
        (AlwaysFold(), [FOLD, CALL, FOLD, FOLD, FOLD]),
        (AlwaysRaise(), [LIMIT_RAISE, LIMIT_RAISE, CALL, raise_to(500), CALL]),
        (AlwaysAllIn(), [LIMIT_RAISE, LIMIT_RAISE, CALL, raise_to(20000), CALL]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_choices(agent: AlwaysCall, choices: list[object]) -> None:
    hands = [FACING_A_BET, NOTHING_TO_CALL, CAPPED, NO_LIMIT_BET, NO_LIMIT_ALL_IN]

    assert [agent.choose_action(view) for view in hands] == choices


@pytest.mark.parametrize(
    ("view", "triple"),
    [
        (FACING_A_BET, (0.06, 0.47, 0.47)),
        (NOTHING_TO_CALL, (0, 0.5, 0.5)),
        (CAPPED, (0.06 / 0.53, 0.47 / 0.53, 0)),
    ],
)
def test_the_random_player_is_the_acpcs_example_player(
    view: HandView, triple: tuple[float, float, float]
) -> None:
    """docs/acpc-dealer.md 7: .06/.47/.47, nothing to call .50/.50, no raise possible .1132/.8868."""
    agent = Random()
    assert agent.probability_triple(view) == pytest.approx(triple)

    counts: collections.Counter[str] = collections.Counter()
    number = 4000
    for seed in range(number):
        agent.seed = seed
        begin_decision(agent, view)
        agent._rng_view = None
        counts[agent.choose_action(view).kind] += 1

    for kind, chance in zip("fcr", triple, strict=True):
        error = 4 * (chance * (1 - chance) / number) ** 0.5
        assert counts[kind] / number == pytest.approx(chance, abs=error)


def test_the_random_players_sizes_are_uniform_over_all_that_are_legal() -> None:
    agent = Random(fold=0, call=1e-9, raise_=1)
    legal = NO_LIMIT_BET.legal_actions()
    low, high = legal.min_raise_to, legal.max_raise_to
    assert low is not None
    assert high is not None
    sizes = []
    for seed in range(3000):
        agent.seed = seed
        begin_decision(agent, NO_LIMIT_BET)
        agent._rng_view = None
        size = agent.choose_action(NO_LIMIT_BET).raise_to
        assert size is not None
        sizes.append(size)

    assert low <= min(sizes) < low + 50
    assert high - 50 < max(sizes) <= high
    assert sum(sizes) / len(sizes) == pytest.approx((low + high) / 2, rel=0.03)


def test_both_ends_of_a_narrow_range_are_drawn() -> None:
    view = view_after("nolimit-2p", "r300", "r10100", "r19900")  # only all in is left: r20000
    agent = Random(fold=0, call=1e-9, raise_=1)
    begin_decision(agent, view)

    assert agent.choose_action(view) == raise_to(20000)


@pytest.mark.parametrize("weights", [(-1, 1, 1), (0, 0, 1), (0.1, 1, -0.1), (float("nan"), 1, 1)])
def test_impossible_weights_are_refused(weights: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="expected weights"):
        Random(*weights)
