"""The betting rules of docs/acpc-dealer.md section 3, by its examples and by properties of random hands."""

import gc
import weakref

import attrs
import pytest
from hypothesis import given, strategies as st

from engine.poker.rules import (
    CALL,
    FOLD,
    LIMIT_RAISE,
    Action,
    ActionKind,
    BettingState,
    GameDefinition,
    HandState,
    IllegalActionError,
    LegalActions,
    initial_betting,
    load_game,
    parse_betting,
    passing_betting,
    raise_to,
)
from tests.support.asserting import known, refuses
from tests.support.hands.golden_files import golden_game
from tests.support.hands.strategies import choices, choose, games, hands

HEADS_UP = load_game("nolimit-2p")
ALL_KINDS = (FOLD, CALL, LIMIT_RAISE)


def betting(game: str | GameDefinition, text: str) -> BettingState:
    return parse_betting(golden_game(game) if isinstance(game, str) else game, text)


# --- minimum raises (docs/acpc-dealer.md 3.4; blinds 100 and 50) -----------------------------------------


@pytest.mark.parametrize(("all_in", "smallest"), [(350, 500), (400, 500), (450, 600)])
def test_smallest_raise_after_a_short_all_in(all_in: int, smallest: int) -> None:
    game = attrs.evolve(golden_game("minr"), stacks=(all_in, 5000, 5000, 5000))

    legal = betting(game, f"r300cr{all_in}").legal_actions()

    assert legal.min_raise_to == smallest


def test_short_all_in_reopens_the_action_and_counts_as_a_raise() -> None:
    state = betting("minr", "r300cr400")

    assert state.raises_in_round == 2
    after = betting("minr", "r300cr400cc")  # both who had called 300 are asked again
    assert after.position_to_act == 3
    assert after.legal_actions().can_raise


def test_the_smallest_bet_without_blinds_is_one_chip() -> None:
    game = attrs.evolve(HEADS_UP, blinds=(0, 0))

    assert betting(game, "").legal_actions().min_raise_to == 1
    assert betting(game, "cc/").legal_actions().min_raise_to == 1
    assert betting(game, "r7").legal_actions().min_raise_to == 14


def test_a_stack_between_the_bet_and_the_smallest_raise_may_go_all_in_only() -> None:
    game = attrs.evolve(HEADS_UP, stacks=(450, 20000))

    legal = betting(game, "r300").legal_actions()

    assert (legal.min_raise_to, legal.max_raise_to) == (450, 450)
    assert raise_to(450) in legal
    assert raise_to(449) not in legal


def test_a_stack_not_above_the_bet_cannot_raise() -> None:
    game = attrs.evolve(load_game("nolimit-3p"), stacks=(300, 20000, 20000))

    legal = betting(game, "r300").legal_actions()

    assert not legal.can_raise


# --- what is legal (3.2) -----------------------------------------------------------------------------


def test_raise_cap_holds_in_no_limit_too() -> None:
    game = attrs.evolve(HEADS_UP, max_raises=(1, 0, 1, 1))

    assert not betting(game, "r300").legal_actions().can_raise
    assert not betting(game, "r300c/").legal_actions().can_raise
    assert betting(game, "r300c/cc/").legal_actions().can_raise


def test_a_lone_player_with_chips_cannot_raise() -> None:
    legal = betting("bballin", "f").legal_actions()

    assert legal.can_fold is True
    assert not legal.can_raise


@pytest.mark.parametrize(("players", "raises"), [(2, 63), (3, 62), (10, 55)])
def test_a_betting_round_takes_at_most_64_actions(players: int, raises: int) -> None:
    game = GameDefinition(
        False, players, 1, (1,) * players, (), 4, 13, 1, (0,), (20000,) * players, (0,), (255,)
    )  # fmt: skip

    state = betting(game, "".join(f"r{total}" for total in range(2, raises + 2)))

    assert state.is_capped_by_length
    assert not state.legal_actions().can_raise
    before, _, _ = state.steps()[-1]
    assert before.legal_actions().can_raise


