"""Weight tables: Fig. 3.6 and 3.7 as orderings, what has no weight, starting anywhere."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.kernels.players.reweighting import LEAST_CHANCE, reweight
from engine.players.action_context import positions_in
from engine.players.board_values import board_values
from engine.players.models.generic import GenericModel
from engine.players.models.model import Decision, NoModel, OpponentModel
from engine.players.models.player import PlayerModel
from engine.players.table_reader import TableReader
from engine.players.weight_table import WeightTable, format_grid
from engine.poker.combos import (
    NUM_COMBOS,
    STARTING_HAND_NAMES,
    combo_index,
    combos_without,
    parse_starting_hand,
)
from engine.poker.rules import CardDealer, initial_hand, load_game, parse_betting
from tests.engine.players.hands import cards, random_hand, reader_after
from tests.support.asserting import refuses

# --- table reader -------------------------------------------------------------------------------------------

FLOP = "Js8c4s"
CALLED, RAISED = "cffffffcfc/ccr", "cffffffrfcc/ccr"  # the button calls or raises, and bets on the flop
BUTTON = 9


def table_after(
    betting: str, board: str = "", position: int = BUTTON, game: str = "limit-10p"
) -> WeightTable:
    return reader_after(betting, board, game).table(position)


def generic_triple(betting: str, board: str, hand: str) -> list[float]:
    """What the generic model does with a hand, ten-handed."""
    reader = reader_after(betting, board, "limit-10p")
    decision = reader.decision(parse_betting(load_game("limit-10p"), betting))
    found: list[float] = GenericModel().triples(decision)[combo_index(*cards(hand))].tolist()
    return found


def weight(table: WeightTable, hand: str) -> float:
    return float(table.grid()[parse_starting_hand(hand)])


@pytest.mark.parametrize(("betting", "position", "game"), [("r", 2, "limit-10p"), ("r", 1, "limit-2p")])
def test_after_a_raise_before_the_flop(betting: str, position: int, game: str) -> None:
    """Fig. 3.6, right: strong weights only for the very good hands."""
    table = table_after(betting, position=position, game=game)

    assert weight(table, "AA") > weight(table, "AKs") > weight(table, "72o")
    assert weight(table, "72o") < 0.02


@pytest.mark.parametrize(("betting", "position", "game"), [("f", 2, "limit-10p"), ("f", 1, "limit-2p")])
def test_after_a_fold_before_the_flop(betting: str, position: int, game: str) -> None:
    """Fig. 3.6, left: the weak hands are darkest, and the folded player's table has the fold."""
    table = table_after(betting, position=position, game=game)

    assert weight(table, "72o") == table.grid().max()
    assert weight(table, "AA") < 0.02


def test_after_a_call_before_the_flop() -> None:
    """Fig. 3.6, middle: the high weights are in the middle."""
    table = table_after("cffffffc")

    assert weight(table, "T9s") > 5 * weight(table, "AA")
    assert weight(table, "T9s") > 5 * weight(table, "72o")


def test_after_a_call_and_a_bet_on_the_flop() -> None:
    """Fig. 3.7, left."""
    table = table_after(CALLED, FLOP)
    grid = table.grid()

    assert weight(table, "K8o") > weight(table, "83o")
    assert weight(table, "J8s") > weight(table, "83s")
    assert weight(table, "JJ") < 0.05
    # The suited half is darker than the unsuited one, for hands that have no pair with the board.
    names = [name for name in STARTING_HAND_NAMES if name[0] != name[1] and not set(name[:2]) & set("J84")]
    suited = np.mean([grid[parse_starting_hand(name)] for name in names if name.endswith("s")])
    unsuited = np.mean([grid[parse_starting_hand(name)] for name in names if name.endswith("o")])
    assert suited > 1.2 * unsuited


