"""The heuristic bot and the hand-strength bot: what they know of their hands, and what they do with it."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise

import attrs
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysFold
from clients.bots.hand_strength import HandStrengthBot
from clients.bots.heuristic import evaluation as weighed
from clients.bots.heuristic.agent import Heuristic, chances_of
from clients.bots.heuristic.preflop import preflop_triple
from clients.bots.heuristic.store import Experience, raises_met
from clients.bots.percentiles import starting_hand_percentiles
from clients.core.agent import Agent, drawn
from clients.core.arena import Arena
from engine.hands import hand_strength
from engine.players.betting_chains.chains import ChainEnding
from engine.players.board_values import board_values
from engine.poker import rules
from engine.poker.cards import format_cards, parse_cards, parse_written_cards
from engine.poker.combos import NUM_COMBOS, combo_index, format_combo
from engine.poker.rules.hand_rank import hand_rank
from tests.engine.players.hands import random_hand
from tests.support.hands.holdem_hands import view_with
from tests.support.hands.views import deciding, seated, view_after

# --- The heuristic bot as a player --------------------------------------------------------------------------


def with_cards(view: rules.HandView, hole: str, board: str = "") -> rules.HandView:
    """The same with our cards, and a board, laid by hand."""
    cards = tuple(parse_written_cards(hole))
    holes = tuple(cards if p == view.position else () for p in range(view.game.num_players))
    return attrs.evolve(
        view, hole_cards=holes, board=tuple(parse_written_cards(board)) if board else view.board
    )


# --- at the table ------------------------------------------------------------------------------------------


def test_its_triple_is_that_of_its_chances_and_its_action_is_one_of_them() -> None:
    for seed in range(8):
        for betting in ("", "cc/", "cc/r300", "r300c/cc/r600"):
            view = view_after("nolimit-2p", betting, seed)
            agent = deciding(Heuristic(), view)
            chances = agent.chances(view)
            triple = agent.probability_triple(view)

            assert sum(triple) == pytest.approx(1)
            assert all(action in view.legal_actions() for action in chances)
            assert agent.choose_action(view) in chances
            raises = sum(
                chance for action, chance in chances.items() if action.kind is rules.ActionKind.RAISE
            )
            assert triple.raise_ == pytest.approx(raises)


# --- what it remembers -------------------------------------------------------------------------------------


def ends_against(agent: Heuristic, other: Agent, hands: int) -> list[rules.HandState]:
    ends: list[rules.HandState] = []
    Arena(rules.load_game("limit-2p"), [agent, other], 4).play(
        hands, on_hand=lambda state, _: ends.append(state)
    )
    return ends


def test_it_learns_who_never_folds_and_who_always_does() -> None:
    callers, folders = Heuristic(), Heuristic()
    ends_against(callers, AlwaysCall(), 80)
    ends_against(folders, AlwaysFold(), 80)

    assert callers.experience.of_seat(1).fold_rate < 0.1
    assert folders.experience.of_seat(1).fold_rate > 0.45
    assert callers.experience.of_seat(1).bet_rate < 0.2


def test_what_opponents_show_is_drawn_towards_an_ordinary_player() -> None:
    """The first 8 showdowns after one bet met count as much as .65 does."""
    experience = Experience()
    hands = [state for seed in range(400) for state in random_hand("limit-2p", seed)[-1:]]
    met = [hand for hand in hands if hand.betting.is_showdown and raises_met(hand.betting, 0) == 1]
    assert experience.strength_met(1) == 0.65
    total = 0.0
    for hand in met[:8]:
        experience.hand_finished(hand.view(0))
        strengths = board_values(hand.board).strengths(hand_strength.UNIFORM_WEIGHTS)
        total += float(strengths[combo_index(*hand.deal.hole_cards[1])])

    assert experience.strength_met(1) == pytest.approx((total + 8 * 0.65) / 16)
    assert experience.strength_met(2) == 0.75


def test_what_was_seen_counts_in_a_line_from_enough_to_four_times_enough() -> None:
    shares = [weighed.trust(hands, 30) for hands in range(200)]

    assert shares[30] == 0
    assert shares[75] == pytest.approx(0.5)
    assert shares[120] == 1
    assert all(0 <= later - before <= 1 / 90 + 1e-12 for before, later in pairwise(shares))


@pytest.mark.parametrize("method", [weighed.DirectEstimation, weighed.StrategicMethod])
def test_experience_changes_values_and_never_by_leaps(
    method: type[weighed.DirectEstimation | weighed.StrategicMethod],
) -> None:
    """A player who always folds to a bet on the flop: a bet comes to be worth the pot."""
    betting = rules.parse_betting(rules.load_game("limit-2p"), "cc/")
    question = weighed.Question(betting, rules.LIMIT_RAISE, 0.2, {1: 0.3, 0: 0.3}, 0.4, 0.15, 0.5)
    experience = Experience()
    evaluation = method(experience, 10)
    folded = betting.apply(rules.LIMIT_RAISE).apply(rules.FOLD)
    view = rules.HandView(folded, question.position, 0, ((), ()), (0, 5, 10))
    values = []
    for _ in range(60):
        values.append(evaluation.value(question))
        experience.hand_finished(view)

    assert values[0] == values[10]
    assert values[-1] == pytest.approx(betting.pot)
    assert max(abs(later - before) for before, later in pairwise(values)) < 0.1 * betting.pot


# --- evaluation --------------------------------------------------------------------------------------------


def test_the_hand_strength_is_equation_6() -> None:
    view = with_cards(view_after("limit-2p", "cc/"), "AhJd", "Js8c4s")
    cards = view.own_cards, view.board
    potential = hand_strength.hand_potential(*cards, look_ahead=1)

    expected = hand_strength.effective_hand_strength_npot(
        hand_strength.hand_strength(*cards).value, potential.positive, potential.negative
    )

    assert deciding(Heuristic(), view).hand_strength(view) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("game", ["limit-2p", "nolimit-2p", "limit-6p", "nolimit-6p"])
def test_the_chances_of_the_scenarios_add_up_to_one(game: str) -> None:
    seen = 0
    for seed in range(80):
        for state in random_hand(game, seed):
            position = state.position_to_act
            if position is None or state.betting.betting_round == 0:
                continue
            view = state.view(position)
            agent = deciding(Heuristic(), view)
            legal = state.legal_actions()
            for action in (rules.CALL, *((legal.raising_to(),) if legal.can_raise else ())):
                folds = (
                    agent.predictor.fold_chances(view, state.betting.apply(action))
                    if action != rules.CALL
                    else {}
                )
                prospects = weighed.rough_prospects(
                    weighed.Question(state.betting, action, 0.3, folds, 0.4, 0.2, 0.65)
                )
                chances = [prospects.of(ending).chance for ending in ChainEnding]

                assert sum(chances) == pytest.approx(1)
                assert all(0 <= chance <= 1 for chance in chances)
                assert 0.5 <= prospects.opponent_strength <= 1
                seen += 1
    assert seen > 100


def test_calling_on_the_river_is_worth_its_price() -> None:
    """Nothing can follow: chance to win times the pot after the call, less the call."""
    betting = rules.parse_betting(rules.load_game("limit-2p"), "cc/cc/cc/r")
    prospects = weighed.rough_prospects(weighed.Question(betting, rules.CALL, 0.6, {}, 0.4, 0.2, 0.65))

    showdown = prospects.of(ChainEnding.SHOWDOWN)

    assert (showdown.chance, showdown.pot, showdown.bets) == (1.0, 60.0, 20.0)
    assert prospects.opponent_strength == 0.65


def test_good_hands_bet_and_hopeless_ones_give_up() -> None:
    facing, nuts = view_after("limit-2p", "cc/r"), "AhAd"
    hopeless = with_cards(facing, "3h2d", "KsQcJs")
    strong = with_cards(facing, nuts, "As8c4s")

    assert deciding(Heuristic(), hopeless).probability_triple(hopeless).fold > 0.9
    assert deciding(Heuristic(randomness=0), strong).probability_triple(strong).raise_ == 1


# --- choosing ----------------------------------------------------------------------------------------------


def test_only_profitable_actions_are_chosen_and_the_better_ones_more_often() -> None:
    values = {rules.CALL: 1.0, rules.LIMIT_RAISE: 2.0}

    assert chances_of(values, 0.5, can_fold=True) == pytest.approx({rules.CALL: 0.2, rules.LIMIT_RAISE: 0.8})
    assert chances_of({rules.CALL: 1.0, rules.LIMIT_RAISE: -3.0}, 0.5, can_fold=True) == {rules.CALL: 1.0}
    assert chances_of({rules.CALL: -1.0, rules.LIMIT_RAISE: 0.0}, 0.5, can_fold=True) == {rules.FOLD: 1.0}
    assert chances_of({rules.CALL: 0.0}, 0.5, can_fold=False) == {rules.CALL: 1.0}
    assert chances_of(values, 0.0, can_fold=True) == {rules.LIMIT_RAISE: 1.0}
    leading = chances_of(values, 0.5, can_fold=True, raising=1.5)
    assert leading == pytest.approx({rules.CALL: 1 / 7, rules.LIMIT_RAISE: 6 / 7})


def test_actions_are_drawn_as_often_as_their_chances_say() -> None:
    agent = Heuristic()
    chances = {rules.CALL: 0.25, rules.raise_to(300): 0.75}
    counts: Counter[str] = Counter()
    for seed in range(4000):
        agent.seed, agent._rng = seed, None
        counts[str(drawn(chances, agent.rng))] += 1

    assert counts["c"] == pytest.approx(1000, abs=4 * (4000 * 0.25 * 0.75) ** 0.5)


def test_the_player_who_led_before_bets_more_often() -> None:
    more = 0
    for seed in range(10):
        for betting in ("rc/c", "cc/"):
            view = view_after("limit-2p", betting, seed)
            on = deciding(Heuristic(), view).probability_triple(view).raise_
            off = deciding(Heuristic(aggression=False), view).probability_triple(view).raise_

            if betting == "cc/":
                assert on == off
            else:
                assert on >= off
                more += on > off
    assert more >= 3


@pytest.mark.parametrize(
    ("betting", "hole", "triple"),
    [
        ("", "AhAd", (0, 0.2, 0.8)), ("", "Th3d", (0, 0.7, 0.3)), ("", "3h2d", (0.4, 0.6, 0)),
        ("c", "3h2d", (0, 1, 0)), ("r", "AhAd", (0, 0.3, 0.7)), ("r", "Kh7d", (0, 1, 0)),
        ("r", "3h2d", (0.7, 0.3, 0)), ("rr", "AhAd", (0, 0.5, 0.5)), ("rr", "Ah4d", (0, 1, 0)),
        ("rr", "3h2d", (1, 0, 0)),
    ],
)  # fmt: skip
def test_the_rules_before_the_flop(betting: str, hole: str, triple: tuple[float, ...]) -> None:
    view = with_cards(view_after("limit-2p", betting), hole)

    assert preflop_triple(view) == pytest.approx(triple)


def test_an_ante_is_not_left_to_pay_a_call_with() -> None:
    game = rules.load_game("nolimit-2p")
    triples = []
    for stacked in (
        attrs.evolve(game, stacks=(400, 400)),
        attrs.evolve(game, stacks=(500, 500), antes=(100, 100)),
    ):
        state = rules.HandState(rules.parse_betting(stacked, "r250"), 0, rules.CardDealer(stacked, 1).deal())
        view = state.view(0)
        hands = [format_combo(combo) for combo in range(0, NUM_COMBOS, 7)]
        triples.append([preflop_triple(with_cards(view, hand)) for hand in hands])

    assert triples[0] == triples[1]


def test_at_a_full_table_fewer_hands_are_played_and_from_early_seats_fewest() -> None:
    early, late = view_after("limit-6p", ""), view_after("limit-6p", "fff")
    middling = "Jh9d"

    assert preflop_triple(with_cards(early, middling)).fold == 1
    assert preflop_triple(with_cards(late, middling)).fold == 0
    assert preflop_triple(with_cards(early, "AhAd")).raise_ == pytest.approx(0.8)


# --- The hand-strength bot ----------------------------------------------------------------------------------

LIMIT, NO_LIMIT = rules.load_game("limit-2p"), rules.load_game("nolimit-2p-100bb")
NO_LIMIT_6P = rules.load_game("nolimit-6p-100bb")


# --- the starting hands ------------------------------------------------------------------------------------


def test_percentiles_of_starting_hands_are_those_of_a_count_by_equity() -> None:
    # Aces lose to nothing and tie with six combos, themselves included; 32o is the worst hand there is.
    table = starting_hand_percentiles(2)

    assert table[52 * 51 + 50] == table[52 * 48 + 51] == pytest.approx(1 - 3 / 1326)
    assert table[52 * 5 + 0] == pytest.approx(6 / 1326)  # 3d2c: twelve combos of 32o, half of them counted


@pytest.mark.parametrize("players", range(2, 11))
def test_percentiles_average_to_a_half(players: int) -> None:
    table = starting_hand_percentiles(players)
    combos = list(combinations(range(52), 2))

    assert sum(table[52 * a + b] for a, b in combos) / len(combos) == pytest.approx(0.5)
    assert all(table[52 * a + b] == table[52 * b + a] for a, b in combos)
    assert max(table) == table[52 * 51 + 50]  # aces are best at every table


def test_starting_hands_of_other_numbers_of_players_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 2 to 10"):
        starting_hand_percentiles(11)


# --- the strength ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("board_size", [3, 4, 5])
def test_strength_is_the_share_of_hands_that_are_worse(board_size: int) -> None:
    rng = random.Random(board_size)
    for _ in range(3):
        cards = rng.sample(range(52), 2 + board_size)
        hole, board = tuple(cards[:2]), tuple(cards[2:])
        bot = seated(HandStrengthBot(), NO_LIMIT)
        streets = ["c", "c"] + ["c", "c"] * (board_size - 3)
        view = view_with(NO_LIMIT, hole, board, *streets)

        ours = hand_rank((*hole, *board))
        theirs = [hand_rank((*pair, *board)) for pair in combinations(sorted(set(range(52)) - set(cards)), 2)]
        worse = sum(rank < ours for rank in theirs) + sum(rank == ours for rank in theirs) / 2

        assert bot.strength(view) == pytest.approx(worse / len(theirs)), format_cards(cards)


def test_strength_against_several_is_the_product() -> None:
    hole, board = tuple(parse_cards("AsKd")), tuple(parse_cards("Ac7h2d"))
    alone = seated(HandStrengthBot(), NO_LIMIT).strength(view_with(NO_LIMIT, hole, board, "c", "c"))

    # Six players, two have folded: three opponents are left.
    view = view_with(NO_LIMIT_6P, hole, board, "c", "f", "f", "c", "c", "c")

    assert seated(HandStrengthBot(), NO_LIMIT_6P).strength(view) == pytest.approx(alone**3)


def test_the_plain_bot_ignores_the_number_of_opponents() -> None:
    hole, board = tuple(parse_cards("AsKd")), tuple(parse_cards("Ac7h2d"))
    actions = ["c", "f", "f", "c", "c", "c"]
    alone = seated(HandStrengthBot(), NO_LIMIT).strength(view_with(NO_LIMIT, hole, board, "c", "c"))
    plain = HandStrengthBot(plain=True)
    plain.match_started(NO_LIMIT_6P, 0)

    assert plain.strength(view_with(NO_LIMIT_6P, hole, board, *actions)) == alone


# --- what it does ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "actions", "expected"),
    [
        ("7s2d", ["r200"], rules.FOLD),  # a bad hand, whatever the price
        ("7s2d", ["r4"], rules.FOLD),
        ("7s2d", ["c"], rules.CALL),  # where checking is free
        ("Js7d", ["r200"], rules.CALL),  # a middling one, whatever the price
        ("Js7d", [], rules.CALL),
        ("Js8d", ["c"], rules.raise_to(4)),  # a bet, although of half the pot only
        ("AsAd", [], rules.raise_to(6)),  # a raise of the pot of 4 that is there after the call
        ("AsAd", ["r6"], rules.raise_to(18)),
        ("AsAd", ["r6", "r18"], rules.CALL),  # the third raise is not its own
    ],
)
def test_before_the_flop(cards: str, actions: list[str], expected: object) -> None:
    view = view_with(NO_LIMIT, tuple(parse_cards(cards)), (), *actions)

    assert seated(HandStrengthBot(), NO_LIMIT).choose_action(view) == expected


@pytest.mark.parametrize(
    ("cards", "actions", "expected"),
    [
        ("3s2d", ["c", "c"], rules.CALL),
        ("3s2d", ["c", "c", "r4"], rules.FOLD),
        ("AsQd", ["c", "c"], rules.raise_to(4)),  # ace high: half the pot of 4
        ("KsKc", ["c", "c"], rules.raise_to(6)),  # a set: the pot
        ("AsQd", ["c", "c", "r200"], rules.CALL),
    ],
)
def test_after_the_flop(cards: str, actions: list[str], expected: object) -> None:
    view = view_with(NO_LIMIT, tuple(parse_cards(cards)), tuple(parse_cards("Kh9c5d")), *actions)

    assert seated(HandStrengthBot(), NO_LIMIT).choose_action(view) == expected


def test_limit_raises_have_no_size() -> None:
    view = view_with(LIMIT, tuple(parse_cards("AsAd")), ())

    assert seated(HandStrengthBot(), LIMIT).choose_action(view) == rules.LIMIT_RAISE
