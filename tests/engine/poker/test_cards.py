"""Cards, their spellings and combos as indices; cards from a key, by the documented stream."""

import hashlib
import itertools
from collections import Counter
from math import factorial

import pytest
import scipy
from hypothesis import given, settings, strategies as st

from engine.poker.cards import (
    CARD_TEXTS,
    RANKS,
    SUITS,
    InvalidCardError,
    format_cards,
    make_card,
    parse_card,
    parse_cards,
    parse_written_cards,
    rank_of,
    suit_of,
)
from engine.poker.combos import (
    COMBOS_PER_STARTING_HAND,
    NUM_COMBOS,
    STARTING_HAND_NAMES,
    STARTING_HAND_OF_COMBO,
    combo_cards,
    combo_index,
    combos_without,
    format_combo,
    parse_starting_hand,
    starting_hand,
)
from engine.poker.match_key import (
    DEALS_PER_CHAIN,
    DealKeys,
    MatchKey,
    MatchSeed,
    earlier_key,
    parse_match_seed,
)
from engine.poker.rules import CardDealer, Deal, GameDefinition, KeyedDealer, load_game
from engine.support.seeds import derive_seed
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.hands.strategies import games

# --- cards --------------------------------------------------------------------------------------------------


def test_cards_run_from_the_deuce_of_clubs_to_the_ace_of_spades() -> None:
    assert CARD_TEXTS[:5] == ("2c", "2d", "2h", "2s", "3c")
    assert CARD_TEXTS[-1] == "As"
    assert len(set(CARD_TEXTS)) == 52


@pytest.mark.parametrize("card", range(52))
def test_card_is_rank_and_suit_is_text(card: int) -> None:
    assert make_card(rank_of(card), suit_of(card)) == card
    assert parse_card(CARD_TEXTS[card]) == card
    assert CARD_TEXTS[card] == RANKS[rank_of(card)] + SUITS[suit_of(card)]


@given(st.lists(st.integers(0, 51), max_size=10))
def test_lists_of_cards_survive_a_round_trip(cards: list[int]) -> None:
    assert parse_cards(format_cards(cards)) == tuple(cards)


@pytest.mark.parametrize("text", ["", "A", "as", "AS", "1s", "10s", "Ax", "sA", " As", "As "])
def test_what_is_not_exactly_a_card_is_refused(text: str) -> None:
    refuses(InvalidCardError, "is not a card", parse_card, text)


@pytest.mark.parametrize("text", ["AsK", "As Kd", "AsKx"])
def test_what_is_not_a_list_of_cards_is_refused(text: str) -> None:
    refuses(InvalidCardError, "is not a", parse_cards, text)


@given(st.text(max_size=12))
def test_any_text_is_cards_or_refused(text: str) -> None:
    try:
        cards = parse_cards(text)
    except InvalidCardError:
        return
    assert format_cards(cards) == text


# --- card text ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", cases(__file__, "common spellings name the same cards"))
def test_common_spellings_name_the_same_cards(text: str) -> None:
    assert parse_written_cards(text) == parse_cards("7h9hTd")


@given(st.lists(st.integers(0, 51), unique=True))
def test_the_wire_s_own_spelling_is_one_of_them(cards: list[int]) -> None:
    assert parse_written_cards(format_cards(cards)) == tuple(cards)


@pytest.mark.parametrize(("text", "message"), cases(__file__, "what is not a card is named"))
def test_what_is_not_a_card_is_named(text: str, message: str) -> None:
    refuses(InvalidCardError, message, parse_written_cards, text)


# --- combos -------------------------------------------------------------------------------------------------


def test_combos_are_numbered_without_gaps_from_2d2c_to_asah() -> None:
    assert [combo_index(*combo_cards(combo)) for combo in range(NUM_COMBOS)] == list(range(NUM_COMBOS))
    assert (format_combo(0), format_combo(1325)) == ("2d2c", "AsAh")
    assert combo_index(3, 40) == combo_index(40, 3)


def test_starting_hands_are_cells_of_the_grid() -> None:
    assert starting_hand(*parse_cards("AsAh")) == 168 == parse_starting_hand("AA")
    assert STARTING_HAND_NAMES[starting_hand(*parse_cards("KsAs"))] == "AKs"
    assert STARTING_HAND_NAMES[starting_hand(*parse_cards("9hTd"))] == "T9o"
    assert len(set(STARTING_HAND_NAMES)) == 169
    assert COMBOS_PER_STARTING_HAND.sum() == NUM_COMBOS == len(STARTING_HAND_OF_COMBO)
    assert sorted(set(COMBOS_PER_STARTING_HAND.tolist())) == [4, 6, 12]


