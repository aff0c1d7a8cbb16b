"""The simple bot and every baseline: their choices, against what the rules allow."""

from __future__ import annotations

import collections
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.bots.hand_strength import HandStrengthBot
from clients.bots.listed_hands import kinds_of_hands
from clients.bots.simple import SimpleBot, draw_outs
from clients.core.agent import Agent, begin_decision
from clients.core.arena import Arena
from engine.poker import rules
from engine.poker.cards import format_cards, parse_cards
from engine.poker.records import ProbabilityTriple
from tests.support.hands.golden_files import GOLDEN
from tests.support.hands.holdem_hands import decisions, holdem_games, view_with
from tests.support.hands.views import seated
from tests.support.matches import DEALERS, bot, play_match

# --- The simple bot -----------------------------------------------------------------------------------------

LIMIT, NO_LIMIT = rules.load_game("limit-2p"), rules.load_game("nolimit-2p-100bb")
NO_LIMIT_6P = rules.load_game("nolimit-6p-100bb")


def at_table(game: rules.GameDefinition, **options: Any) -> Any:
    return seated(SimpleBot(**options), game)


def share(bot: SimpleBot, game: rules.GameDefinition, *actions: str) -> dict[rules.ActionKind, float]:
    """How often it does what before the flop, over all hole cards."""
    counts = Counter(
        bot.choose_action(view_with(game, hole, (), *actions)).kind for hole in combinations(range(52), 2)
    )
    return {kind: counts[kind] / 1326 for kind in rules.ActionKind}


# --- before the flop ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "behind", "opened"),
    [([], 5, 0.18), (["f"], 4, 0.22), (["f"] * 2, 3, 0.28), (["f"] * 3, 2, 0.40), (["f"] * 4, 1, 0.50)],
)
def test_it_opens_more_hands_the_fewer_are_left_behind(
    actions: list[str], behind: int, opened: float
) -> None:
    shares = share(at_table(NO_LIMIT_6P), NO_LIMIT_6P, *actions)

    # An ordinary player at six seats raises 19 % of their hands: a little less is opened against them.
    assert shares[rules.ActionKind.RAISE] == pytest.approx(opened * (1.2 - 0.8 * 0.19), abs=0.01)
    assert shares[rules.ActionKind.CALL] == 0


def test_it_calls_and_raises_less_after_a_raise_and_less_still_after_two() -> None:
    one = share(at_table(NO_LIMIT), NO_LIMIT, "r6")
    two = share(at_table(NO_LIMIT), NO_LIMIT, "r6", "r18")

    # 45 % of the hands are raised by an ordinary player heads-up.
    assert one[rules.ActionKind.RAISE] == pytest.approx(0.3 * 0.45, abs=0.01)
    assert one[rules.ActionKind.RAISE] + one[rules.ActionKind.CALL] == pytest.approx(0.9 * 0.45, abs=0.01)
    assert two[rules.ActionKind.RAISE] == pytest.approx(0.1 * 0.45, abs=0.01)
    assert two[rules.ActionKind.RAISE] + two[rules.ActionKind.CALL] == pytest.approx(0.35 * 0.45, abs=0.01)


@pytest.mark.parametrize(
    ("cards", "actions", "expected"),
    [
        ("AsAd", [], rules.raise_to(6)),  # three big blinds
        ("AsAd", ["c"], rules.raise_to(8)),  # and one for the caller
        ("AsAd", ["r6"], rules.raise_to(18)),  # three times the raise
        ("AsAd", ["r30"], rules.raise_to(200)),  # 90 were 40 % of the chips
        ("7s2d", ["c"], rules.CALL),  # the big blind may check
        ("7s2d", ["r4"], rules.FOLD),
    ],
)
def test_sizes_before_the_flop(cards: str, actions: list[str], expected: rules.Action) -> None:
    view = view_with(NO_LIMIT, tuple(parse_cards(cards)), (), *actions)

    assert at_table(NO_LIMIT).choose_action(view) == expected