def test_the_papers_ace_king_is_at_40_and_its_72_at_01_after_a_call() -> None:
    """Poki 3.3.3: 72 would normally be folded, AK seldom folded but often raised: after two raises."""
    chances = generic_triple("rrfffff", "", "AhKs")
    table = table_after("rrfffffc")

    assert chances == pytest.approx((0, 0.40, 0.60), abs=0.01)
    assert weight(table, "AKo") == pytest.approx(0.40, abs=0.01)
    assert weight(table, "72o") == pytest.approx(0.01)


def test_ace_jack_is_light_after_a_call_since_the_generic_model_raises_it() -> None:
    """Fig. 3.7, left, where ours deviates: what the model does with AJ at each step."""
    before, flop = generic_triple("cffffff", "", "AhJc"), generic_triple("cffffffcfc/cc", FLOP, "AhJc")

    assert before == pytest.approx((0, 0.01, 0.99), abs=0.005)  # behind one caller it raises
    assert flop == pytest.approx((0, 0.05, 0.95), abs=0.005)  # and bets the pair of jacks
    assert weight(table_after(CALLED, FLOP), "AJo") < 0.02


def test_any_jack_but_a_pair_stays_likely_of_a_player_who_seldom_raises() -> None:
    """Fig. 3.7, left, of a player who was seen to raise 2 % of the hands, the best, and to call 23 %."""
    rng, seldom = np.random.default_rng(1), PlayerModel()
    decisions = [decision_after(betting, "limit-10p") for betting in ("cffffff", "fffffff", "ccfffff")]
    for combo in rng.integers(NUM_COMBOS, size=600).tolist():
        decision = decisions[combo % 3]
        action = int(np.searchsorted((0.75, 0.98), decision.values.share[combo]))
        seldom.learn([(decision, action)], combo)
    table = reader_after(CALLED, FLOP, "limit-10p", [*[GenericModel()] * 9, seldom]).table(BUTTON)

    for hand in ("AJo", "KJo", "QJo"):
        assert weight(table, hand) > weight(table, "JJ")
        assert weight(table, hand) > 2.5 * weight(table, "AKo")
        assert weight(table, hand) > 10 * weight(table, "72o")


def decision_after(betting: str, game: str = "limit-2p", board: str = "") -> Decision:
    """The decision of the player to act after some betting."""
    return reader_after(betting, board, game).decision(parse_betting(load_game(game), betting))


def test_of_the_suited_hands_it_is_the_spades_that_bet() -> None:
    table = table_after(CALLED, FLOP)
    spades, hearts = (combo_index(*cards(text)) for text in ("Ts9s", "Th9h"))

    assert table.weights[spades] > table.weights[hearts]


def test_after_a_raise_and_a_bet_on_the_flop() -> None:
    """Fig. 3.7, right: JJ, AA and AK are higher than after the call, 44 is lower."""
    called, raised = table_after(CALLED, FLOP), table_after(RAISED, FLOP)

    for hand in ("JJ", "AA", "AKs", "AKo"):
        assert weight(raised, hand) > 5 * weight(called, hand)
    assert weight(raised, "44") < weight(called, "44")


def test_noise_1_leaves_all_tables_uniform() -> None:
    table = reader_after(RAISED, FLOP, "limit-10p", noise=1.0).table(BUTTON)

    assert table.weights == pytest.approx(combos_without(cards(FLOP)).astype(float))


def test_without_a_model_no_action_tells_anything() -> None:
    reader = reader_after("rrc/r", FLOP, models=[NoModel(), NoModel()])

    assert len(set(reader.reading.weights[0])) == 2  # known or not


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from(["limit-2p", "nolimit-3p", "limit-10p"]))
def test_tables_are_sound_in_every_hand_and_the_same_wherever_reading_began(seed: int, game: str) -> None:
    states = random_hand(game, seed)
    models: list[OpponentModel] = [PlayerModel() for _ in range(states[0].betting.game.num_players)]
    step_by_step = TableReader(models, 0.1)

    for state in states:
        step_by_step.follow(state.betting, state.board)
        for position in range(len(models)):
            weights = step_by_step.reading.weights[position]
            assert np.isfinite(weights).all()
            assert (weights >= 0).all()
            assert weights.any()
            assert not weights[~combos_without(state.board)].any()
    at_once = TableReader(models, 0.1)
    at_once.follow(states[-1].betting, states[-1].board)

    for position in range(len(models)):
        assert (at_once.reading.weights[position] == step_by_step.reading.weights[position]).all()
    assert len(at_once.reading.decisions()) == len(states) - 1