def test_dead_cards_leave_the_other_combos() -> None:
    alive = combos_without(parse_cards("AsKs"))

    assert alive.sum() == 50 * 49 / 2
    assert not alive[combo_index(*parse_cards("AsAh"))]


def test_nonsense_is_refused() -> None:
    for cards in ((3, 3), (-1, 3), (3, 52)):
        refuses(ValueError, "two different cards", combo_index, *cards)
    refuses(ValueError, "got 1326", combo_cards, 1326)
    refuses(ValueError, "got 52", combos_without, [52])
    refuses(ValueError, "not a starting hand", parse_starting_hand, "KAs")


# --- match key ----------------------------------------------------------------------------------------------

KEYS = st.binary(min_size=32, max_size=32)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """RFC 2104, from SHA-256 alone."""
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in padded) + inner).digest()


def deal_by_hand(game: GameDefinition, key: bytes, hand: int) -> Deal:
    words = []
    for block in range(20):
        message = b"riverboat cards" + hand.to_bytes(8, "big") + block.to_bytes(8, "big")
        stream = hmac_sha256(key, message)
        words += [int.from_bytes(stream[i : i + 4], "big") for i in range(0, 32, 4)]
    deck = list(game.deck)
    cards: list[int] = []
    while len(cards) < game.cards_per_hand:
        word = words.pop(0)
        if word < 2**32 // len(deck) * len(deck):
            chosen = word % len(deck)
            cards.append(deck[chosen])
            deck[chosen] = deck[-1]
            deck.pop()
    hole, seats = game.num_hole_cards, game.num_players
    return Deal(
        tuple(tuple(cards[seat * hole : (seat + 1) * hole]) for seat in range(seats)),
        tuple(cards[seats * hole :]),
    )


@given(games(), KEYS, st.integers(0, 2**40))
def test_a_deal_is_the_documented_stream(game: GameDefinition, key: bytes, hand: int) -> None:
    dealer = KeyedDealer(game, key)
    dealer.skip(hand)

    assert [dealer.deal(), dealer.deal()] == [deal_by_hand(game, key, hand + i) for i in range(2)]


def test_the_stream_is_what_openssl_computes() -> None:
    """`openssl dgst -sha256 -mac HMAC` over the messages of blocks 0 and 1 of hand 0, key 00 01 ... 1f."""
    blocks = (
        "9fa601ee9887b3261046931b1b3c4a6cc7acaa07c53d32ede116a5548b9f9a0b",
        "4e490ca38717dd2d20682de329047c7b085f248b97316204c222e012420b03c5",
    )
    key = bytes(range(32))
    messages = [b"riverboat cards" + bytes(8) + block.to_bytes(8, "big") for block in range(2)]

    assert [hmac_sha256(key, message).hex() for message in messages] == [*blocks]
    assert MatchKey(key).dealer(load_game("limit-2p")).deal() == Deal(
        ((31, 27), (38, 25)), (41, 24, 23, 19, 12)
    )


@pytest.mark.parametrize("cards", [3, 4])
def test_every_order_of_a_deck_is_equally_likely(cards: int) -> None:
    """20,000 deals of three (four) cards; the kuhn decks are dealt out but for one card."""
    game = load_game(f"kuhn-{cards - 1}p")
    dealer = KeyedDealer(game, b"k" * 32)

    seen = Counter(dealer.deal() for _ in range(20_000))

    assert len(seen) == factorial(cards)
    assert scipy.stats.chisquare(list(seen.values())).pvalue > 1e-4


def test_every_card_is_equally_likely_in_every_place() -> None:
    dealer = KeyedDealer(load_game("limit-10p"), b"r" * 32)

    deals = [dealer.deal() for _ in range(8_000)]

    for place in zip(*[(*sum(deal.hole_cards, ()), *deal.board) for deal in deals], strict=True):
        assert len(set(place)) == 52
        assert scipy.stats.chisquare(list(Counter(place).values())).pvalue > 1e-5


@given(KEYS)
def test_a_key_survives_its_text(secret: bytes) -> None:
    key = MatchKey(secret)

    assert MatchKey.parse(key.text) == MatchKey.parse(key.text.upper()) == key
    assert key.text not in repr(key)
    assert repr(secret) not in repr(key)


@pytest.mark.parametrize("text", ["", "7", "0" * 63, "0" * 65, "g" * 64, "0x" + "0" * 62, "0" * 64 + "\n"])
def test_what_is_not_a_key_is_refused(text: str) -> None:
    refuses(ValueError, "64 hexadecimal digits", MatchKey.parse, text)


