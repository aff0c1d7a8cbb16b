"""The state and the action values (Poker Learner 4.2.1.4)."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, Random
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.learners.preflop import action_values, state as states
from engine.hands.hand_rank import hand_rank
from engine.players.statistics import PlayerStatistics, PlayingStyle, style_as_meant, style_as_printed
from engine.poker.cards import parse_cards
from engine.poker.combos import starting_hand
from engine.poker.rules import HandView, load_game, parse_betting

# --- The state ----------------------------------------------------------------------------------------------


@given(st.integers(0, 168), st.integers(0, 2), st.integers(0, 500), st.integers(0, 2))
def test_a_key_has_all_variables_in_it(group: int, position: int, last_player: int, last_action: int) -> None:
    key = states.state_key(group, position, last_player, last_action)

    assert states.split_key(key) == states.StateVariables(group, position, last_player, last_action)


def test_hands_of_the_same_ranks_are_one_group_but_for_suited_ones() -> None:
    for card, other in itertools.permutations(range(52), 2):
        assert states.HAND_GROUP[52 * card + other] == starting_hand(card, other)
    assert len(set(states.HAND_GROUP)) == 169


@pytest.mark.parametrize(
    ("game", "positions"),
    [
        ("limit-2p", "el"), ("nolimit-2p", "el"), ("nolimit-3p", "eml"), ("nolimit-6p", "eemmll"),
        ("limit-10p", "eeemmmmlll"),
    ],
)  # fmt: skip
def test_the_button_is_late_and_who_acts_first_after_the_flop_is_early(game: str, positions: str) -> None:
    found = states.button_positions(load_game(game))

    assert "".join(states.POSITIONS[index][0] for index in found) == positions


@pytest.mark.parametrize(
    ("game", "betting", "position", "action"),
    [
        ("nolimit-2p", "", 0, "blind"),  # the big blind is in position 0 heads-up
        ("nolimit-2p", "c", 1, "call"),
        ("nolimit-2p", "r300", 1, "raise"),
        ("nolimit-2p", "cr300", 0, "raise"),
        ("nolimit-6p", "", 1, "blind"),
        ("nolimit-6p", "ff", 1, "blind"),
        ("nolimit-6p", "cff", 2, "call"),
        ("nolimit-6p", "r300c", 3, "call"),
        ("nolimit-6p", "r300cff", 3, "call"),
        ("nolimit-6p", "r300r900f", 3, "raise"),
        ("nolimit-6p", "r300ffffr900", 1, "raise"),
        ("nolimit-6p", "r20000c", 3, "raise"),  # all in is a raise, also where none is allowed any more
        ("nolimit-6p", "r19900c", 3, "call"),
        ("limit-3p", "rc", 0, "call"),
    ],
)
def test_the_last_player_is_who_last_called_or_raised(
    game: str, betting: str, position: int, action: str
) -> None:
    state = parse_betting(load_game(game), betting)

    found, index = states.last_caller_or_raiser(state)

    assert (found, states.ACTIONS[index]) == (position, action)


# --- playing styles -----------------------------------------------------------------------------------------

TA, TP = PlayingStyle.TIGHT_AGGRESSIVE, PlayingStyle.TIGHT_PASSIVE
LA, LP = PlayingStyle.LOOSE_AGGRESSIVE, PlayingStyle.LOOSE_PASSIVE


class Watcher(AlwaysCall):
    """Calls, and keeps both tables and the engine's statistics of seat 1."""

    def __init__(self) -> None:
        self.tables: dict[str, states.StyleTable] = {}
        self.statistics = PlayerStatistics()

    def match_started(self, game, seat):  # type: ignore[no-untyped-def]
        classifiers: tuple[states.Classifier, ...] = ("as-meant", "as-printed")
        self.tables = {name: states.StyleTable(game.num_players, name) for name in classifiers}

    def hand_finished(self, view: HandView) -> None:
        for table in self.tables.values():
            table.observe_hand(view.betting, self.seat_of(view, 0))
        position = (1 - self.seat_of(view, 0)) % view.game.num_players
        self.statistics.observe_hand(view.betting, position, None)


def styles(game: str, others: list[Agent], classifier: str, hands: int = 60) -> list[PlayingStyle]:
    watcher = Watcher()
    Arena(load_game(game), [watcher, *others], 5).play(hands)
    table = watcher.tables[classifier]
    return [PlayingStyle(number) for number in table.numbers[1 : len(others) + 1]]


@pytest.mark.parametrize(
    ("classifier", "kinds", "expected"),
    [
        *(("as-meant", [AlwaysAllIn] * others, [LA] * others) for others in (1, 2, 5)),
        *(("as-meant", [AlwaysCall] * others, [LP] * others) for others in (1, 2, 5)),
        ("as-meant", [AlwaysCall, *[AlwaysAllIn] * 4], [LP, LA, LA, LA, LA]),
        ("as-meant", [AlwaysFold, AlwaysAllIn], [TP, LA]),
        *(("as-printed", [AlwaysAllIn] * others, [TP] * others) for others in (1, 5)),
    ],
)
def test_the_style_of_players_who_always_do_the_same(
    classifier: str, kinds: list[type[Agent]], expected: list[PlayingStyle]
) -> None:
    game = f"nolimit-{len(kinds) + 1}p"

    assert styles(game, [kind() for kind in kinds], classifier) == expected