def test_a_reader_that_is_shown_another_hand_begins_anew() -> None:
    reader = reader_after("rc/r", FLOP)

    reader.follow(parse_betting(load_game("limit-2p"), "rc/r"), cards("Ah8c4s"))

    assert (reader.reading.weights[0] == reader_after("rc/r", "Ah8c4s").reading.weights[0]).all()


def test_hole_cards_play_no_part() -> None:
    """Two deals that differ in them have the same public tables: a reader is given none."""
    game = load_game("limit-2p")
    deal = CardDealer(game, 3).deal()
    state = initial_hand(game, 0, deal)
    reader = TableReader([GenericModel(), GenericModel()])

    reader.follow(state.betting, state.board)

    assert set(reader.table(0).weights) == {1.0}


def test_missing_board_cards_are_refused() -> None:
    refuses(ValueError, "3 board cards", reader_after, "cc/")


def test_a_decision_is_asked_for_where_the_reading_stands() -> None:
    with pytest.raises(ValueError, match="follow the hand"):
        reader_after("r").decision(parse_betting(load_game("limit-2p"), "c"))


def test_what_one_reader_has_worked_out_another_with_equal_models_is_given() -> None:
    state = random_hand("limit-2p", 4)[-1]
    first, second = (TableReader([PlayerModel(), PlayerModel()]) for _ in range(2))
    first.follow(state.betting, state.board)

    second.follow(state.betting, state.board)

    assert second.reading.weights[0] is first.reading.weights[0]


def test_a_reader_whose_models_know_something_else_works_by_itself() -> None:
    learned = PlayerModel()
    learned.learn([(decision_after("rc/", board=FLOP), 2)] * 50)

    fresh = reader_after("rc/r", FLOP, models=[PlayerModel(), PlayerModel()])
    other = reader_after("rc/r", FLOP, models=[learned, learned])

    assert (other.reading.weights[0] != fresh.reading.weights[0]).any()


def test_what_models_learn_during_a_hand_makes_no_difference_to_its_reading() -> None:
    betting = parse_betting(load_game("limit-2p"), "rc/rr")
    models = [PlayerModel(), PlayerModel()]
    reader = TableReader(models)
    models[0].learn([(decision_after("rc/rr", board=FLOP), 2)] * 50)

    reader.follow(betting, cards(FLOP))

    fresh = reader_after("rc/rr", FLOP, models=[PlayerModel(), PlayerModel()])
    assert (reader.reading.weights[0] == fresh.reading.weights[0]).all()


def test_potential_is_reckoned_against_the_tables_if_wanted() -> None:
    """Poki 3.3.3; against two opponents, against the mean of their tables."""
    game = load_game("limit-3p")
    board = cards(FLOP)
    betting = parse_betting(game, "ccc/rc")
    for kind in ("plain", "weighted"):
        reader = TableReader([GenericModel()] * 3, 0.02, "weighted" if kind == "weighted" else "plain")
        reader.follow(betting, board)
        decision, values = reader.decision(betting), board_values(board)

        tables = [reader.reading.weights[position] for position in positions_in(decision.situation.opponents)]
        mean = sum(table / table.sum() for table in tables) / 2
        expected = values.plain if kind == "plain" else values.potentials(mean)

        assert decision.values.draw == pytest.approx(expected.positive)
    river = parse_betting(game, "ccc/ccc/ccc/")
    reader.follow(river, (*board, 0, 1))
    assert not reader.decision(river).values.draw.any()


