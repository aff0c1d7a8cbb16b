"""Ranks against a plain oracle and published counts, hands in words, and side pots computed independently."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

import attrs
import pytest
from hypothesis import given, strategies as st

from engine.poker.cards import parse_cards
from engine.poker.rules import (
    Deal,
    GameDefinition,
    HandState,
    chips_won,
    hand_rank,
    initial_hand,
    load_game,
    parse_betting,
)
from engine.poker.rules.hand_rank import SLOTS, HandCategory, hand_category
from engine.poker.rules.hand_words import name_hand
from protocol.records import format_chips
from tests.oracles.hand_rank import Value, hand_value
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.golden_files import golden_game
from tests.support.hands.strategies import hands

# --- showdown -----------------------------------------------------------------------------------------------


def exact_chips_won(state: HandState) -> list[Fraction]:
    """Side pots as a casino would make them, in exact fractions.

    Pots lie between neighbouring contributions; each is shared by the best hands among those who paid
    into it and did not fold.  A pot that only folded players paid into goes to nobody.
    """
    spent, folded = state.betting.spent, state.betting.folded
    players = range(len(spent))
    if folded.count(False) == 1:
        return [Fraction(-spent[p] if folded[p] else sum(spent) - spent[p]) for p in players]
    ranks = {p: hand_rank((*state.deal.hole_cards[p], *state.board)) for p in players if not folded[p]}
    won = [Fraction(-chips) for chips in spent]
    levels = sorted({chips for chips in spent if chips})
    for low, high in zip([0, *levels], levels, strict=False):
        paid = [p for p in players if spent[p] >= high]
        contenders = [p for p in paid if p in ranks]
        winners = [p for p in contenders if ranks[p] == max(ranks[q] for q in contenders)]
        for p in winners:
            won[p] += Fraction((high - low) * len(paid), len(winners))
    return won


@given(hands())
def test_values_are_those_of_side_pots(states: list[HandState]) -> None:
    end = states[-1]

    won = end.chips_won()

    assert won == pytest.approx([float(chips) for chips in exact_chips_won(end)], abs=1e-9)


def test_a_player_who_folds_after_paying_more_than_anybody_left_forfeits_the_excess() -> None:
    """30 chips are bet and called, the third player raises to his 15, then the first folds."""
    game = golden_game("limstack")
    state = parse_betting(game, "rcrfc///")

    won = chips_won(
        state, [parse_cards(text) for text in ("5d5c", "9hQd", "AsAd")], parse_cards("8s4h6d5sJs")
    )

    assert state.spent == (30, 15, 15)
    assert won == (-30, -15, 30)


def finish(game: GameDefinition, betting: str, holes: str, board: str) -> tuple[float, ...]:
    hole_cards = tuple(map(parse_cards, holes.split("|")))
    return HandState(parse_betting(game, betting), 0, Deal(hole_cards, parse_cards(board))).chips_won()


def test_nobody_bet_and_nobody_wins() -> None:
    """docs/acpc-dealer.md 8.11: the original fails an assertion here."""
    game = attrs.evolve(load_game("nolimit-2p"), blinds=(0, 0))

    assert finish(game, "cc/cc/cc/cc", "AsAd|2c7d", "3c3d3hKsQs") == (0, 0)


def test_everybody_all_in_from_the_blinds_goes_to_the_showdown() -> None:
    """docs/acpc-dealer.md 8.10: the original never ends."""
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(100, 50))
    deal = Deal((parse_cards("2c7d"), parse_cards("AsAd")), parse_cards("3c3d3hKsQs"))

    assert initial_hand(game, 0, deal).chips_won() == (-50, 50)


def test_an_uncalled_bet_comes_back() -> None:
    """docs/acpc-dealer.md E9b: 600 bet, 450 called."""
    assert finish(golden_game("minr2"), "r300cr450r600ff///", "5d5c|9hQd|8dAs|8s4h", "6d5sJs7cQh") == (
        1050, -450, -300, -300,
    )  # fmt: skip


def test_three_way_ties_are_shared_in_thirds_and_leave_a_negative_zero() -> None:
    """docs/acpc-dealer.md E17: 1/3 is added three times to -1; the order of the additions is in the log."""
    won = finish(golden_game("thirds"), "rfcc", "Ah|As|Ad|Ac", "")

    assert won == (1 / 3, -1, 1 / 3, 1 / 3)
    assert format_chips(1 / 3 + 1 / 3 + 1 / 3 - 1) == "0"
    assert format_chips(-1 + 1 / 3 + 1 / 3 + 1 / 3) == "-0"
    assert format_chips(1 / 3 + 1 / 3 - 1 + 1 / 3) == "-0"


def test_a_hand_that_is_not_over_has_no_value() -> None:
    state = parse_betting(load_game("leduc"), "cc/")

    with pytest.raises(ValueError, match="the hand is over"):
        chips_won(state, [parse_cards("As"), parse_cards("Ks")], parse_cards("Qs"))


def test_a_showdown_without_cards_has_no_value() -> None:
    state = parse_betting(load_game("leduc"), "cc/cc")

    refuses(ValueError, "position 1", chips_won, state, [parse_cards("As"), ()], parse_cards("Qs"))


@given(hands())
def test_any_view_of_a_finished_hand_tells_what_it_was_worth(states: list[HandState]) -> None:
    end = states[-1]

    for position in range(end.betting.game.num_players):
        assert end.view(position).chips_won() == end.chips_won()


# --- rules hand rank ----------------------------------------------------------------------------------------

FULL_DECK = tuple(range(52))


def deck(suits: int, ranks: int) -> tuple[int, ...]:
    game = load_game("limit-2p")
    return attrs.evolve(game, num_suits=suits, num_ranks=ranks).deck


def category(cards: Sequence[int]) -> HandCategory:
    return hand_category(hand_rank(cards))


def check_order(hands: Iterable[Sequence[int]]) -> None:
    """Same order and same ties as the oracle's; all hands of equally many cards."""
    rank_of_value: dict[Value, int] = {}
    for hand in hands:
        value, rank = hand_value(hand), hand_rank(hand)
        assert rank_of_value.setdefault(value, rank) == rank, hand
        assert hand_category(rank) == value[0], hand
    assert all(low < high for low, high in pairwise(rank_of_value[value] for value in sorted(rank_of_value)))