def test_always_call_is_loose_passive_in_limit_as_well() -> None:
    assert styles("limit-10p", [AlwaysCall() for _ in range(9)], "as-meant") == [LP] * 9


@pytest.mark.parametrize(
    ("hands", "flops", "calls", "raises", "meant", "printed"),
    [
        (0, 0, 0, 0, TP, TP),
        (100, 28, 0, 0, TP, TP),
        (100, 29, 0, 0, LP, TP),
        (100, 28, 10, 11, TA, TA),
        (100, 29, 10, 11, LA, TA),
        (100, 100, 10, 10, LP, TP),  # an aggression of 1 is passive
        (100, 100, 0, 50, LA, TP),  # the figure: "AF = 1; if (ncalls != 0) ..."
        (100, 5, 0, 5, TA, TP),
    ],
)
def test_the_thresholds(
    hands: int, flops: int, calls: int, raises: int, meant: PlayingStyle, printed: PlayingStyle
) -> None:
    assert style_as_meant(hands, flops, calls, raises) is meant
    assert style_as_printed(hands, flops, calls, raises) is printed


@given(st.integers(0, 1000), st.floats(0, 1), st.integers(0, 1000), st.integers(0, 1000))
def test_as_printed_nobody_is_ever_loose(hands: int, share: float, calls: int, raises: int) -> None:
    assert style_as_printed(hands, int(share * hands), calls, raises) in (TA, TP)


@pytest.mark.parametrize("game", ["limit-2p", "nolimit-3p", "limit-10p"])
def test_as_printed_counts_are_the_engines(game: str) -> None:
    others: list[Agent] = [Random() for _ in range(load_game(game).num_players - 1)]
    watcher = Watcher()
    Arena(load_game(game), [watcher, *others], 5).play(80)

    counted = watcher.statistics
    assert PlayingStyle(watcher.tables["as-printed"].numbers[1]) is style_as_printed(
        counted.hands, counted.flops_seen, counted.calls, counted.bets_and_raises
    )
    assert watcher.tables["as-printed"].counts[1] == [
        counted.flops_seen,
        counted.calls,
        counted.bets_and_raises,
    ]


# --- Action values ------------------------------------------------------------------------------------------

ALL_RULES = [action_values.RULES[action][verdict] for action in range(3) for verdict in (1, -1)]

some_values = st.lists(st.integers(0, 10_000), min_size=3, max_size=3).map(lambda three: [*three, 0, 0, 0])


def agent(seed: int) -> Agent:
    player = Agent()
    player.seed = seed
    return player


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        # "increment the value of Fold and decrement the value of Call and Raise"
        (action_values.INCREMENT_FOLD, (51, 49, 49)),
        # "decrement the value of Fold two times; the values of Call and Raise are incremented normally"
        (action_values.DECREMENT_FOLD, (48, 51, 51)),
        # "increment the value of Call, increment the value of Raise two times", decrement that of Fold
        (action_values.INCREMENT_CALL, (49, 51, 52)),
        # "decrement Call two times, decrement the value of Raise four times and increment Fold"
        (action_values.DECREMENT_CALL, (51, 48, 46)),
        # "increment the value of Raise and decrement the values of both Call and Fold"
        (action_values.INCREMENT_RAISE, (49, 49, 51)),
        # "decrement the value of Raise two times and increment the values of Call and Fold"
        (action_values.DECREMENT_RAISE, (51, 51, 48)),
    ],
)
def test_each_rule_does_what_the_thesis_says(rule: action_values.Rule, after: tuple[int, int, int]) -> None:
    values = [50, 50, 50, 7, 20, 30]

    action_values.apply_rule(values, rule)

    assert values == [*after, 8, 20, 30]


@given(some_values, st.lists(st.sampled_from(ALL_RULES), max_size=200))
def test_after_any_updates_the_chances_are_a_distribution(
    values: list[int], rules: list[action_values.Rule]
) -> None:
    for rule in rules:
        action_values.apply_rule(values, rule)

    assert values[action_values.UPDATES] == len(rules)
    for triple in (action_values.proportional_triple(values), action_values.greedy_triple(values)):
        assert min(triple) >= 0
        assert sum(triple) == pytest.approx(1)


@given(some_values, st.integers(0, 2**32))
def test_what_is_chosen_has_a_chance(values: list[int], seed: int) -> None:
    assert action_values.greedy_triple(values)[action_values.best_action(values, agent(seed))] > 0
    assert action_values.proportional_triple(values)[action_values.drawn_action(values, agent(seed))] > 0


