"""Hole cards drawn together: the joint distribution, counted out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.hands.hand_rank import hand_ranks
from engine.players.trials.sampler import JointSampler
from engine.poker.cards import parse_written_cards
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, NUM_COMBOS, combo_index, combos_without

Floats = NDArray[np.float64]

OWN = tuple(parse_written_cards("AdQc"))
BOARD = tuple(parse_written_cards("Jh4c3h"))


def narrow_table(seed: int, combos: int, cards: str) -> Floats:
    """Some weight on a few hands of a few cards, so that players get in each other's way."""
    rng = np.random.default_rng(seed)
    deck = parse_written_cards(cards)
    possible = [combo_index(*pair) for pair in itertools.combinations(deck, 2)]
    table = np.zeros(NUM_COMBOS)
    table[rng.choice(possible, combos, replace=False)] = rng.random(combos) ** 2 + 0.01
    return table


def cards_of(combo: int) -> set[int]:
    return {int(COMBO_HIGH[combo]), int(COMBO_LOW[combo])}


def exact_joint(tables: list[Floats]) -> dict[tuple[int, ...], float]:
    joint: dict[tuple[int, ...], float] = {}
    dead = {*OWN, *BOARD}
    for combos in itertools.product(*[np.flatnonzero(table).tolist() for table in tables]):
        held = [cards_of(combo) for combo in combos]
        if len(set().union(*held)) == 2 * len(combos) and not dead & set().union(*held):
            joint[combos] = float(np.prod([t[c] for t, c in zip(tables, combos, strict=True)]))
    total = sum(joint.values())
    return {combos: weight / total for combos, weight in joint.items()}


@pytest.mark.parametrize("seed", range(3))
def test_three_hands_come_as_often_as_the_product_of_their_tables_says(seed: int) -> None:
    """Chi-square over all triples of hands that share no card, of tables that overlap in eight cards."""
    tables = [narrow_table(10 * seed + player, 9, "As Ks Qs Js Ts 9s 8s 7s") for player in range(3)]
    exact = exact_joint(tables)
    sampler = JointSampler(OWN, 0, BOARD, dict(enumerate(tables, start=1)))
    trials = 60_000

    holes, _, _ = sampler.deal(trials, seed=seed)

    drawn = np.array(
        [[combo_index(*map(int, holes[t, p])) for p in (1, 2, 3)] for t in range(trials)], np.int64
    )
    triples, counts = np.unique(drawn, axis=0, return_counts=True)
    seen = dict(zip(map(tuple, triples.tolist()), counts.tolist(), strict=True))
    assert set(seen) <= set(exact)
    likely = [combos for combos, chance in exact.items() if chance * trials >= 5]
    chi_square = sum(
        (seen.get(combos, 0) - exact[combos] * trials) ** 2 / (exact[combos] * trials) for combos in likely
    )
    # Mean and deviation of chi-square are n and sqrt(2 n).
    assert abs(chi_square - len(likely)) < 4 * (2 * len(likely)) ** 0.5
    assert sampler.dealt_in_turn == 0


def test_nobody_is_favoured_for_being_dealt_first() -> None:
    """Two players with the same two hands that share a card, and each a third: by symmetry each holds his
    third equally often, which dealing one after the other would not give.
    """
    first, second = np.zeros(NUM_COMBOS), np.zeros(NUM_COMBOS)
    shared, low, high = combo_index(51, 46), combo_index(4, 0), combo_index(5, 1)
    first[[shared, low]] = second[[shared, high]] = 1

    holes, _, _ = JointSampler(OWN, 0, BOARD, {1: first, 2: second}).deal(30_000, seed=1)

    thirds = [np.mean((np.sort(holes[:, p]) < 6).all(axis=1)) for p in (1, 2)]
    # (shared, high), (low, shared) and (low, high) are equally likely.
    assert thirds == pytest.approx([2 / 3, 2 / 3], abs=0.011)


def test_no_card_is_dealt_twice_and_known_cards_stay_where_they_are() -> None:
    tables = {position: np.ones(NUM_COMBOS) for position in range(10) if position != 4}

    holes, boards, seeds = JointSampler(OWN, 4, BOARD, tables).deal(2000, seed=1)

    assert (holes[:, 4] == OWN).all()
    assert (boards[:, :3] == BOARD).all()
    everything = np.concatenate([holes.reshape(2000, 20), boards], axis=1)
    assert all(len(set(row)) == 25 for row in everything.tolist())
    assert everything.max() < 52
    assert len(np.unique(seeds)) == 2000


def test_the_cards_to_come_are_uniform() -> None:
    _, boards, _ = JointSampler(OWN, 0, BOARD, {1: np.ones(NUM_COMBOS)}).deal(47_000, seed=3)

    counts = np.bincount(boards[:, 3], minlength=52)

    live = [card for card in range(52) if card not in {*OWN, *BOARD}]
    assert counts[live].sum() == 47_000
    assert ((counts[live] - 1000) ** 2 / 1000).sum() < 46 + 4 * 92**0.5