def test_another_word_for_the_potential_is_refused() -> None:
    refuses(ValueError, "plain or weighted", TableReader, [NoModel(), NoModel()], 0.0, "exact")


# --- weight table -------------------------------------------------------------------------------------------

known_cards = st.lists(st.integers(0, 51), max_size=7, unique=True)


def random_triples(rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    triples = rng.dirichlet((0.3, 0.3, 0.3), NUM_COMBOS)
    return np.where(triples < 0.2, 0.0, triples)


def reweighted(
    table: WeightTable,
    triples: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    action: int,
    noise: float = 0.0,
) -> WeightTable:
    weights = table.weights.copy()
    reweight(weights, triples, action, noise)
    return WeightTable(weights)


@settings(max_examples=30)
@given(known_cards, st.integers(0, 2**32), st.lists(st.integers(0, 2), max_size=8), st.floats(0, 1))
def test_weights_are_never_negative_never_all_zero_and_never_on_a_known_card(
    known: list[int], seed: int, actions: list[int], noise: float
) -> None:
    rng = np.random.default_rng(seed)
    table = WeightTable(combos_without(known[:3]))

    for action in actions:
        table = reweighted(table, random_triples(rng), action, noise)

    assert (table.weights >= 0).all()
    assert table.weights.max() == 1
    assert not table.weights[~combos_without(known[:3])].any()


def test_an_action_multiplies_each_weight_by_its_chance() -> None:
    """Fig. 3.5; the paper's 72 at .01 and AK at .40 after a call."""
    triples = np.tile([1.0, 0.0, 0.0], (NUM_COMBOS, 1))
    seven_deuce, ace_king = combo_index(*cards("7d2c")), combo_index(*cards("AhKs"))
    triples[seven_deuce] = (0.99, 0.01, 0)
    triples[ace_king] = (0, 0.4, 0.6)

    once = reweighted(WeightTable(np.ones(NUM_COMBOS)), triples, 1)
    twice = reweighted(once, triples, 1)

    assert once.weights[seven_deuce] / once.weights[ace_king] == pytest.approx(0.01 / 0.40)
    assert twice.weights[seven_deuce] / twice.weights[ace_king] == pytest.approx((0.01 / 0.40) ** 2)


def test_an_action_that_no_hand_explains_leaves_the_table_as_it_is() -> None:
    before = WeightTable(np.random.default_rng(1).random(NUM_COMBOS))

    after = reweighted(before, np.tile([0.0, 0.0, 1.0], (NUM_COMBOS, 1)), 0)

    assert after.weights == pytest.approx(before.weights)
    assert LEAST_CHANCE > 0


def test_a_cell_shows_the_greatest_weight_of_its_combos() -> None:
    weights = np.zeros(NUM_COMBOS)
    weights[combo_index(*cards("AsKs"))], weights[combo_index(*cards("AhKh"))] = 1, 0.5

    grid = WeightTable(weights).grid()

    assert grid[parse_starting_hand("AKs")] == 1
    assert grid[parse_starting_hand("AKo")] == 0


def test_the_grid_as_text_has_aces_first_and_suited_hands_upper_right() -> None:
    weights = np.zeros(NUM_COMBOS)
    weights[combo_index(*cards("AsKs"))] = 1

    lines = format_grid(WeightTable(weights).grid()).splitlines()

    assert lines[0].split() == list("AKQJT98765432")
    assert lines[1].startswith("A     ██")
    assert "█" not in "".join(lines[2:])


@pytest.mark.parametrize(
    "weights", [np.zeros(NUM_COMBOS), np.full(NUM_COMBOS, -1.0), np.full(NUM_COMBOS, np.nan), np.ones(7)]
)
def test_what_is_no_table_is_refused(weights: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    refuses(ValueError, "weights", WeightTable, weights)