@pytest.mark.parametrize(
    ("values", "chances"),
    [([5, 5, 0], (0.5, 0.5, 0)), ([0, 0, 0], (1 / 3, 1 / 3, 1 / 3)), ([1, 7, 7], (0, 0.5, 0.5))],
)
def test_equal_values_are_taken_equally_often(values: list[int], chances: tuple[float, ...]) -> None:
    full = [*values, 0, 0, 0]
    taken = Counter(action_values.best_action(full, agent(seed)) for seed in range(3000))

    assert action_values.greedy_triple(full) == pytest.approx(chances)
    assert [taken[action] / 3000 for action in range(3)] == pytest.approx(chances, abs=0.05)


@pytest.mark.parametrize(
    ("values", "chances"),
    [([26, 31, 43], (0.26, 0.31, 0.43)), ([0, 4, 96], (0, 0.04, 0.96)), ([0, 0, 0], (1 / 3, 1 / 3, 1 / 3))],
)
def test_actions_are_drawn_in_proportion(values: list[int], chances: tuple[float, ...]) -> None:
    full = [*values, 0, 0, 0]
    drawn = Counter(action_values.drawn_action(full, agent(seed)) for seed in range(5000))

    assert action_values.proportional_triple(full) == pytest.approx(chances)
    assert [drawn[action] / 5000 for action in range(3)] == pytest.approx(chances, abs=0.03)


def test_values_begin_uniform_from_0_to_99_and_unrelated() -> None:
    started = [action_values.start_values(1, key) for key in range(20_000)]

    for index in (
        action_values.FOLD,
        action_values.CALL,
        action_values.RAISE,
        action_values.HOLE_CARDS,
        action_values.WINNING_HAND,
    ):
        counts = Counter(values[index] for values in started)
        assert set(counts) == set(range(100))
        assert max(counts.values()) < 280  # expected 200, standard deviation 14
    assert all(values[action_values.UPDATES] == 0 for values in started)
    equal = sum(values[action_values.FOLD] == values[action_values.CALL] for values in started)
    assert equal == pytest.approx(200, abs=75)


def test_the_start_depends_on_the_seed_and_the_state_alone() -> None:
    assert action_values.start_values(1, 5) == action_values.start_values(1, 5)
    assert action_values.start_values(1, 5) != action_values.start_values(2, 5)
    assert action_values.start_values(1, 5) != action_values.start_values(1, 6)


# --- verdicts -----------------------------------------------------------------------------------------------


def by_the_text(own: tuple[int, ...], opponent: tuple[int, ...]) -> int:
    """The text of 4.2.1.3, sentence by sentence."""
    c1, c2 = sorted((card >> 2 for card in own), reverse=True)
    card1, card2 = sorted((card >> 2 for card in opponent), reverse=True)
    if card1 == card2:
        if c1 != c2 or c1 < card1:
            return -1
        return 1 if c1 > card1 else 0
    if c1 == c2 or c1 > card1:
        return 1
    if c1 < card1:
        return -1
    return (c2 > card2) - (c2 < card2)


def test_every_two_hands_compare_as_the_text_says() -> None:
    hands = list(itertools.combinations(range(0, 52, 1), 2))
    rng = random.Random(4)
    for own in rng.sample(hands, 300):
        for opponent in rng.sample(hands, 300):
            assert action_values.compare_hole_cards(own, opponent) == by_the_text(own, opponent)


def test_each_opponent_gets_a_comparison() -> None:
    shown = [parse_cards(text) for text in ("2c2d", "Qc3s", "Kc5c")]

    assert action_values.hole_cards_verdicts(parse_cards("Kh5d"), shown) == [-1, 1, 0]


def test_readings_of_the_winner_differ_by_ties_and_by_how_many_are_compared() -> None:
    board, own = parse_cards("2cQs7d8h9c"), parse_cards("AhJs")
    shown = [parse_cards(text) for text in ("AcJd", "3s3d", "Kd5d")]

    assert action_values.winning_hand_verdicts(own, shown, board, "each") == [0, -1, 1]
    assert action_values.winning_hand_verdicts(own, shown[:1], board, "strict") == [0]
    assert action_values.winning_hand_verdicts(own, shown[:1], board, "ties-win") == [1]
    assert action_values.winning_hand_verdicts(own, shown, board, "ties-win") == [-1]


def test_the_winner_is_the_evaluators() -> None:
    rng = random.Random(9)
    for _ in range(500):
        deck = rng.sample(range(52), 13)
        own, board, shown = tuple(deck[:2]), tuple(deck[2:7]), [tuple(deck[k : k + 2]) for k in (7, 9, 11)]
        ours, best = hand_rank((*own, *board)), max(hand_rank((*other, *board)) for other in shown)

        assert action_values.winning_hand_verdict(own, shown, board) == (ours > best) - (ours < best)
