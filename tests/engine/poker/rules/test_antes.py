"""Antes against PokerKit's on random hands; sizes of raises in pots by plain arithmetic."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit import Automation, NoLimitTexasHoldem, State

from engine.hands.betting_arrays import game_array
from engine.poker.cards import format_cards, parse_cards
from engine.poker.rules import (
    CALL,
    LIMIT_RAISE,
    ActionKind,
    BettingState,
    CardDealer,
    Deal,
    GameDefinition,
    GameDefinitionError,
    HandState,
    IllegalActionError,
    chips_won,
    format_game,
    initial_betting,
    initial_hand,
    load_game,
    packaged_games,
    parse_betting,
    parse_game,
    raise_to,
)
from engine.poker.rules.game_file import unknown_lines
from tests.support.asserting import known, refuses
from tests.support.hands.golden_files import golden_game
from tests.support.hands.strategies import choose, games, hands, play

# --- antes --------------------------------------------------------------------------------------------------

GAME = load_game("nolimit-6p-ante")
HANDS = 50

TABLES = {
    "equal antes": attrs.evolve(GAME, stacks=(3000, 2000, 1000, 5000, 4000, 700)),
    "stacks below the ante": attrs.evolve(GAME, antes=(40,) * 6, stacks=(900, 190, 30, 12, 90, 1100)),
    "the big blind's ante": attrs.evolve(GAME, antes=(0, 100, 0, 0, 0, 0), stacks=(300, 260, 5, 90, 700, 90)),
    "antes of some": attrs.evolve(GAME, antes=(0, 5, 20, 7, 0, 9), stacks=(900, 130, 120, 500, 400, 7)),
    "three players": attrs.evolve(
        load_game("nolimit-3p"), antes=(25,) * 3, stacks=(400, 200, 1000), blinds=(50, 100, 0)
    ),
    "two players": attrs.evolve(load_game("nolimit-2p"), antes=(30, 30), stacks=(1000, 700)),
    "two players, one ante": attrs.evolve(load_game("nolimit-2p"), antes=(30, 0), stacks=(400, 700)),
}


def pokerkit_hand(game: GameDefinition, deal: Deal) -> State:
    """A hand there, dealt; its chips are fractions, so that pots split exactly."""
    swapped = slice(None, None, -1) if game.num_players == 2 else slice(None)  # it turns two players round
    state = NoLimitTexasHoldem.create_state(
        (
            Automation.ANTE_POSTING,
            Automation.BET_COLLECTION,
            Automation.BLIND_OR_STRADDLE_POSTING,
            Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
            Automation.HAND_KILLING,
            Automation.CHIPS_PUSHING,
            Automation.CHIPS_PULLING,
        ),
        game.has_equal_antes,
        tuple(map(Fraction, game.antes[swapped])),
        tuple(map(Fraction, game.blinds[swapped])),
        Fraction(game.big_blind),
        tuple(map(Fraction, game.stacks)),
        game.num_players,
    )
    for cards in deal.hole_cards:
        state.deal_hole(format_cards(cards))
    return state


def deal_board(state: State, deal: Deal) -> None:
    while state.status and state.can_burn_card():
        state.burn_card("??")
        out = len(list(state.get_board_cards(0)))
        state.deal_board(format_cards(deal.board[out : max(3, out + 1)]))


def play_both(state: HandState, other: State, rng: random.Random) -> HandState:
    """A random hand, played here and there: of what is legal here, what is also legal there."""
    floor = betting_round = 0
    while not state.is_finished:
        betting = state.betting
        if betting.betting_round > betting_round:
            betting_round, floor = betting.betting_round, betting.max_spent
        deal_board(other, state.deal)
        position = known(betting.position_to_act)
        if other.actor_index is None:  # a single player with nothing to call: asked by the ACPC's rules only
            assert betting.amount_to_call(position) <= 0
            state = state.apply(CALL)
            continue
        assert other.actor_index == position
        assert other.total_pot_amount == betting.pot == state.view(position).pot
        assert other.checking_or_calling_amount == betting.amount_to_call(position)
        action = choose(rng.randrange(2**32), state.legal_actions())
        if action.raise_to is not None and not other.can_complete_bet_or_raise_to(action.raise_to - floor):
            action = CALL  # a short all-in does not open the betting again there
        if action.raise_to is not None:
            other.complete_bet_or_raise_to(action.raise_to - floor)
        elif action.kind is ActionKind.CALL:
            other.check_or_call()
        else:
            other.fold()
        state = state.apply(action)
    deal_board(other, state.deal)
    return state


@pytest.mark.parametrize("table", TABLES)
def test_chips_are_pokerkits(table: str) -> None:
    game = TABLES[table]
    dealer, rng = CardDealer(game, 5), random.Random(table)
    showdowns = 0

    for number in range(HANDS):
        deal = dealer.deal()
        other = pokerkit_hand(game, deal)
        end = play_both(initial_hand(game, number, deal), other, rng)

        assert not other.status
        assert end.chips_won() == pytest.approx([float(chips) for chips in other.payoffs], abs=1e-9)
        showdowns += end.betting.is_showdown

    assert showdowns > HANDS // 4


def test_an_ante_is_in_the_pot_and_in_no_bet() -> None:
    betting = initial_betting(GAME)

    assert betting.pot == 150 + 60
    assert betting.spent == (50, 100, 0, 0, 0, 0)
    legal = betting.legal_actions()
    assert (legal.min_raise_to, legal.max_raise_to) == (200, 9990)
    assert betting.amount_to_call(2) == 100
    won = parse_betting(GAME, "r9990fffff")
    assert chips_won(won, [()] * 6, ()) == (-60, -110, 200, *[-10] * 3)


def test_a_position_with_less_than_the_ante_plays_for_as_much_of_the_others() -> None:
    game = attrs.evolve(load_game("nolimit-3p"), antes=(20,) * 3, stacks=(500, 500, 8), blinds=(50, 100, 0))
    hole_cards = [parse_cards(text) for text in ("KsKd", "QsQd", "AsAd")]
    board = parse_cards("2c7d9hJs3c")
    end = parse_betting(game, "cc/cc/cc/cc")

    assert chips_won(end, hole_cards, board) == (2 * (120 - 8) - 120, -120, 16)

    dead = attrs.evolve(game, antes=(0, 20, 8), stacks=(500, 500, 8))
    assert chips_won(parse_betting(dead, "cc/cc/cc/cc"), hole_cards, board) == (100, -120, 20)


@given(games(conserving=True), st.data())
def test_chips_add_up_with_any_antes(game: GameDefinition, data: st.DataObject) -> None:
    most = [stack - blind for stack, blind in zip(game.stacks, game.blinds, strict=True)]
    antes = tuple(data.draw(st.integers(0, min(left, 30))) for left in most)
    with_antes = attrs.evolve(game, antes=antes)

    states = play(with_antes, data.draw(st.integers(0, 99)), data.draw(st.lists(st.integers(0, 999))))

    assert all(state.betting.pot == sum(state.betting.spent) + sum(antes) for state in states)
    won = states[-1].chips_won()
    assert sum(won) == pytest.approx(0, abs=1e-6)
    for position, chips in enumerate(won):
        assert chips >= -game.stacks[position]
    assert parse_game(format_game(with_antes)) == with_antes


# --- game files ------------------------------------------------------------------------------------------


def test_antes_in_game_files() -> None:
    text = format_game(attrs.evolve(GAME, antes=(0, 100, 0, 0, 0, 0)))

    assert "ante = 0 100 0 0 0 0\nblinds = 50 100 0 0 0 0\n" in text
    assert parse_game(text).antes == (0, 100, 0, 0, 0, 0)
    assert "ante = 10\n" in format_game(GAME)
    assert parse_game(text.replace("blinds", "blind")).antes == (0, 100, 0, 0, 0, 0)
    assert unknown_lines(text.encode(), "a.game") == []
    for name in packaged_games():
        assert load_game(name).has_antes == ("ante" in name)


def test_the_acpcs_reader_refuses_a_file_with_antes() -> None:
    """To it the line of the antes says nothing, and ``blinds`` is a line of blinds without a number."""
    lines = [line for line in format_game(GAME).splitlines(keepends=True) if not line.startswith("ante")]

    with pytest.raises(GameDefinitionError) as error:
        parse_game("".join(lines))

    assert error.value.acpc_line == "only read 0 blinds, need 6"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ante = x", "a.game:6: ante: expected a number, or one for each position, got none"),
        ("ante = 1 2", "a.game:6: ante: expected 6 numbers, got 2"),
        ("ante = -1", "a.game:6: ante: position 0 posts -1, expected 0 or more"),
        (
            "ante = 9960",
            "a.game:6: ante: position 0 posts an ante of 9960 and a blind of 50 of a stack of 10000",
        ),
    ],
)
def test_antes_that_cannot_be_played(line: str, reason: str) -> None:
    text = format_game(GAME).replace("ante = 10", line)

    with pytest.raises(GameDefinitionError) as error:
        parse_game(text, "a.game")

    assert str(error.value) == reason


def test_compiled_code_refuses_antes() -> None:
    refuses(ValueError, "know no antes", game_array, GAME)


# --- raises -------------------------------------------------------------------------------------------------

HEADS_UP = load_game("nolimit-2p")
"""Blinds of 100 and 50, stacks of 20000."""
NO_LIMIT_GAMES = [load_game("nolimit-2p"), load_game("nolimit-6p"), golden_game("lesscall")]

no_limit_hands = st.sampled_from(NO_LIMIT_GAMES).flatmap(lambda game: hands(game=game))
shares = st.integers(0, 64).map(lambda sixteenths: sixteenths / 16)
"""Of the pot; floats that are exact."""


def after_a_call(state: BettingState) -> int:
    """Chips in the middle once the player to act has called."""
    return sum(state.apply(CALL).spent)


# --- in pots -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "share", "total"),
    [
        ("c", 0.5, 200),  # 200 in the middle: 100 + 100
        ("c", 1.0, 300),
        ("", 1.0, 300),  # 150 in the middle, 50 to call: 100 + 200
        ("r300", 0.5, 600),  # 400 in the middle, 200 to call: 300 + 300
        ("r300c/", 0.75, 750),
        ("r300c/r900", 1.0, 2700),  # 1200 in the middle, 600 to call: 900 + 1800
        ("c", 0.25, 200),  # less than is allowed
        ("r300c/r900r3000", 1.0, 9000),
        ("r300c/r900r3001", 1.0, 9003),
        ("r300c/r900r4000", 1.0, 20000),  # 12000, more than half of what is left
        ("r300c/r900r4180", 0.75, 10450),  # 9550, half of the 19100 that are left
        ("r300c/r900r4181", 0.75, 20000),
    ],
)
def test_raise_of_pots_heads_up(text: str, share: float, total: int) -> None:
    state = parse_betting(HEADS_UP, text)

    assert state.raise_of_pots(share) == raise_to(total)


@given(no_limit_hands, shares)
def test_a_raise_of_pots_is_the_nearest_legal_one_or_all_in(states: list[HandState], share: float) -> None:
    for state in [state.betting for state in states[:-1]]:
        assert state.position_to_act is not None
        stack, spent = state.game.stacks[state.position_to_act], state.spent[state.position_to_act]
        legal = state.legal_actions()
        total = state.max_spent + Fraction(share) * after_a_call(state)

        action = state.raise_of_pots(share)

        assert action in legal
        if not legal.can_raise:
            assert action == CALL
        elif 2 * (total - spent) > stack - spent:
            assert action == raise_to(stack)
        else:
            assert action == legal.raising_to(round(total))


@given(hands(), st.floats(0, 100))
def test_in_limit_games_there_is_one_raise_whatever_the_share(states: list[HandState], share: float) -> None:
    for state in [state.betting for state in states[:-1] if state.betting.game.is_limit]:
        expected = LIMIT_RAISE if state.legal_actions().can_raise else CALL

        assert state.raise_of_pots(share) == expected


@given(no_limit_hands, st.floats(0, 100))
def test_a_total_in_pots_and_the_pots_of_a_total_undo_each_other(
    states: list[HandState], share: float
) -> None:
    for state in [state.betting for state in states[:-1]]:
        total = state.total_of_pots(share)

        assert total == pytest.approx(state.max_spent + share * after_a_call(state))
        assert state.pots_of_raise(total) == pytest.approx(share)


@given(no_limit_hands, st.integers(1, 12), st.integers(1, 12))
def test_simple_fractions_of_the_pot_are_exact_when_cut_down_to_chips(
    states: list[HandState], numerator: int, denominator: int
) -> None:
    """Floats lose nothing here, so that ``int`` of two thirds is ``* 2 // 3``."""
    for state in [state.betting for state in states[:-1]]:
        exact = state.max_spent + after_a_call(state) * numerator // denominator

        assert int(state.total_of_pots(numerator / denominator)) == exact