def test_it_notices_who_is_always_all_in_and_calls_with_the_better_half() -> None:
    bot = SimpleBot()
    before = share(at_table(NO_LIMIT), NO_LIMIT, "r200")

    Arena(NO_LIMIT, [bot, AlwaysAllIn()], 1).play(500)

    # 500 hands against 20 that an ordinary player's habits count: always, near enough.
    assert before[rules.ActionKind.CALL] == pytest.approx(0.5 * 0.45, abs=0.01)
    after = share(bot, NO_LIMIT, "r200")
    assert after[rules.ActionKind.CALL] == pytest.approx(0.5, abs=0.02)


def test_a_player_who_never_raises_is_believed_when_he_does() -> None:
    bot = SimpleBot()
    Arena(NO_LIMIT, [bot, AlwaysCall()], 1).play(500)

    shares = share(bot, NO_LIMIT, "r6")

    assert shares[rules.ActionKind.FOLD] > 0.95


# --- by the list -------------------------------------------------------------------------------------------

R, C, F = rules.ActionKind.RAISE, rules.ActionKind.CALL, rules.ActionKind.FOLD


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("AsAd", (R, R, C, F)),  # after no raise, one, two, three
        ("TsTd", (R, R, C, F)), ("9s9d", (C, C, C, F)), ("2s2d", (R, R, C, F)), ("AsKd", (C, C, C, F)),
        ("JsTd", (C, C, C, F)), ("AsKs", (R, R, C, C)),  # a suited connector, too
        ("KsTs", (R, R, C, F)), ("AsTs", (R, R, C, C)), ("9s8s", (C, C, C, C)), ("3s2s", (C, C, C, C)),
        ("9s7s", (F, F, F, F)), ("As9s", (C, C, C, C)), ("As2s", (R, C, C, C)), ("As9d", (F, F, F, F)),
        ("7s2d", (F, F, F, F)),
    ],
)  # fmt: skip
def test_each_listed_hand_is_played_in_one_way(hand: str, expected: tuple[rules.ActionKind, ...]) -> None:
    bot, hole = at_table(NO_LIMIT, hands="listed"), tuple(parse_cards(hand))
    before = [(), ("r6",), ("r6", "r12"), ("r6", "r12", "r24")]

    found = [bot.probability_triple(view_with(NO_LIMIT, hole, (), *actions)) for actions in before]

    assert tuple(_likeliest(triple) for triple in found) == expected
    for actions in before:
        view = view_with(NO_LIMIT, hole, (), *actions)
        action = bot.choose_action(view)
        if action.kind is R:  # the smallest
            assert action == view.legal_actions().raising_to()


def _likeliest(triple: ProbabilityTriple) -> rules.ActionKind:
    return (F, C, R)[max(range(3), key=lambda number: triple[number])]


def test_the_list_has_a_quarter_of_all_hands() -> None:
    """Pairs 78, other cards from ten up 160, suited connectors below 32, suited aces below 32."""
    listed = sum(kind > 0 for kind in kinds_of_hands()) / 2

    assert listed == 78 + 160 + 4 * 8 + 4 * 8


@pytest.mark.parametrize(
    ("actions", "calls"),
    [([], 0.05), (["r4"], 0.05), (["r6"], 0.0), (["c"], 1.0)],  # of nothing to call: it checks
)
def test_one_time_in_twenty_it_calls_a_big_blind_with_anything(actions: list[str], calls: float) -> None:
    bot, called = at_table(NO_LIMIT, hands="listed"), 0
    view = view_with(NO_LIMIT, tuple(parse_cards("7s2d")), (), *actions)

    for seed in range(2000):
        bot.seed = seed
        begin_decision(bot, attrs.evolve(view))
        called += bot.choose_action(view) == rules.CALL

    assert bot.probability_triple(view) == pytest.approx((1 - calls, calls, 0))
    assert called / 2000 == pytest.approx(calls, abs=0.015)