def test_raising_by_the_smallest_amount_ends_in_a_forced_call() -> None:
    """docs/acpc-dealer.md D.2, the 64-action cap: 63 raises, then a call."""
    game = attrs.evolve(HEADS_UP, blinds=(1, 1))
    state = initial_betting(game)

    while state.betting_round == 0:
        state = state.apply(state.legal_actions().nearest(raise_to(0)))

    assert state.text == "".join(f"r{total}" for total in range(2, 65)) + "c/"
    assert state.spent == (64, 64)


# --- whose turn, and when it ends (3.1, 3.5) ---------------------------------------------------------


def test_the_last_player_with_chips_is_asked_even_for_a_mere_check() -> None:
    """docs/acpc-dealer.md E11: the caller is all-in for less, the small blind folds, the big one is asked."""
    state = betting("lesscall", "cf")

    assert state.position_to_act == 1
    assert state.legal_actions() == LegalActions(False, None, None, is_limit=False)
    assert state.apply(CALL).text == "cfc///"


def test_a_position_all_in_by_its_blind_is_skipped() -> None:
    """docs/acpc-dealer.md E10."""
    assert betting("bballin", "c").position_to_act == 0
    assert betting("bballin", "cc/").position_to_act == 0
    assert betting("bballin", "cc/c").position_to_act == 2


def test_a_hand_in_which_nobody_can_act_is_a_showdown_from_the_start() -> None:
    game = attrs.evolve(HEADS_UP, blinds=(100, 50), stacks=(100, 50))

    state = initial_betting(game)

    assert state.is_showdown
    assert (state.text, state.num_board_cards) == ("///", 5)
    assert betting(game, "///").is_showdown


def test_a_short_limit_raise_lowers_the_bet() -> None:
    """docs/acpc-dealer.md E12."""
    state = betting("limstack", "rcr")

    assert (state.max_spent, state.spent) == (15, (30, 30, 15))
    assert state.amount_to_call(0) == -15
    assert state.legal_actions().can_fold
    assert betting("limstack", "rcrcc/").spent == (15, 15, 15)


# --- correcting actions (5.6) ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted", "played"),
    [
        ("", raise_to(150), raise_to(200)), ("r200", raise_to(1), raise_to(300)),
        ("r200r300c/", raise_to(100), raise_to(400)), ("r200r300c/r400", raise_to(99999), raise_to(20000)),
        ("c", FOLD, CALL), ("", FOLD, FOLD), ("r20000", raise_to(20000), CALL), ("", LIMIT_RAISE, CALL),
    ],
)  # fmt: skip
def test_nearest_legal_action(text: str, wanted: Action, played: Action) -> None:
    assert betting(HEADS_UP, text).legal_actions().nearest(wanted) == played


def test_a_size_is_dropped_from_a_limit_raise() -> None:
    legal = betting(load_game("limit-2p"), "").legal_actions()

    assert legal.nearest(raise_to(500)) == LIMIT_RAISE
    assert raise_to(20) not in legal


def test_an_illegal_action_is_refused_with_what_would_be_legal() -> None:
    with pytest.raises(
        IllegalActionError, match=r"f by position 0 after 'c' is not legal: expected c, r200 to r20000"
    ):
        betting(HEADS_UP, "c").apply(FOLD)
    refuses(IllegalActionError, "the hand is over", betting(HEADS_UP, "f").apply, CALL)
    refuses(IllegalActionError, "the hand is over", betting(HEADS_UP, "f").legal_actions)


@pytest.mark.parametrize(
    "text",
    ["x", "r", "rr", "r199", "r20001", "cf", "cc", "c/c", "cc//", "/", "r300c", "r300 c", "R300", "k", "fc",
     "f/", "cc/cc/cc/cc/", "cc/cc/cc/ccc", "r20000c", "r20000c//", "r20000c////", "r" + "9" * 5000, "r٣٠٠"],
)  # fmt: skip
def test_text_that_is_not_exactly_a_legal_sequence_is_refused(text: str) -> None:
    refuses(IllegalActionError, "", betting, HEADS_UP, text)


# --- properties ----------------------------------------------------------------------------------------


@given(hands())
def test_betting_text_says_it_all(states: list[HandState]) -> None:
    game = states[0].betting.game
    for state in states:
        read = parse_betting(game, state.betting.text)

        assert read.text == state.betting.text
        assert (read.spent, read.folded) == (state.betting.spent, state.betting.folded)
        assert read.position_to_act == state.position_to_act