def test_when_the_hand_is_over_nobody_raises() -> None:
    state = parse_betting(HEADS_UP, "f")

    for ask in (state.pot_after_call, lambda: state.raise_of_pots(1.0), lambda: state.pots_of_raise(500)):
        refuses(IllegalActionError, "the hand is over", ask)


# --- none --------------------------------------------------------------------------------------------------


@given(hands())
def test_there_is_a_reason_exactly_where_there_is_no_raise(states: list[HandState]) -> None:
    for state in states[:-1]:
        legal = state.legal_actions()

        assert (legal.why_no_raise == "") == legal.can_raise


def test_no_raise_is_left_under_the_cap() -> None:
    legal = parse_betting(load_game("limit-2p"), "rrr").legal_actions()

    assert legal.why_no_raise == "No more raises are allowed in this betting round."


def test_a_round_can_become_too_long_for_a_raise() -> None:
    state = parse_betting(attrs.evolve(HEADS_UP, stacks=(10**6, 10**6)), "")
    while state.legal_actions().can_raise:
        state = state.apply(state.legal_actions().raising_to())

    assert state.raises_left() > 0
    assert state.legal_actions().why_no_raise == "This betting round has become too long for another raise."


def test_a_call_of_all_chips_leaves_none_to_raise_with() -> None:
    legal = parse_betting(HEADS_UP, "r20000").legal_actions()

    assert legal.why_no_raise == "You have no chips left to raise with."


def test_a_raise_needs_somebody_who_could_call_it() -> None:
    """docs/acpc-dealer.md E11: the caller is all-in for less, the small blind has folded."""
    legal = parse_betting(golden_game("lesscall"), "cf").legal_actions()

    assert legal.why_no_raise == "Nobody is left who could call a raise."