def test_with_the_list_alone_it_folds_all_others() -> None:
    shares = share(_with_list_alone(), NO_LIMIT)

    assert shares[rules.ActionKind.FOLD] == 1 - sum(kind > 0 for kind in kinds_of_hands()) / 2 / 1326
    with pytest.raises(ValueError, match="others"):
        SimpleBot(hands="listed", others=1.5)


def _with_list_alone() -> SimpleBot:
    bot = SimpleBot(hands="listed", others=0)
    bot.game, bot.seat = NO_LIMIT, 0
    bot.match_started(NO_LIMIT, 0)
    return bot


# --- after the flop ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "board", "actions", "expected"),
    [
        ("AsKd", "Ac7h2d", ["c", "c"], rules.raise_to(4)),  # top pair: two thirds of 4, at least a big blind
        ("3s2d", "AcKhQd", ["c", "c"], rules.CALL),  # nothing: a check
        ("3s2d", "AcKhQd", ["c", "c", "r100"], rules.FOLD),
        ("AsAd", "Ac7h2d", ["c", "c", "r100"], rules.raise_to(200)),  # a set is raised, with all that is left
        # Two thirds of the pot of 12 that is there after the call.
        ("7s7d", "Ac7h2d", ["c", "c", "r6"], rules.raise_to(14)),
    ],
)
def test_value_bets_and_folds(cards: str, board: str, actions: list[str], expected: rules.Action) -> None:
    view = view_with(NO_LIMIT, tuple(parse_cards(cards)), tuple(parse_cards(board)), *actions)

    assert at_table(NO_LIMIT).choose_action(view) == expected


def test_a_flush_draw_is_bet_every_second_time() -> None:
    view = view_with(NO_LIMIT, tuple(parse_cards("8h3h")), tuple(parse_cards("AhKh2c")), "c", "c")
    bot = at_table(NO_LIMIT)

    assert bot.probability_triple(view) == (0, 0.5, 0.5)
    bets = 0
    for seed in range(400):
        bot.seed = seed
        begin_decision(bot, attrs.evolve(view))  # another object: another decision
        bets += bot.choose_action(view).kind is rules.ActionKind.RAISE
    assert 160 < bets < 240  # four standard deviations


def test_a_draw_calls_a_small_bet_and_folds_to_a_big_one() -> None:
    hole, board = tuple(parse_cards("8h3h")), tuple(parse_cards("AhKh2c"))
    bot = at_table(NO_LIMIT)

    small = bot.probability_triple(view_with(NO_LIMIT, hole, board, "r20", "c", "r24"))
    big = bot.probability_triple(view_with(NO_LIMIT, hole, board, "r20", "c", "r200"))

    assert small == (0, 1, 0)
    assert big == (1, 0, 0)


def _has_straight(ranks: set[int]) -> bool:
    runs = [{12, 0, 1, 2, 3}, *(set(range(low, low + 5)) for low in range(9))]
    return any(run <= ranks for run in runs)


def _has_flush(cards: tuple[int, ...]) -> bool:
    return max(Counter(card & 3 for card in cards).values()) >= 5


def _completes(hole: tuple[int, ...], board: tuple[int, ...], card: int) -> bool:
    """Whether a card makes a straight or flush that needs the hole cards, said in another way."""
    everything = (*hole, *board, card)
    straight = _has_straight({c >> 2 for c in everything}) and not _has_straight(
        {c >> 2 for c in (*board, card)}
    )
    return straight or (_has_flush(everything) and not _has_flush((*board, card)))


@given(st.lists(st.integers(0, 51), min_size=5, max_size=6, unique=True))
def test_outs_are_those_of_a_count_over_all_cards(cards: list[int]) -> None:
    hole, board = tuple(cards[:2]), tuple(cards[2:])
    if _has_straight({card >> 2 for card in cards}) or _has_flush(tuple(cards)):
        return  # nothing to draw for

    counted = sum(_completes(hole, board, card) for card in set(range(52)) - set(cards))

    assert draw_outs(hole, board) == counted, format_cards(cards)