# --- counts ------------------------------------------------------------------------------------------


def test_counts_of_all_five_card_hands_of_a_piquet_deck() -> None:
    """32 cards from the seven up, by combinatorics: no wheel, since there is no five."""
    counts = Counter(map(category, combinations(deck(4, 8), 5)))

    assert counts == {
        HandCategory.STRAIGHT_FLUSH: 4 * 4, HandCategory.FOUR_OF_A_KIND: 8 * 28,
        HandCategory.FULL_HOUSE: 8 * 4 * 7 * 6, HandCategory.FLUSH: 4 * (56 - 4),
        HandCategory.STRAIGHT: 4 * (4**5 - 4), HandCategory.THREE_OF_A_KIND: 8 * 4 * 21 * 16,
        HandCategory.TWO_PAIR: 28 * 36 * 24, HandCategory.PAIR: 8 * 6 * 35 * 64,
        HandCategory.HIGH_CARD: (56 - 4) * (4**5 - 4),
    }  # fmt: skip


@pytest.mark.slow
def test_counts_of_all_five_card_hands() -> None:
    """The 2,598,960 hands in their published frequencies, and 7462 different values."""
    ranks = Counter(map(hand_rank, combinations(FULL_DECK, 5)))
    counts: Counter[int] = Counter()
    for rank, count in ranks.items():
        counts[hand_category(rank)] += count

    assert len(ranks) == 7462
    assert [counts[k] for k in range(9)] == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]