def test_a_player_who_folded_without_telling_anything_need_not_be_dealt_in() -> None:
    """With the hands of those who remain distributed as before."""
    table = narrow_table(5, 6, "As Ks Qs Js 2s")
    everybody = {1: table, 2: np.ones(NUM_COMBOS), 3: np.ones(NUM_COMBOS)}

    with_them, _, _ = JointSampler(OWN, 0, BOARD, everybody).deal(20_000, seed=1)
    without, _, _ = JointSampler(OWN, 0, BOARD, everybody, passive=[2, 3]).deal(20_000, seed=2)

    def shares(holes: NDArray[np.uint8]) -> Floats:
        combos = [combo_index(*map(int, hand)) for hand in holes[:, 1]]
        return np.bincount(combos, minlength=NUM_COMBOS) / len(combos)

    assert (without[:, 2:4] == 0).all()
    assert abs(shares(with_them) - shares(without)).max() < 4 * (0.5 / 20_000) ** 0.5


def test_the_share_of_trials_in_which_we_are_ahead_is_the_hand_strength() -> None:
    """Loki: a simulation contains it.  Poki 3.3.1: A♦Q♣ on J♥4♣3♥ is ahead of .585 of all hands."""
    trials = 40_000
    holes, _, _ = JointSampler(OWN, 0, BOARD, {1: np.ones(NUM_COMBOS)}).deal(trials, seed=1)
    board = np.tile(np.array(BOARD, np.uint8), (trials, 1))

    ours = hand_ranks(np.concatenate([holes[:, 0], board], axis=1)).astype(int)
    theirs = hand_ranks(np.concatenate([holes[:, 1], board], axis=1)).astype(int)

    share = (ours > theirs) + 0.5 * (ours == theirs)
    assert abs(share.mean() - 0.585) < 3 * share.std() / trials**0.5 + 0.0005


@pytest.mark.parametrize(("cards", "potential"), [(1, 0.406), (2, 0.620)])
def test_the_share_of_trials_that_improve_is_the_potential(cards: int, potential: float) -> None:
    """Poki 3.3.2: 7♥9♥ on 8♥6♣4♥, with one and with two cards to come (eq 3.1)."""
    trials = 40_000
    own, flop = tuple(parse_written_cards("7h9h")), tuple(parse_written_cards("8h6c4h"))
    holes, boards, _ = JointSampler(own, 0, flop, {1: np.ones(NUM_COMBOS)}).deal(trials, seed=2)

    def outcome(size: int) -> NDArray[np.int64]:
        """1 ahead, 0 tied, -1 behind on the first so many board cards."""
        ours = hand_ranks(np.concatenate([holes[:, 0], boards[:, :size]], axis=1)).astype(np.int64)
        theirs = hand_ranks(np.concatenate([holes[:, 1], boards[:, :size]], axis=1)).astype(np.int64)
        signs: NDArray[np.int64] = np.sign(ours - theirs)
        return signs

    before, after = outcome(3), outcome(3 + cards)
    gained = np.where(before < 0, (after + 1) / 2, np.where(before == 0, after == 1, 0) / 2)
    could = np.where(before < 0, 1.0, np.where(before == 0, 0.5, 0.0))

    share = gained.sum() / could.sum()
    error = np.std(gained - share * could) * trials**0.5 / could.sum()
    assert abs(share - potential) < 3 * error + 0.0005


def test_tables_that_never_fit_are_dealt_in_turn_and_counted() -> None:
    """Two players who can only hold the same card: better a hand of some kind than none."""
    same = np.zeros(NUM_COMBOS)
    same[combo_index(51, 50)] = 1

    sampler = JointSampler(OWN, 0, BOARD, {1: same, 2: same}, max_attempts=50)
    holes, boards, _ = sampler.deal(100, seed=1)

    assert sampler.dealt_in_turn == 100
    everything = np.concatenate([holes[:, :3].reshape(100, 6), boards], axis=1)
    assert all(len(set(row)) == 11 for row in everything.tolist())


def test_a_table_with_nothing_but_our_cards_stands_for_any_hand() -> None:
    mine = np.zeros(NUM_COMBOS)
    mine[combo_index(*OWN)] = 1

    holes, _, _ = JointSampler(OWN, 0, BOARD, {1: mine}).deal(3000, seed=1)

    combos = {combo_index(*map(int, hand)) for hand in holes[:, 1]}
    assert combos <= set(np.flatnonzero(combos_without((*OWN, *BOARD))).tolist())
    assert len(combos) > 900


def test_same_seed_same_deals() -> None:
    tables = {position: np.random.default_rng(position).random(NUM_COMBOS) for position in range(1, 10)}

    first, second = (JointSampler(OWN, 0, (), tables).deal(50, seed=9) for _ in range(2))
    other = JointSampler(OWN, 0, (), tables).deal(50, seed=10)

    for part in range(3):
        assert np.array_equal(first[part], second[part])
    assert not np.array_equal(other[0], first[0])


def test_the_same_card_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="different cards"):
        JointSampler(OWN, 0, (OWN[0], 1, 2), {1: np.ones(NUM_COMBOS)})
