"""Hands, dealt and played: against published deals, logs of the ACPC dealer byte for byte, and OpenSpiel."""

import gc
import random
import types
from itertools import islice

import attrs
import numpy as np
import pyspiel
import pytest
from hypothesis import given, strategies as st

from clients.lab.adapters.openspiel import openspiel_game
from engine.poker import rules
from protocol.match_state import format_hole_cards_and_board
from protocol.records import format_hand, format_score, parse_hand
from tests.support.asserting import known, refuses
from tests.support.hands.golden_files import (
    LOGS,
    deals_from,
    golden_game,
    golden_lines,
    golden_log,
    play_actions,
    rebuilt_log,
)
from tests.support.hands.strategies import choices, choose, games, hands, play, random_hand

# --- hand state ---------------------------------------------------------------------------------------------


def may_see(state: rules.HandState, viewer: int, position: int) -> bool:
    """docs/acpc-dealer.md 2.3, word for word."""
    folded = state.betting.folded
    if viewer == position:
        return True
    return state.is_finished and folded.count(False) >= 2 and not folded[position]


@given(hands())
def test_a_view_shows_exactly_the_hole_cards_its_player_may_see(states: list[rules.HandState]) -> None:
    for state in states:
        for viewer in range(state.betting.game.num_players):
            shown = state.view(viewer).hole_cards

            for position, cards in enumerate(state.deal.hole_cards):
                assert shown[position] == (cards if may_see(state, viewer, position) else ())


@given(hands())
def test_a_view_shows_the_board_as_far_as_it_is_out(states: list[rules.HandState]) -> None:
    for state in states:
        out = sum(state.betting.game.num_board_cards[: state.betting.betting_round + 1])
        assert state.view(0).board == state.board == state.deal.board[:out]


def reachable(root: object) -> list[object]:
    """Everything that can be got at from an object, types and modules aside."""
    seen: dict[int, object] = {}
    todo = [root]
    while todo:
        thing = todo.pop()
        if id(thing) in seen or isinstance(thing, type | types.ModuleType | types.FunctionType):
            continue
        seen[id(thing)] = thing
        todo += gc.get_referents(thing)
    return list(seen.values())


def test_nothing_in_a_view_leads_to_the_other_cards() -> None:
    deal = next(deals_from(rules.load_game("limit-3p"), 7))
    state = rules.initial_hand(rules.load_game("limit-3p"), 0, deal).apply(rules.CALL)

    found = reachable(state.view(1))

    assert any(thing is deal.hole_cards[1] for thing in found)
    assert not any(thing is deal.hole_cards[0] or thing is deal.hole_cards[2] for thing in found)
    assert not any(isinstance(thing, rules.HandState | rules.Deal) for thing in found)


def test_a_view_knows_whose_turn_it_is_and_the_price() -> None:
    state = rules.initial_hand(
        rules.load_game("limit-2p"), 3, next(deals_from(rules.load_game("limit-2p"), 7))
    )
    view = state.view(1)

    assert isinstance(view, rules.HandView)
    assert (view.is_our_turn, view.is_finished, view.betting_round) == (True, False, 0)
    assert (view.pot, view.amount_to_call, view.hand_number) == (15, 5, 3)
    assert view.legal_actions() == state.legal_actions()
    assert view.game is state.betting.game
    assert state.view(0).is_our_turn is False


def test_states_are_values() -> None:
    game = rules.load_game("limit-2p")
    first = rules.initial_hand(game, 0, next(deals_from(game, 7)))

    assert first == rules.initial_hand(game, 0, next(deals_from(game, 7)))
    assert first.apply(rules.CALL) == first.apply(rules.CALL) != first
    assert first.betting.text == ""


# --- hand loop ----------------------------------------------------------------------------------------------


@given(games(), st.integers(0, 2**32 - 1), choices)
def test_the_loop_asks_at_every_decision_and_returns_the_end(
    game: rules.GameDefinition, seed: int, made: list[int]
) -> None:
    expected = play(game, seed, made, hand_number=3)
    hand = rules.play_hand(game, 3, rules.CardDealer(game, seed).deal())

    seen = []
    try:
        state = next(hand)
        for choice in [*made, *[0] * 1000]:
            seen.append(state)
            state = hand.send(choose(choice, state.legal_actions()))
    except StopIteration as stop:
        seen.append(stop.value)

    assert seen == expected


