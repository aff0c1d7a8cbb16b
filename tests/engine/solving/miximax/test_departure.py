"""The evidence against an opponent, the tree of all bettings, percentiles; all as on recorded deals."""

import functools
import math
import re

import attrs
import numpy as np
import pytest

from clients.core.arena import Arena
from clients.core.registry import make_bot
from engine.kernels.solving.miximax.strength import BUCKETS
from engine.kernels.solving.miximax.values import MiximaxKind
from engine.poker.combos import combo_cards
from engine.poker.rules import FOLD, HandState, load_game, parse_betting
from engine.poker.rules.hand_rank import hand_rank
from engine.solving.miximax.departure import Departure
from engine.solving.miximax.habits import (
    Expectations,
    Habits,
    InvalidHabits,
    reasonable_habits,
    shipped_changes,
)
from engine.solving.miximax.strength import count_changes, own_changes, percentile
from engine.solving.miximax.trees import ACTIONS, LEVELS, ContextTree, TooManyBettings, betting_tree
from engine.solving.miximax.values import Miximax
from engine.solving.strategy_file import read_shipped
from engine.support.seeds import derive_seed
from protocol.records import HandReader
from tests.engine.solving.miximax.recorded import FILE, decisions, observe
from tests.support.asserting import known, refuses
from tests.support.hands.golden_files import golden_log

# --- departure ----------------------------------------------------------------------------------------------

GAME = load_game("limit-2p")
tree = functools.partial(betting_tree, GAME)


def observer() -> tuple[Habits, Miximax, Departure]:
    habits = Habits(tree(), Expectations(tree(), reasonable_habits(GAME)))
    return habits, Miximax(tree(), shipped_changes()), Departure(known(read_shipped(GAME)))


def watched(opponent: str, hands: int) -> tuple[Departure, list[float]]:
    """A player against an equilibrium, and the evidence after each hand."""
    habits, search, departure = observer()
    evidence: list[float] = []

    def count(state: HandState, chips: tuple[float, ...]) -> None:
        observe(state, state.hand_number % 2, habits, search, departure)
        evidence.append(departure.evidence)

    Arena(GAME, [make_bot(opponent), make_bot("equilibrium")], 3).play(hands, on_hand=count)
    return departure, evidence


def test_who_plays_the_equilibrium_is_never_suspected() -> None:
    departure, evidence = watched("equilibrium", 25)

    assert max(evidence) < 3
    assert evidence[-1] < -10
    assert departure.trust < 0.01


@pytest.mark.parametrize("opponent", ["always-call", "always-raise"])
def test_who_does_the_same_everywhere_is_soon_answered(opponent: str) -> None:
    assert watched(opponent, 70)[0].trust > 0.5


def recorded(players: str) -> Departure:
    """The evidence against the first player of a match of 1,000 hands that the ACPC's dealer recorded."""
    habits, search, departure = observer()
    reader = HandReader(GAME)
    for line in golden_log(f"{players}.holdem.limit.2p.reverse_blinds.0").text.splitlines():
        if line.startswith("STATE:"):
            record, state = reader.read(line)
            observe(state, record.names.index("p0"), habits, search, departure)
    return departure


@pytest.mark.slow
def test_who_was_counted_for_long_is_answered_however_much_is_left_to_chance() -> None:
    """The ACPC's example player: its habits are all that there is to know, and foretell little, since it
    draws its actions by lot.  So they never explain enough; after some hundreds of hands they are known.
    """
    departure = recorded("random")

    assert departure.evidence < departure.surprise / 2 < departure.surprise - departure.evidence
    assert departure.evidence > 400
    assert departure.trust == pytest.approx(1 / (1 + math.exp((400 - departure.evidence) / 60)))
    assert departure.trust > 0.9


def test_who_departs_in_ways_that_habits_know_little_of_is_found_out_and_not_answered() -> None:
    departure, evidence = watched("simple", 60)

    assert evidence[-1] > 10
    assert departure.trust < 0.01


def test_an_action_weighs_by_how_much_likelier_the_habits_make_it() -> None:
    """A fold on the button, by its definition: all hands that are not ours are as likely."""
    habits, search, departure = observer()
    ours = (50, 49)
    actions, chances = known(read_shipped(GAME)).chances_of_all(parse_betting(GAME, ""), ())
    column = actions.index(FOLD)
    live = [combo for combo in range(1326) if not {*combo_cards(combo)} & {*ours}]
    usual = 0.98 * float(np.mean([chances[combo, column] for combo in live])) + 0.02 / 3
    by_habits = search.expected_action(habits, tree().node(parse_betting(GAME, "")))[0]

    departure.observe(habits, search, parse_betting(GAME, "f"), 1, (ours, ()), ())

    assert departure.evidence == pytest.approx(math.log(by_habits / usual))
    assert departure.trust == pytest.approx(
        1 / (1 + math.exp((30 - departure.evidence + departure.surprise / 2) / 5))
    )