@pytest.mark.parametrize(
    ("cards", "board", "outs"),
    [
        ("8h3h", "AhKh2c", 9),  # four to a flush
        ("9s8d", "7c6hAc", 8),  # open-ended
        ("9s8d", "7c5hAc", 4),  # a gutshot
        ("9h8h", "7h6hAc", 15),  # both
        ("As2d", "3c4hKc", 4),  # the ace is low too
        ("KsKd", "8c7h6c5d", 0),  # the straight draw is everybody's: two kings add nothing
    ],
)
def test_outs_of_the_usual_draws(cards: str, board: str, outs: int) -> None:
    assert draw_outs(parse_cards(cards), parse_cards(board)) == outs


# --- everywhere --------------------------------------------------------------------------------------------


@given(holdem_games(), st.integers(0, 2**32))
def test_preflop_only_checks_and_calls_after_the_flop(game: rules.GameDefinition, seed: int) -> None:
    bot, whole = at_table(game, preflop_only=True), at_table(game)
    for view in decisions(game, seed):
        begin_decision(bot, view)
        begin_decision(whole, view)
        if view.betting_round:
            assert bot.choose_action(view) == rules.CALL
        else:
            assert bot.choose_action(view) == whole.choose_action(view)


@pytest.mark.slow
@pytest.mark.parametrize("dealer", DEALERS)
def test_both_sparring_partners_play_at_a_dealer_as_in_the_arena(dealer: str | None, tmp_path: Path) -> None:
    names = ["simple", "simple", "hand-strength", "random", "always-call", "random"]
    options: list[tuple[str, ...]] = [(), ("--set", "preflop-only"), (), (), (), ()]
    players = [
        bot(name, "--seed", str(seed), "--wait", "10", "--game", "short6.game", *settings)
        for seed, (name, settings) in enumerate(zip(names, options, strict=True))
    ]
    seats = [f"p{seat}" for seat in range(6)]
    played = play_match(["m", "short6.game", "60", "5", *seats], players, tmp_path, dealer)

    agents: list[Agent] = [SimpleBot(), SimpleBot(True), HandStrengthBot(), Random(), AlwaysCall(), Random()]
    for seed, agent in enumerate(agents):
        agent.seed = seed
    lines: list[str] = []
    arena = Arena(rules.load_game(str(GOLDEN / "short6.game")), agents, 5, names=seats, seed_agents=False)
    arena.play(60, record=lines.append)
    assert (played.status, played.statuses) == (0, [0] * 6), played.errors
    assert played.log == [line.rstrip("\n") for line in [*lines, arena.score_line()]]


# --- Every baseline's choices, over random games and hands, against what the rules allow --------------------


def view_after(game_name: str, *actions: str) -> rules.HandView:
    """What the position to act sees after some actions in the first hand of seed 7."""
    game = rules.load_game(game_name)
    hand = rules.play_hand(game, 0, rules.CardDealer(game, 7).deal())
    state = next(hand)
    for action in actions:
        state = hand.send(
            {"f": rules.FOLD, "c": rules.CALL, "r": rules.LIMIT_RAISE}.get(action)
            or rules.raise_to(int(action[1:]))
        )
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
        (AlwaysCall(), [rules.CALL] * 5),
        (AlwaysFold(), [rules.FOLD, rules.CALL, rules.FOLD, rules.FOLD, rules.FOLD]),
        (AlwaysRaise(), [rules.LIMIT_RAISE, rules.LIMIT_RAISE, rules.CALL, rules.raise_to(500), rules.CALL]),
        (
            AlwaysAllIn(),
            [rules.LIMIT_RAISE, rules.LIMIT_RAISE, rules.CALL, rules.raise_to(20000), rules.CALL],
        ),
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
    view: rules.HandView, triple: tuple[float, float, float]
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

    assert agent.choose_action(view) == rules.raise_to(20000)


@pytest.mark.parametrize("weights", [(-1, 1, 1), (0, 0, 1), (0.1, 1, -0.1), (float("nan"), 1, 1)])
def test_impossible_weights_are_refused(weights: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="expected weights"):
        Random(*weights)
