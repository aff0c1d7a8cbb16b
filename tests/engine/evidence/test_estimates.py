"""Estimates: unbiased by enumeration of whole games and by simulated matches, and narrower."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import attrs
import numpy as np
import pytest

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.evidence.columns.hands import HandColumns
from engine.evidence.control_variates import FIRST_BLOCK
from engine.evidence.estimates import ESTIMATORS, Evidence
from engine.poker.rules import CALL, FOLD, Deal, GameDefinition, HandState, initial_hand, load_game
from tests.support.asserting import known, refuses
from tests.support.hands.evidence import Row, evidence_of


def every_hand(game: GameDefinition) -> Iterator[tuple[float, HandState]]:
    """Every deal with every betting, and its chance where all actions are equally likely."""
    holes, board = game.num_hole_cards * game.num_players, game.board_ends[-1]
    deals = list(itertools.permutations(game.deck, holes + board))
    for cards in deals:
        hole_cards = tuple((card,) for card in cards[:holes])
        yield from _ends(initial_hand(game, 0, Deal(hole_cards, cards[holes:])), 1 / len(deals))


def _ends(state: HandState, chance: float) -> Iterator[tuple[float, HandState]]:
    if state.is_finished:
        yield chance, state
        return
    legal = state.legal_actions()
    actions = [FOLD] if legal.can_fold else []
    actions += [CALL]
    actions += [legal.raising_to()] if legal.can_raise else []
    # The rank of the card decides: what is done depends on hidden cards, as it does in earnest.
    position = known(state.position_to_act)
    rank = state.deal.hole_cards[position][0] >> 2
    weights = [1.0 + (rank + 2 * number) % 5 for number in range(len(actions))]
    for action, weight in zip(actions, weights, strict=True):
        yield from _ends(state.apply(action), chance * weight / sum(weights))


@pytest.mark.parametrize("name", ["kuhn-2p", "kuhn-3p", "leduc"])
def test_nothing_is_added_or_taken_on_average_over_a_whole_game(name: str) -> None:
    """All hands of the game, by what they pay and by what is left of it: the same mean to 1e-12."""
    game = load_game(name)
    chances, hands = zip(*every_hand(game), strict=True)
    # One deal: coefficients are those fixed beforehand.
    evidence = evidence_of([(state, state.chips_won(), range(game.num_players), 0) for state in hands])
    weights = np.array(chances)
    assert weights.sum() == pytest.approx(1.0)

    chips, equity = known(evidence.values("chips")), known(evidence.values("equity"))
    assert np.abs(weights @ (equity - chips)).max() < 1e-12
    assert np.abs(equity.sum(axis=1)).max() < 1e-9
    variance = weights @ (chips - weights @ chips) ** 2
    left = weights @ (equity - weights @ equity) ** 2
    assert (left < 0.9 * variance).all()


def played(name: str, bots: list[str], hands: int, seed: int) -> Evidence:
    game = load_game(name)
    arena = Arena(game, [make_bot(bot) for bot in bots], seed)
    rows: list[Row] = []
    n = game.num_players

    def add(end: HandState, chips: tuple[float, ...]) -> None:
        number = end.hand_number
        rows.append((end, chips, [(position + number) % n for position in range(n)], number))

    arena.play(hands, on_hand=add)
    return evidence_of(rows)


@pytest.mark.parametrize(
    ("name", "matches"),
    [
        ("leduc", 60),
        ("limit-2p", 40),
        pytest.param("leduc", 200, marks=pytest.mark.slow),
        pytest.param("limit-2p", 200, marks=pytest.mark.slow),
        pytest.param("nolimit-2p-100bb", 200, marks=pytest.mark.slow),
        pytest.param("limit-3p", 200, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_what_is_taken_out_of_many_matches_is_nothing_but_noise(name: str, matches: int) -> None:
    """z of the mean difference in each match: normal, mean 0, variance 1."""
    scores = []
    for seed in range(matches):
        evidence = played(name, ["always-call", *["random"] * (load_game(name).num_players - 1)], 100, seed)
        chips, equity = known(evidence.values("chips")), known(evidence.values("equity"))
        rows, positions = np.nonzero(evidence.players == 0)
        taken = (chips - equity)[rows, positions]
        scores.append(taken.mean() / (taken.std(ddof=1) / np.sqrt(len(taken))))
    assert abs(np.mean(scores)) < 3.3 / np.sqrt(matches)
    assert np.std(scores) == pytest.approx(1.0, abs=3.3 / np.sqrt(2 * matches) + 0.05)


@pytest.mark.parametrize(
    ("name", "bots", "factor"),
    [
        ("limit-2p", ["always-call", "always-raise"], 1.9),
        ("limit-3p", ["always-call", "random", "random"], 1.5),
        ("nolimit-3p", ["always-call", "always-all-in", "random"], 2.0),
        ("kuhn-3p", ["random", "random", "always-call"], 1.2),
        ("leduc", ["random", "always-call"], 1.5),
    ],
)
def test_intervals_get_narrower_and_chips_are_conserved(name: str, bots: list[str], factor: float) -> None:
    evidence = played(name, bots, 400, 3)
    estimates = evidence.estimates()

    for estimator in ESTIMATORS:
        values = known(evidence.values(estimator))
        assert np.abs(values.sum(axis=1)).max() < 1e-6
    widths = {
        estimator: np.sqrt(sum(each.ci95**2 for each in estimates[estimator] if each and each.ci95))
        for estimator in ESTIMATORS
    }
    assert widths["all_in"] <= widths["chips"] * 1.0001
    assert widths["chips"] ** 2 / widths["equity"] ** 2 > factor


def test_a_deal_that_was_played_from_each_seat_is_one_sample() -> None:
    game = load_game("limit-2p")
    rows: list[Row] = []
    for number in range(2):
        arena = Arena(game, [make_bot("always-call"), make_bot("always-call")], 8)

        def add(end: HandState, chips: tuple[float, ...], number: int = number) -> None:
            seats = [(position + end.hand_number) % 2 for position in range(2)]
            rows.append((end, chips, [(seat - number) % 2 for seat in seats], end.hand_number))

        arena.play(50, on_hand=add)
    # One pass only.
    arena.play(1, on_hand=lambda end, chips: rows.append((end, chips, (0, 1), end.hand_number)))

    chips, _ = evidence_of(rows, passes=2).estimates()["chips"]
    assert chips is not None
    assert chips.samples == 50
    assert chips.ci95 == 0.0  # what one pass gives the other takes


def test_cards_that_are_not_shown_leave_what_needs_none() -> None:
    evidence = played("nolimit-2p-100bb", ["always-fold", "always-call"], 20, 1)
    rows: list[Row] = []
    arena = Arena(load_game("nolimit-2p-100bb"), [make_bot("always-fold"), make_bot("always-call")], 1)

    def add(end: HandState, chips: tuple[float, ...]) -> None:
        unshown = attrs.evolve(end.deal, hole_cards=((), ()))
        rows.append((attrs.evolve(end, deal=unshown), chips, (0, 1), end.hand_number))

    arena.play(20, on_hand=add)
    hidden = evidence_of(rows)

    assert not evidence.missing
    assert hidden.missing == {
        "equity": "it needs everybody's hole cards: hand 0 does not show those of position 0"
    }
    assert hidden.values("equity") is None
    assert hidden.estimates()["equity"] == (None, None)
    values, chips = known(hidden.values("all_in")), known(hidden.values("chips"))
    assert (values == chips).all()


def test_no_hands_have_no_estimates() -> None:
    evidence = Evidence(load_game("limit-2p"))

    assert evidence.estimates() == dict.fromkeys(ESTIMATORS, ())


def test_a_hand_that_is_not_over_is_refused() -> None:
    game = load_game("leduc")
    state = initial_hand(game, 0, Deal(((47,), (51,)), (50,)))

    refuses(ValueError, "expected the end of a hand", HandColumns.of, game, [state])


def test_the_first_deals_are_corrected_by_the_pot() -> None:
    """Before anything was fitted a share of the pot is worth that share of it."""
    evidence = played("limit-2p", ["always-call", "always-call"], FIRST_BLOCK, 2)

    chips, equity = evidence.values("chips"), evidence.values("equity")

    # All cards of hands that are called down are taken out, to the last.
    assert chips is not None
    assert equity is not None
    assert np.abs(equity).max() < 1e-9
    assert np.abs(chips).max() == 10
