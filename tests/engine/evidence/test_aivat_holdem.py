"""AIVAT of hold'em: shares against enumeration, corrections of mean zero, what comes of false policies."""

import attrs
import numpy as np
import pytest

from engine.evidence.aivat.estimates import Aivat
from engine.evidence.aivat.heads_up import NUM_TERMS, PRIOR, Ranges, _add_action, terms_of
from engine.evidence.aivat.policy import Policy, PolicyError
from engine.hands.equity import preflop_equities, preflop_pair_counts, range_equities
from engine.poker.cards import parse_cards
from engine.poker.combos import NUM_COMBOS, STARTING_HAND_OF_COMBO, combos_without
from engine.poker.rules import CALL, FOLD, Deal, HandState, load_game, parse_betting, raise_to
from engine.support.arrays import Floats
from protocol.policy import ONE, write_numbers
from tests.support.asserting import known, refuses
from tests.support.cases import cases
from tests.support.hands.evidence import all_in_chips

LIMIT = load_game("limit-2p")
BOARD = tuple(parse_cards("Qs8d5s3cJh"))
DEAL = Deal((tuple(parse_cards("AhKh")), tuple(parse_cards("9s9c"))), BOARD)


def hand(betting: str, game: str = "limit-2p") -> HandState:
    return HandState(parse_betting(load_game(game), betting), 0, DEAL)


def ranges_of(weights: list[Floats], board: int) -> Ranges:
    ranges = Ranges([None, None])
    ranges.weights = weights
    ranges.deal(BOARD[:board])
    return ranges


def some_weights(seed: int, number: int) -> list[Floats]:
    rng = np.random.default_rng(seed)
    weights: list[Floats] = [np.zeros(NUM_COMBOS) for _ in range(2)]
    for table in weights:
        table[rng.choice(NUM_COMBOS, number, replace=False)] = rng.random(number)
    return weights


# --- shares ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "number"), [(0, 2), (3, 12), (4, 40), (5, 200)])
def test_the_share_of_two_ranges_is_that_of_an_enumeration(board: int, number: int) -> None:
    weights = some_weights(board, number)

    expected = range_equities(weights, BOARD[:board])

    for ask_first in (0, 1):
        ranges = ranges_of(weights, board)
        ranges.against(ask_first)  # either side's view serves
        assert ranges.share() == pytest.approx(expected[0].value, abs=1e-12)


def test_before_the_flop_suits_are_told_apart_and_starting_hands_agree_with_their_matrix() -> None:
    first, second = 12 * 13 + 11, 8 * 13 + 8  # AKs, TT
    weights: list[Floats] = [np.where(kind == STARTING_HAND_OF_COMBO, 1.0, 0.0) for kind in (first, second)]

    assert ranges_of(weights, 0).share() == pytest.approx(preflop_equities()[first, second], abs=1e-12)
    assert preflop_pair_counts()[first, second] == 24
    assert ranges_of([np.ones(NUM_COMBOS)] * 2, 0).share() == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("is_known", [True, False])
def test_the_next_card_changes_the_share_by_nothing_on_average(size: int, is_known: bool) -> None:
    weights = some_weights(size, 300)
    if not is_known:
        weights[1] = np.zeros(NUM_COMBOS)
        weights[1][1000] = 1.0
    board = BOARD[:size]
    before = ranges_of(weights, size)

    mass = change = 0.0
    for card in set(range(52)) - set(board):
        after = ranges_of(weights, size)
        after.deal((*board, card))
        chance = float((after.weights[0] * after.against(1).weight) @ combos_without((*board, card)))
        if chance > 0:
            mass += chance
            change += chance * (after.share() - before.share())

    assert change / mass == pytest.approx(0.0, abs=1e-12)


# --- actions -----------------------------------------------------------------------------------------------