def test_an_illegal_action_is_refused() -> None:
    game = rules.load_game("leduc")
    hand = rules.play_hand(game, 0, rules.CardDealer(game, 0).deal())
    next(hand)

    refuses(rules.IllegalActionError, "", hand.send, rules.FOLD)
    refuses(StopIteration, "", hand.send, rules.CALL)


def test_the_same_seeds_play_the_same_hands() -> None:
    game = rules.load_game("nolimit-6p")

    def match() -> list[tuple[float, ...]]:
        dealer, rng = rules.CardDealer(game, 5), random.Random(5)
        return [random_hand(game, number, dealer, rng).chips_won() for number in range(20)]

    assert match() == match()


# --- dealing ------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1))
def test_generator_is_numpys_mersenne_twister(seed: int) -> None:
    generator = rules.acpc_generator(seed)
    expected = np.random.RandomState(seed).randint(0, 2**32, size=2000, dtype=np.uint32)

    assert [generator.getrandbits(32) for _ in range(2000)] == expected.tolist()


def test_seed_counts_modulo_32_bits() -> None:
    assert rules.acpc_generator(2**32 + 1).getrandbits(32) == rules.acpc_generator(1).getrandbits(32)


def deal_plainly(game: rules.GameDefinition, outputs: list[int]) -> rules.Deal:
    """docs/acpc-dealer.md 4.3 and 4.4, word for word."""
    deck = [
        rank * 4 + suit for suit in range(4 - game.num_suits, 4) for rank in range(13 - game.num_ranks, 13)
    ]
    drawn = []
    for output in outputs:
        index = output % len(deck)
        drawn.append(deck[index])
        deck[index] = deck[-1]
        deck.pop()
    hole = [tuple(drawn[p * game.num_hole_cards :][: game.num_hole_cards]) for p in range(game.num_players)]
    return rules.Deal(tuple(hole), tuple(drawn[game.num_players * game.num_hole_cards :]))


@given(games(), st.integers(0, 2**32 - 1))
def test_each_hand_uses_the_next_outputs_on_a_fresh_deck(game: rules.GameDefinition, seed: int) -> None:
    number = game.num_players * game.num_hole_cards + sum(game.num_board_cards)
    outputs = np.random.RandomState(seed).randint(0, 2**32, size=3 * number, dtype=np.uint32).tolist()

    dealt = list(islice(deals_from(game, seed), 3))

    assert dealt == [deal_plainly(game, outputs[h * number : (h + 1) * number]) for h in range(3)]
    for deal in dealt:
        cards = [*sum(deal.hole_cards, ()), *deal.board]
        assert len(set(cards)) == len(cards) == number
        assert set(cards) <= set(game.deck)


@given(games(), st.integers(0, 50))
def test_skipped_hands_are_the_hands_that_would_have_been_dealt(
    game: rules.GameDefinition, hands: int
) -> None:
    dealer = rules.CardDealer(game, 7)

    dealer.skip(hands)

    assert dealer.deal() == next(islice(deals_from(game, 7), hands, None))


def test_stacked_dealer_deals_what_it_is_given_and_then_stops() -> None:
    first, second = islice(deals_from(rules.load_game("leduc"), 3), 2)
    dealer = rules.StackedDealer([second, first])

    assert (dealer.deal(), dealer.deal()) == (second, first)
    refuses(LookupError, "no more hands", dealer.deal)


def test_stacked_hands_can_be_passed_over() -> None:
    deals = list(islice(deals_from(rules.load_game("leduc"), 3), 3))
    dealer = rules.StackedDealer(deals)

    dealer.skip(2)

    assert dealer.deal() == deals[2]


# --- golden logs --------------------------------------------------------------------------------------------


def test_all_golden_logs_are_there() -> None:
    assert len(LOGS) == 26


@pytest.mark.parametrize("name", LOGS)
def test_log_follows_from_game_seed_and_betting(name: str) -> None:
    log = golden_log(name)
    assert len(log.records) == log.hands

    rebuilt = rebuilt_log(log)

    assert rebuilt == log.text


@pytest.mark.parametrize(("game_name", "seed", "line"), golden_lines("hands.txt"))
def test_logged_hand_follows_from_game_seed_and_betting(game_name: str, seed: str, line: str) -> None:
    game = golden_game(game_name)
    record = known(parse_hand(line))
    deal = next(islice(deals_from(game, int(seed)), record.hand_number, None))
    actions = [action for _, _, action in rules.parse_betting(game, record.betting).steps()]

    asked, end = play_actions(game, record.hand_number, deal, actions)

    assert format_hand(end, end.chips_won(), record.names) == line + "\n"
    assert all(action in state.legal_actions() for state, action in zip(asked, actions, strict=True))