def test_keys_are_fresh_and_commitments_tell_them_apart() -> None:
    keys = [MatchKey.random() for _ in range(50)]

    assert len({key.text for key in keys}) == len({key.commitment for key in keys}) == 50
    assert keys[0].commitment == hashlib.sha256(b"riverboat key" + keys[0].secret).hexdigest()


@given(KEYS, st.integers(0, 1000))
def test_seeds_of_players_are_keyed_hashes_of_their_own(secret: bytes, seat: int) -> None:
    expected = hmac_sha256(secret, b"riverboat player" + seat.to_bytes(8, "big"))[:4]

    assert MatchKey(secret).player_seed(seat) == int.from_bytes(expected, "big")


@given(KEYS)
def test_a_revealed_key_is_read_as_digits_or_as_a_number(secret: bytes) -> None:
    key = MatchKey(secret)

    assert parse_match_seed(key.text) == parse_match_seed(key.text.upper()) == key
    if len(str(key.number)) != 64 and key.number >= 2**128:  # hypothesis likes keys of zeros
        assert parse_match_seed(str(key.number)) == key


@given(st.integers(0, 2**32 - 1))
def test_a_seed_deals_as_the_acpc_dealer_does_and_gives_seats_their_seeds(number: int) -> None:
    game, seed = load_game("limit-2p"), parse_match_seed(str(number))

    assert seed == MatchSeed(number)
    assert seed.dealer(game).deal() == CardDealer(game, number).deal()
    for players in ([0, 1, 2], [2, 0, 1]):
        assert seed.player_seeds(players) == tuple(derive_seed(number, seat) for seat in range(3))


def test_every_random_match_has_its_own_key() -> None:
    keys = [parse_match_seed("random") for _ in range(8)]

    assert all(isinstance(key, MatchKey) for key in keys)
    assert len({key.number for key in keys}) == 8


def test_a_players_seed_under_a_key_is_theirs_wherever_they_sit() -> None:
    key = MatchKey(bytes(range(32)))
    first, second = key.player_seeds([0, 1, 2]), key.player_seeds([2, 0, 1])

    assert (second[1], second[2], second[0]) == first


@pytest.mark.parametrize(
    "text", ["4294967296", str(2**128 - 1), str(2**256), "-1", "7.0", "", "f" * 63, "Random"]
)
def test_what_is_neither_seed_nor_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a seed: 'random', a whole number up to 4294967295, or"):
        parse_match_seed(text)


DEALS = st.integers(0, 3 * DEALS_PER_CHAIN)


@given(secret=KEYS, deal=DEALS)
def test_the_key_of_a_deal_follows_from_that_of_the_next_one_and_at_the_end_of_a_chain_from_the_secret(
    secret: bytes, deal: int
) -> None:
    keys = DealKeys(secret)
    number, place = divmod(deal, DEALS_PER_CHAIN)
    last = hmac_sha256(secret, b"riverboat deals" + number.to_bytes(8, "big"))
    if place == DEALS_PER_CHAIN - 1:
        assert keys.key(deal) == last
    else:
        assert keys.key(deal) == hashlib.sha256(b"riverboat deal" + keys.key(deal + 1)).digest()
    assert keys.commitment_from(deal) == hashlib.sha256(b"riverboat deal" + keys.key(deal)).hexdigest()


@given(secret=KEYS, deal=DEALS, game=games())
def test_a_deal_has_the_cards_of_the_first_hand_of_its_key(
    secret: bytes, deal: int, game: GameDefinition
) -> None:
    dealer = DealKeys(secret).dealer(game)
    dealer.skip(deal)

    assert dealer.deal() == deal_by_hand(game, DealKeys(secret).key(deal), 0)


@settings(max_examples=20)
@given(secret=KEYS, revealed=DEALS, later=DEALS)
def test_no_later_key_follows_from_one_that_was_revealed(secret: bytes, revealed: int, later: int) -> None:
    """Short of inverting SHA-256: what can be computed from a key are the keys of earlier deals alone."""
    keys = DealKeys(secret)
    known = set(
        itertools.accumulate(range(revealed), lambda key, _: earlier_key(key), initial=keys.key(revealed))
    )

    assert (keys.key(later) in known) == (
        later <= revealed and later // DEALS_PER_CHAIN == revealed // DEALS_PER_CHAIN
    )


@given(secret=KEYS)
def test_the_keys_of_deals_are_given_again_by_their_text_and_are_then_no_secret(secret: bytes) -> None:
    keys = DealKeys(secret)

    again = parse_match_seed(keys.text)

    assert (again, again.player_seeds(range(3))) == (keys, MatchKey(secret).player_seeds(range(3)))
    assert isinstance(again, DealKeys)
    assert not again.is_drawn
    assert DealKeys.random().is_drawn
    assert keys.secret.hex() not in repr(keys)