def test_what_is_shown_weighs_by_the_hands_that_bet_so() -> None:
    """Each hand counts by the product of the strategy's chances of what was done, hand by hand."""
    board, ours, theirs = (0, 17, 34, 51, 8), (20, 21), (1, 6)
    betting = parse_betting(GAME, "rc/cc/rc/cc")
    habits, search, unseen = observer()
    unseen.observe(habits, search, betting, 0, (ours, ()), board)
    _, _, seen = observer()
    seen.observe(habits, search, betting, 0, (ours, theirs), board)

    reach = np.ones(1326)
    for before, actor, action in betting.steps():
        if actor == 0:
            known_cards = board[: before.num_board_cards]
            actions, chances = known(read_shipped(GAME)).chances_of_all(before, known_cards)
            reach *= 0.98 * chances[:, actions.index(action)] + 0.02 / len(actions)
    in_buckets = np.zeros(BUCKETS)
    for combo in range(1326):
        cards = combo_cards(combo)
        if not {*cards} & {*board, *ours}:
            in_buckets[min(BUCKETS - 1, int(percentile(cards, board) * BUCKETS))] += reach[combo]
    bucket = int(percentile(theirs, board) * BUCKETS)
    usual = 0.95 * in_buckets[bucket] / in_buckets.sum() + 0.05 / BUCKETS
    shown = search.expected_hands(habits, tree().node(betting), 0)[bucket]
    assert seen.evidence - 0.9999 * unseen.evidence == pytest.approx(math.log(shown / usual))


def test_evidence_survives_a_file_and_nothing_else_is_taken_for_it() -> None:
    _, _, departure = observer()
    departure.evidence, departure.surprise = 7.5, 2.5
    _, _, again = observer()
    again.remember(departure.as_arrays())
    _, _, older = observer()
    older.remember({"hands": np.array(40)})

    assert (again.evidence, again.surprise, older.evidence) == (7.5, 2.5, 40)
    for wrong in (np.array(["x", "y"]), np.array([1.0]), np.array([1.0, math.nan])):
        refuses(InvalidHabits, "departure", again.remember, {"hands": np.array(3), "departure": wrong})
    refuses(InvalidHabits, "departure", again.remember, {})


# --- betting tree -------------------------------------------------------------------------------------------


def test_it_has_the_bettings_of_heads_up_limit_holdem() -> None:
    """6,378 decisions and 16,583 actions; half of the ends are folds (counted by hand, and as published)."""
    kinds, rounds = tree().arrays.kinds, tree().arrays.rounds

    assert [int(((kinds == MiximaxKind.DECISION) & (rounds == r)).sum()) for r in range(4)] == [
        8, 70, 630, 5670,
    ]  # fmt: skip
    assert int((tree().arrays.children >= 0).sum()) == 16_583
    assert int((kinds == MiximaxKind.FOLD).sum()) == int((kinds == MiximaxKind.SHOWDOWN).sum()) == 5_103


def test_ends_are_worth_what_the_loser_has_put_in() -> None:
    for text, small_bets in (("f", 0.5), ("rf", 1.0), ("rrrc/rrrrc/rrrrc/rrrrc", 24.0), ("cc/cc/cc/cc", 1.0)):
        node = tree().node(parse_betting(GAME, text))

        assert tree().arrays.amounts[node] == small_bets


def test_contexts_become_coarser_and_tell_apart_what_is_allowed() -> None:
    """A context never holds decisions with different legal actions: their counts would not go together."""
    arrays = tree().arrays
    decisions = arrays.kinds == MiximaxKind.DECISION
    sizes = [len(np.unique(arrays.contexts[decisions, level])) for level in range(LEVELS)]

    assert sizes[0] == 6378
    assert sizes == sorted(sizes, reverse=True)
    for level in range(LEVELS):
        allowed: dict[int, set[tuple[bool, ...]]] = {}
        for context, children in zip(
            arrays.contexts[decisions, level], arrays.children[decisions], strict=True
        ):
            allowed.setdefault(int(context), set()).add(tuple(bool(each) for each in children >= 0))
        assert {len(kinds) for kinds in allowed.values()} == {1}