def random_policy(seed: int) -> Policy:
    chances = np.random.default_rng(seed).random((NUM_COMBOS, 3))
    return Policy(chances / chances.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(("game", "betting"), [("limit-2p", "rc/r"), ("nolimit-2p-100bb", "cc/cr6")])
def test_what_a_known_player_does_is_worth_nothing_more_than_what_it_does_on_average(
    game: str, betting: str
) -> None:
    before = parse_betting(load_game(game), betting)
    weights = some_weights(7, 500)
    policy = random_policy(1)
    position = known(before.position_to_act)

    mean, total = np.zeros(NUM_TERMS), 0.0
    for column, action in enumerate((FOLD, CALL, before.legal_actions().raising_to(18))):
        ranges = ranges_of(list(weights), 3)
        changes = np.zeros(NUM_TERMS)
        _add_action(changes, before, action, policy, ranges)
        assert changes.any()
        chance = float(
            (ranges.weights[position] * ranges.against(1 - position).weight) @ policy.triples[:, column]
        )
        mean += chance * changes
        total += chance

    assert np.abs(mean / total).max() < 1e-10


# --- hands -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "betting"), cases(__file__, "with nobody known the end is what it paid"))
def test_with_nobody_known_the_end_is_what_it_paid_with_the_cards_of_an_all_in_averaged_out(
    game: str, betting: str
) -> None:
    end = hand(betting, game)

    assert terms_of(end, {}, ()).chips == pytest.approx(all_in_chips(end)[0], abs=1e-9)


def policies_for(betting: str, chances: tuple[int, int] = (20000, 20000)) -> dict[str, Policy]:
    columns = [write_numbers([number]) for number in chances]
    return {before.text: Policy.of_columns(columns) for before, _, _ in parse_betting(LIMIT, betting).steps()}


def test_actions_that_players_take_with_all_hands_tell_nothing() -> None:
    betting = "rc/cc/cc/cc"

    terms = terms_of(hand(betting), policies_for(betting), (0, 1))

    assert terms.chips == pytest.approx(0.0, abs=1e-9)  # each holds anything: the end is worth half the pot
    # Had a player folded, which it does with .3, the other would have won: that counts.
    assert terms.changes @ PRIOR != 0


def test_what_cannot_be_true_is_refused_and_what_is_missing_is_named() -> None:
    policies = policies_for("rc/cc/cc/cc")

    with pytest.raises(ValueError, match="nothing is known of the decision after 'rc/'"):
        terms_of(hand("rc/cc/cc/cc"), {key: policies[key] for key in ("", "r")}, (0, 1))
    with pytest.raises(PolicyError, match="never does"):
        terms_of(hand("rc/cc/cc/cc"), policies_for("rc/cc/cc/cc", (0, 0)), (0, 1))
    refuses(ValueError, "it is not", terms_of, hand("rc/c"), {}, ())


def told(betting: str, columns: list[bytes] | None) -> dict[str, object]:
    def say() -> list[bytes]:
        if columns is None:
            raise ValueError("policies:3: torn")
        return columns

    return {before.text: say for before, _, _ in parse_betting(LIMIT, betting).steps()}


def aivat_of(*hands: tuple[HandState, dict[str, object]]) -> Aivat:
    """Hands of player 0 in position 0 and player 1, each with what was told in it."""
    numbers = np.arange(len(hands))
    return Aivat(LIMIT, hands, np.tile([0, 1], (len(hands), 1)), numbers)  # type: ignore[arg-type]


def test_hands_with_missing_policies_are_counted_and_corrected_less() -> None:
    betting, good = "rc/cc/cc/cc", [write_numbers([20000])] * 2
    stories = [
        told(betting, good), {}, told(betting, None),
        told(betting, [write_numbers([ONE]), write_numbers([0])]),
    ]  # fmt: skip
    aivat = aivat_of(*[(hand(betting), story) for story in stories])

    values = known(aivat.values())
    assert values.sum(axis=1) == pytest.approx(0.0)
    assert np.isfinite(values).all()
    assert aivat.telling() == {0, 1}
    assert aivat.faults["nothing was told"] == 2
    assert aivat.faults["policies:3: torn"] == 2
    assert sum(aivat.faults.values()) == 6


def test_a_player_who_denies_playing_its_hand_so_is_not_known_in_it() -> None:
    """Other hands would have done it: only the cards show that it is not true."""
    starting_hands = np.full(169, 30000)
    starting_hands[12 * 13 + 11] = 0  # AKs, position 0's
    columns = [write_numbers([0] * 169), write_numbers(starting_hands.tolist())]
    aivat = aivat_of((hand("crc/cc/cc/cc"), told("crc/cc/cc/cc", columns)))
    assert aivat.values() is not None
    assert aivat.faults == {"a player told that it never does with its hand what it did": 1}


def test_reasons_beyond_the_first_twenty_are_counted_together() -> None:
    def of_line(number: int) -> dict[str, object]:
        def say() -> list[bytes]:
            raise ValueError(f"policies:{number}: torn")

        return {"": say}

    aivat = aivat_of(*[(hand("f"), of_line(number)) for number in range(60)])

    assert aivat.values() is not None
    assert len(aivat.faults) == 21
    assert aivat.faults["other reasons"] == 40


def test_if_nobody_discloses_there_are_no_values() -> None:
    assert aivat_of((hand("f"), {})).values() is None


def test_other_games_are_refused() -> None:
    large = attrs.evolve(load_game("leduc"), num_ranks=13, num_suits=4)
    with pytest.raises(ValueError, match="it is for hold'em, and for limit games"):
        Aivat(large, [], np.zeros((0, 2), np.int64), np.zeros(0, np.int64))


# --- policies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 169, 1326])
def test_columns_become_chances_of_combos(rows: int) -> None:
    numbers = np.random.default_rng(rows).integers(0, ONE // 2, (3, rows))
    policy = Policy.of_columns([write_numbers(column.tolist()) for column in numbers])
    place = {1: np.zeros(NUM_COMBOS, np.int64), 169: STARTING_HAND_OF_COMBO, 1326: np.arange(NUM_COMBOS)}[
        rows
    ]

    assert policy.triples.sum(axis=1) == pytest.approx(1.0)
    assert policy.triples[:, 0] == pytest.approx(numbers[0][place] / ONE)
    assert policy.triples[:, 2] == pytest.approx(numbers[1][place] / ONE)
    assert policy.chances(raise_to(300)) == pytest.approx(
        policy.triples[:, 2] * numbers[2][place] / ONE, abs=1e-12
    )
    assert policy.chances(CALL) == pytest.approx(policy.triples[:, 1])


@pytest.mark.parametrize("rows", [(1, 169), (7, 7), (1,), (1, 1, 1, 1)])
def test_other_columns_are_no_policy(rows: tuple[int, ...]) -> None:
    refuses(ValueError, "expected 2 or 3 columns", Policy.of_columns, [bytes(2 * number) for number in rows])