@pytest.mark.parametrize(("game_name", "seed", "rest"), golden_lines("deals.txt"))
def test_deal_follows_from_seed(game_name: str, seed: str, rest: str) -> None:
    game = golden_game(game_name)
    hand_number, cards = rest.split()

    deal = next(islice(deals_from(game, int(seed)), int(hand_number), None))

    dealt = format_hole_cards_and_board(deal.hole_cards, deal.board, game.board_ends, game.num_rounds - 1)
    assert dealt == cards


@pytest.mark.parametrize(("game_name", "seed", "line"), golden_lines("call_scores.txt"))
def test_score_of_a_thousand_called_hands(game_name: str, seed: str, line: str) -> None:
    game = golden_game(game_name)
    totals = [0.0] * game.num_players

    for hand_number, deal in enumerate(islice(deals_from(game, int(seed)), 1000)):
        state = rules.initial_hand(game, hand_number, deal)
        while not state.is_finished:
            state = state.apply(rules.CALL)
        for position, chips in enumerate(state.chips_won()):
            totals[(position + hand_number) % game.num_players] += chips

    assert format_score(totals, [f"p{seat}" for seat in range(game.num_players)]) == line + "\n"


# --- openspiel ----------------------------------------------------------------------------------------------

HANDS = 100
"""Hands of each game; there are twenty games."""

SHORT_STACKS = (260, 35, 1200, 90, 510, 700)


def game_of(is_limit: bool, players: int, stacks: tuple[int, ...]) -> rules.GameDefinition:
    game = rules.load_game(f"{'limit' if is_limit else 'nolimit'}-{min(players, 3)}p")
    scale = 1 if is_limit else 10  # blinds of 5 and 10 in both
    blinds = tuple(blind // scale for blind in game.blinds) + (0,) * (players - 3)
    return attrs.evolve(game, num_players=players, blinds=blinds, stacks=stacks[:players])


def openspiel_actions(legal: rules.LegalActions) -> list[int]:
    """Legal actions in OpenSpiel's numbers: fold 0, call 1, limit raise 2, no-limit raise its total."""
    actions = [0, 1] if legal.can_fold else [1]
    if legal.min_raise_to is not None and legal.max_raise_to is not None:
        actions += [2] if legal.is_limit else range(legal.min_raise_to, legal.max_raise_to + 1)
    return actions


def acpc_state(state: rules.HandState) -> str:
    cards = format_hole_cards_and_board(
        state.deal.hole_cards, state.board, state.betting.game.board_ends, state.betting.betting_round
    )
    return f"STATE:0:{state.betting.text}:{cards}"


def check_hand(state: rules.HandState, theirs: pyspiel.State, rng: random.Random) -> None:
    """Play one random hand in both implementations."""
    cards = iter([*sum(state.deal.hole_cards, ()), *state.deal.board])
    while True:
        while theirs.is_chance_node():
            theirs.apply_action(next(cards))
        text = acpc_state(state)
        assert theirs.to_dict()["acpc_state"].partition("\n")[0] == text
        assert theirs.is_terminal() == state.is_finished, text
        if state.is_finished:
            assert theirs.returns() == pytest.approx(state.chips_won(), abs=1e-9), text
            return
        assert theirs.current_player() == state.position_to_act, text
        legal = state.legal_actions()
        assert theirs.legal_actions() == openspiel_actions(legal), text
        action = choose(rng.randrange(2**16), legal)
        if action.kind is rules.ActionKind.RAISE:
            theirs.apply_action(2 if action.raise_to is None else action.raise_to)
        else:
            theirs.apply_action(1 if action.kind is rules.ActionKind.CALL else 0)
        state = state.apply(action)


@pytest.mark.parametrize("stacks", [(1000,) * 6, SHORT_STACKS], ids=["equal stacks", "unequal stacks"])
@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("is_limit", [True, False], ids=["limit", "no-limit"])
def test_random_hands_are_played_as_openspiel_plays_them(
    is_limit: bool, players: int, stacks: tuple[int, ...]
) -> None:
    game = game_of(is_limit, players, stacks)
    spiel = openspiel_game(game)
    dealer = rules.CardDealer(game, players)
    rng = random.Random(players)

    for hand_number in range(HANDS):
        check_hand(rules.initial_hand(game, hand_number, dealer.deal()), spiel.new_initial_state(), rng)