def test_stacks_that_end_the_betting_lead_to_a_showdown() -> None:
    game = attrs.evolve(load_game("limit-2p"), stacks=(30, 30))
    tree = ContextTree(game)
    node = tree.node(parse_betting(game, "rrc///"))

    assert tree.arrays.kinds[node] == MiximaxKind.SHOWDOWN
    assert tree.arrays.amounts[node] == 3.0


def test_other_games_are_refused() -> None:
    refuses(ValueError, "expected limit hold'em for two", ContextTree, load_game("nolimit-2p"))
    refuses(ValueError, "no betting of this game", tree().node, parse_betting(load_game("leduc"), "r"))


def test_games_with_too_many_bettings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.solving.miximax.trees._MOST_NODES", 300)
    refuses(TooManyBettings, "fewer raises", ContextTree, GAME)


def test_actions_are_those_of_a_triple() -> None:
    assert [str(action) for action in ACTIONS] == ["f", "c", "r"]


# --- strength -----------------------------------------------------------------------------------------------

HANDS = [((0, 5), (8, 17, 30, 43, 50)), ((51, 47), (43, 39, 35, 1, 2)), ((12, 20), (13, 14, 15, 21, 22))]


def counted(cards: tuple[int, ...], board: tuple[int, ...]) -> float:
    """The share of an opponent's hands that is beaten, ties half."""
    deck = [card for card in range(52) if card not in (*cards, *board)]
    ours = hand_rank((*cards, *board))
    theirs = [hand_rank((a, b, *board)) for i, a in enumerate(deck) for b in deck[:i]]
    assert len(theirs) == 990
    return (sum(rank < ours for rank in theirs) + sum(rank == ours for rank in theirs) / 2) / 990


@pytest.mark.parametrize(("cards", "board"), HANDS)
def test_percentiles_are_what_counting_says(cards: tuple[int, ...], board: tuple[int, ...]) -> None:
    assert percentile(cards, board) == pytest.approx(counted(cards, board), abs=1e-12)


def test_on_the_turn_every_river_is_looked_at() -> None:
    cards, board = (0, 5), (8, 17, 30, 43)
    changes, _ = own_changes(shipped_changes(), cards, board, 7)
    places = np.zeros(BUCKETS)
    for river in set(range(52)) - {*cards, *board}:
        places[min(BUCKETS - 1, int(percentile(cards, (*board, river)) * BUCKETS))] += 1 / 46

    np.testing.assert_allclose(changes[2, 0], places, atol=1e-12)


def test_on_the_flop_the_same_seed_draws_the_same() -> None:
    (first, _), (second, _), (third, _) = (
        own_changes(shipped_changes(), (51, 47), (43, 39, 0), derive_seed(1, seed)) for seed in (1, 1, 2)
    )

    assert (first == second).all()
    assert (first[1, 0] != third[1, 0]).any()
    assert first[1, 0].sum() == pytest.approx(1)


def test_hands_change_as_they_should() -> None:
    """The shipped changes: aces are ahead of everything on most flops; who is far ahead mostly stays it."""
    changes = shipped_changes()
    places = np.arange(BUCKETS) + 0.5

    by_hand = changes.flops @ places
    assert np.argmax(by_hand) == 168  # aces
    assert by_hand[168] > by_hand[0] + 6  # deuces
    for table in (changes.turns, changes.rivers):
        means = table @ places
        assert (np.diff(means[3:-2]) > 0).all()


def test_changes_are_counted_alike_from_the_same_seed() -> None:
    first, second = (count_changes(40, seed) for seed in (3, 3))

    assert (first.rivers == second.rivers).all()
    for table in (first.flops, first.turns, first.rivers):
        np.testing.assert_allclose(table.sum(axis=1), 1.0)


# --- recorded -----------------------------------------------------------------------------------------------


def test_limit_holdem_is_played_as_before() -> None:
    """Values of all actions at some 280 decisions, while 240 hands are learnt from, recorded before the
    search knew raises of several sizes.
    """
    found, recorded = list(decisions()), FILE.read_text("ascii").splitlines()

    assert len(found) == len(recorded)
    for ours, theirs in zip(found, recorded, strict=True):
        assert _words(ours) == _words(theirs)
        assert _numbers(ours) == pytest.approx(_numbers(theirs), abs=2e-6)


def _words(line: str) -> str:
    return re.sub(r"[+-]?\d+\.\d+", "#", line)


def _numbers(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"[+-]?\d+\.\d+", line)]