def test_counts_of_sampled_seven_card_hands() -> None:
    """Published frequencies of 133,784,560 seven-card hands, within five standard errors of 60,000."""
    published = [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]
    rng = random.Random(1)

    counts = Counter(category(rng.sample(FULL_DECK, 7)) for _ in range(60_000))

    for each, frequency in zip(HandCategory, published, strict=True):
        expected = 60_000 * frequency / 133_784_560
        assert abs(counts[each] - expected) < 5 * expected**0.5 + 1


# --- order -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3])
def test_small_hands_are_ordered_as_the_oracle_orders_them(number: int) -> None:
    check_order(combinations(FULL_DECK, number))


@pytest.mark.parametrize(
    ("suits", "ranks", "number"), [(4, 8, 4), (4, 5, 5), (1, 13, 5), (2, 8, 6), (2, 6, 8)]
)
def test_all_hands_of_short_decks_are_ordered_as_the_oracle_orders_them(
    suits: int, ranks: int, number: int
) -> None:
    check_order(combinations(deck(suits, ranks), number))


@pytest.mark.parametrize("number", range(4, 11))
def test_sampled_hands_are_ordered_as_the_oracle_orders_them(number: int) -> None:
    rng = random.Random(number)
    wheel_deck = [card for card in FULL_DECK if card < 20 or card >= 48]  # deuces to sixes, and aces
    decks = [FULL_DECK, deck(4, 6), deck(2, 13), wheel_deck, deck(4, 4)]

    check_order(rng.sample(decks[k % len(decks)], number) for k in range(4000 // number))


@given(
    st.lists(st.sampled_from(FULL_DECK), min_size=1, max_size=10, unique=True),
    st.randoms(use_true_random=False),
)
def test_neither_the_order_of_cards_nor_names_of_suits_matter(cards: list[int], rng: random.Random) -> None:
    shuffled = rng.sample(cards, len(cards))
    suits = rng.sample(range(4), 4)

    assert hand_rank(shuffled) == hand_rank(cards)
    assert hand_rank([card & ~3 | suits[card & 3] for card in cards]) == hand_rank(cards)


@given(st.lists(st.sampled_from(FULL_DECK), min_size=6, max_size=10, unique=True))
def test_another_card_never_makes_a_hand_worse(cards: list[int]) -> None:
    assert hand_rank(cards) >= hand_rank(cards[:-1])


# The better hand first; ties are in the next table.
@pytest.mark.parametrize(("better", "worse"), cases(__file__, "better hand wins"))
def test_better_hand_wins(better: str, worse: str) -> None:
    assert hand_rank(parse_cards(better)) > hand_rank(parse_cards(worse))


def test_two_suits_can_both_be_flushes_and_the_better_counts() -> None:
    cards = parse_cards("AhKhQhJh9h" + "6s5s4s3s2s")

    assert category(cards) == HandCategory.STRAIGHT_FLUSH


def test_hands_that_share_a_slot_of_the_memory_keep_their_own_values() -> None:
    rng = random.Random(5)
    hands: dict[int, dict[int, tuple[int, ...]]] = {}
    for _ in range(20_000):
        cards = tuple(rng.sample(FULL_DECK, 7))
        counts = sum(1 << 3 * (card // 4) for card in cards)
        hands.setdefault(counts % SLOTS, {})[counts] = cards
    shared = [hand for slot in hands.values() if len(slot) > 1 for hand in slot.values()]

    assert len(shared) > 1000
    check_order(shared * 2)


# --- hand names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cards", "words"), cases(__file__, "hands are described in words"))
def test_hands_are_described_in_words(cards: str, words: str) -> None:
    assert name_hand(parse_cards(cards), kickers=True) == words


def test_kickers_are_named_on_demand() -> None:
    assert name_hand(parse_cards("KsTdKhTc2s3d5c")) == "two pair, kings and tens"


def test_small_hands_have_names_too() -> None:
    assert [name_hand(parse_cards(text)) for text in ("Kd", "KdKh", "KdQh", "6s6h6d")] == [
        "high card, king", "pair of kings", "high card, king and queen", "three of a kind, sixes",
    ]  # fmt: skip