@given(hands())
def test_steps_lead_from_the_first_state_to_the_last(states: list[HandState]) -> None:
    end = states[-1].betting
    steps = end.steps()

    assert [before for before, _, _ in steps] == [state.betting for state in states[:-1]]
    assert [position for _, position, _ in steps] == [state.position_to_act for state in states[:-1]]
    assert list(end.steps_back()) == steps[::-1]
    for position in range(end.game.num_players):
        assert end.times_acted(position) == [who for _, who, _ in steps].count(position)


@given(hands())
def test_steps_are_the_actions_that_the_betting_text_spells(states: list[HandState]) -> None:
    end = states[-1].betting
    text = "".join([str(action) for _, _, action in end.steps()])
    by_round = ["" for _ in range(end.betting_round + 1)]
    for before, _, action in end.steps():
        by_round[before.betting_round] += str(action)

    assert text == end.text.replace("/", "")
    assert "/".join(by_round) == end.text


@given(hands())
def test_the_player_to_act_has_chips_and_has_not_folded(states: list[HandState]) -> None:
    for state in states[:-1]:
        position = known(state.position_to_act)
        assert state.betting.can_act(position)
        assert 0 <= state.betting.spent[position] < state.betting.game.stacks[position]


@given(hands(), st.integers(0, 2**16))
def test_an_action_is_legal_exactly_when_it_can_be_applied(states: list[HandState], size: int) -> None:
    for state in states[:-1]:
        legal = state.legal_actions()
        for action in (*ALL_KINDS, raise_to(size), raise_to(legal.min_raise_to or 1), raise_to(-1)):
            if action in legal:
                assert state.apply(action).betting.last_step == (state.betting, state.position_to_act, action)
            else:
                refuses(IllegalActionError, "", state.apply, action)
            assert legal.nearest(action) in legal
        assert CALL in legal


@given(games(conserving=True), choices)
def test_a_raise_is_always_above_the_bet_and_within_the_stack(game: GameDefinition, made: list[int]) -> None:
    state = initial_betting(game)
    for choice in made:
        if state.is_finished:
            return
        legal = state.legal_actions()
        if not game.is_limit and legal.min_raise_to is not None and legal.max_raise_to is not None:
            assert state.position_to_act is not None
            assert state.max_spent < legal.min_raise_to <= legal.max_raise_to
            assert legal.max_raise_to == game.stacks[state.position_to_act]
        state = state.apply(choose(choice, legal))


@given(hands())
def test_a_round_never_has_more_than_64_actions_or_too_many_raises(states: list[HandState]) -> None:
    game = states[0].betting.game
    steps = states[-1].betting.steps()
    for betting_round in range(game.num_rounds):
        kinds = [action.kind for before, _, action in steps if before.betting_round == betting_round]
        assert len(kinds) <= 64
        assert kinds.count(ActionKind.RAISE) <= game.max_raises[betting_round]


def test_remembered_children_are_bounded() -> None:
    game = attrs.evolve(HEADS_UP, stacks=(10**6, 10**6))
    root = initial_betting(game)

    for total in range(200, 30_200):
        root.apply(raise_to(total))

    assert root.apply(raise_to(30_199)).text == "r30199"
    assert len(root._children) == 20_000


# --- trees that are walked once ----------------------------------------------------------------------------


@given(hands())
def test_a_passing_tree_has_the_same_nodes(states: list[HandState]) -> None:
    node = passing_betting(states[0].betting.game)
    end = states[-1].betting
    for before, _, action in end.steps():
        assert node.text == before.text
        assert node.legal_actions() == before.legal_actions()
        assert node.is_legal(action)
        node = node.apply(action)

    assert (node.text, node.spent, node.folded) == (end.text, end.spent, end.folded)
    assert node.position_to_act is None


def test_a_passing_tree_goes_with_the_hand_and_without_a_collection() -> None:
    root = passing_betting(HEADS_UP)
    node = root.apply(CALL).apply(CALL)
    seen = weakref.ref(root)
    gc.disable()
    try:
        del root
        assert seen() is not None  # the hand is still played
        del node
        assert seen() is None
    finally:
        gc.enable()
