"""The adaptive bot, in limit and in no-limit hold'em: what it learns, begins with, remembers and refuses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clients.bots.adaptive.agent import Adaptive, archive_of, load
from clients.bots.baselines import AlwaysCall, AlwaysFold, AlwaysRaise
from clients.core.agent import Agent, begin_decision
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import make_bot
from engine.kernels.solving.miximax.strength import BUCKETS
from engine.poker.combos import combos_without
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, HandView, load_game, parse_betting, raise_to
from engine.solving.holdem.abstraction import Percentiles
from engine.solving.holdem.betting import Menus, holdem_betting
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.miximax.departure import Departure
from engine.solving.miximax.habits import Habits, shipped_changes
from engine.solving.miximax.trees import betting_tree
from engine.solving.miximax.values import Miximax
from engine.solving.strategy_file import read_shipped, write_strategy
from engine.support.files.archive import ArchiveError, write_archive
from engine.support.files.formats import format_arrays
from protocol import variables
from tests.support.asserting import refuses

# --- The adaptive bot as a player ---------------------------------------------------------------------------

GAME = load_game("limit-2p")


def played(agent: Agent, opponent: Agent, hands: int, seed: int = 1, **options: Any) -> Arena:
    arena = Arena(GAME, [agent, opponent], seed, **options)
    arena.play(hands)
    return arena


def first_decision(cards: tuple[int, int] = (0, 21)) -> HandView:
    """On the button; 2c 7d unless it says otherwise."""
    betting = parse_betting(GAME, "")
    position = betting.position_to_act
    assert position is not None
    return HandView(betting, position, 0, ((), cards) if position == 1 else (cards, ()), ())


@pytest.mark.slow
def test_it_raises_anything_against_a_player_who_has_always_folded() -> None:
    agent = Adaptive(temperature=0, caution=0)
    played(agent, AlwaysFold(), 60)

    values = agent.values(first_decision())
    assert values[LIMIT_RAISE] > 0.9
    assert values[FOLD] == -0.5


def test_it_learns_not_to_bluff_a_caller() -> None:
    agent = Adaptive(temperature=0, caution=0)
    # 2c 3d on 4c 6h 9s Qc As.
    weak = HandView(parse_betting(GAME, "cc/cc/cc/"), 0, 0, ((0, 5), ()), (8, 18, 31, 40, 51))
    agent.match_started(GAME, 0)
    before = agent.values(weak)[LIMIT_RAISE]
    played(agent, AlwaysCall(), 60)
    begin_decision(agent, weak)
    agent._valued = None

    assert agent.values(weak)[LIMIT_RAISE] < min(before, -1.5)


def test_it_calls_down_a_player_who_raises_everything() -> None:
    agent = Adaptive(temperature=0, caution=0)
    arena = played(agent, AlwaysRaise(), 80)
    chips = arena.play(60)

    assert FOLD not in agent.chances(first_decision((50, 49)))
    assert chips[0] > 0


def test_the_same_seed_does_the_same_and_learning_can_be_off() -> None:
    first, second = Adaptive(), Adaptive()
    assert played(first, make_bot("simple"), 40).chips == played(second, make_bot("simple"), 40).chips
    assert first.habits.hands == 40

    still = Adaptive(learn=False)
    played(still, AlwaysCall(), 10)
    assert still.habits.hands == 0
    assert still.is_stateless


def test_chances_follow_from_values_and_temperature() -> None:
    cold, warm = Adaptive(temperature=0.01, caution=0), Adaptive(temperature=1.0, caution=0)
    view = first_decision()
    for agent in (cold, warm):
        agent.match_started(GAME, 0)
        assert sum(agent.chances(view).values()) == pytest.approx(1)
        assert sum(agent.probability_triple(view)) == pytest.approx(1)
    values = warm.values(view)
    best = max(values, key=values.__getitem__)

    assert cold.chances(view)[best] > warm.chances(view)[best]


def test_it_plays_the_equilibrium_until_there_is_evidence_and_leaves_it_then() -> None:
    agent = Adaptive()
    agent.match_started(GAME, 0)
    strategy, view = read_shipped(GAME), first_decision()
    assert strategy is not None
    usual = strategy.chances(view)

    def apart() -> float:
        """From the equilibrium, by the chance of an action."""
        return max(abs(agent.chances(view).get(action, 0.0) - chance) for action, chance in usual.items())

    departure = agent._book.departure
    assert departure is not None
    found = []
    for evidence in (-50.0, 0.0, 25.0, 3000.0):
        departure.evidence = evidence
        found.append(apart())
        assert sum(agent.probability_triple(view)) == pytest.approx(1)

    assert found == sorted(found)
    assert found[0] == 0
    assert found[-1] > 0.1


def test_against_the_equilibrium_it_goes_on_to_play_it() -> None:
    agent = Adaptive()
    played(agent, make_bot("equilibrium"), 25)
    strategy, view = read_shipped(GAME), first_decision()
    assert strategy is not None

    assert agent.chances(view) == {a: chance for a, chance in strategy.chances(view).items() if chance > 0}


def test_without_caution_there_is_no_equilibrium_to_load() -> None:
    agent = Adaptive(caution=0)
    agent.match_started(GAME, 0)

    assert (agent._equilibrium, agent._book.departure) == (None, None)


# --- memory ------------------------------------------------------------------------------------------------


def test_memory_keeps_what_was_seen_between_matches(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    agent = Adaptive(memory=path)
    played(agent, AlwaysCall(), 30, names=("us", "them"))
    played(agent, AlwaysFold(), 20, names=("us", "others"))
    agent.close_memory()

    again = Adaptive(memory=path)
    played(again, AlwaysCall(), 5, names=("us", "them"))
    again.close_memory()

    assert again.habits.hands == 35
    assert min(load(path)[name]["departure"][0] for name in ("them", "others")) > 10
    assert {name: int(known["hands"]) for name, known in load(path).items()} == {"them": 35, "others": 20}


def test_a_bot_that_does_not_learn_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    agent = Adaptive(memory=path)
    played(agent, AlwaysCall(), 30, names=("us", "them"))
    agent.close_memory()
    written = path.read_bytes()

    reader = Adaptive(memory=path, learn=False)
    second = Adaptive(memory=path, learn=False)  # readers need no lock
    played(reader, AlwaysCall(), 5, names=("us", "them"))
    reader.close_memory()
    second.close_memory()

    assert path.read_bytes() == written
    assert reader.habits.hands == 30


def test_in_a_duplicate_match_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variables.DUPLICATE, "1")
    path = tmp_path / "habits.npz"
    agent = Adaptive(memory=path)
    played(agent, AlwaysCall(), 5)
    agent.close_memory()

    assert not path.exists()
    assert agent.habits.hands == 5


def test_counts_that_make_no_sense_are_refused_when_their_player_sits_down(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    write_archive(path, archive_of({"them": {"hands": np.array(1)}}))
    agent = Adaptive(memory=path)
    agent.names = ("us", "them")

    refuses(OptionError, "damaged", agent.match_started, GAME, 0)
    agent.close_memory()


def test_a_newer_version_is_refused_and_the_one_before_is_read(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    for schema in (1, 2, 3):
        path.write_bytes(
            format_arrays(
                {
                    "kind": np.array("riverboat habits"),
                    "schema": np.array(schema),
                    "names": np.array(["them", "x"]),
                    "1.hands": np.array(4),
                }
            )
        )
        if schema < 3:
            assert load(path) == {"them": {}, "x": {"hands": np.array(4)}}
    refuses(ArchiveError, "newer riverboat: schema 3, this one reads up to 2", load, path)


# --- The adaptive bot in no-limit hold'em -------------------------------------------------------------------

NO_LIMIT = load_game("nolimit-2p-100bb")
LIMIT = load_game("limit-2p")
BOARD = (8, 18, 31, 40, 51)
"""4c 6h 9s Qc As."""


def played_no_limit(agent: Agent, opponent: Agent, hands: int, seed: int = 1, **options: Any) -> Arena:
    arena = Arena(options.pop("game", NO_LIMIT), [agent, opponent], seed, **options)
    arena.play(hands)
    return arena


def view(text: str, cards: tuple[int, int]) -> HandView:
    betting = parse_betting(NO_LIMIT, text)
    us = betting.position_to_act
    assert us is not None
    return HandView(betting, us, 0, (cards, ()) if us == 0 else ((), cards), BOARD[: betting.num_board_cards])


@pytest.mark.slow
def test_it_puts_all_in_with_the_better_half_against_a_caller_and_nothing_with_the_rest() -> None:
    agent = Adaptive(temperature=0, caution=0)
    played_no_limit(agent, AlwaysCall(), 150)

    assert agent.chances(view("cc/cc/cc/", (49, 50))) == {raise_to(200): 1.0}
    assert agent.values(view("cc/cc/cc/", (49, 50)))[raise_to(200)] > 80
    assert agent.chances(view("cc/cc/cc/", (0, 5))) == {CALL: 1.0}


def test_in_no_limit_it_raises_anything_against_a_player_who_has_always_folded() -> None:
    agent = Adaptive(temperature=0, caution=0)
    played_no_limit(agent, AlwaysFold(), 200)

    weak = view("", (0, 21))
    values = agent.values(weak)
    assert values[FOLD] == -0.5
    assert max(values.values()) == pytest.approx(1.0, abs=0.25)
    assert CALL not in agent.chances(weak)


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", "always-call"])
def test_it_plays_two_hundred_hands_without_a_warning(opponent: str) -> None:
    """Warnings are errors here, and an arena corrects nothing that it is told not to."""
    first, second = Adaptive(), Adaptive()

    chips = played_no_limit(first, make_bot(opponent), 200).chips
    assert chips == played_no_limit(second, make_bot(opponent), 200).chips
    assert first.habits.hands == 200
    assert chips[0] > 0


def test_a_player_who_raises_everything_is_taken_to_hold_anything_before_any_showdown() -> None:
    """Who never folds and never calls is not known from showdowns: everybody else may have folded."""
    agent, betting = Adaptive(caution=0), parse_betting(NO_LIMIT, "r6r18r54r162f")
    agent.match_started(NO_LIMIT, 0)
    river = betting_tree(NO_LIMIT).node(parse_betting(NO_LIMIT, "r6r18r54r162r200c///"))
    search = Miximax(betting_tree(NO_LIMIT), shipped_changes())
    before = search.expected_hands(agent.habits, river, 0)[: BUCKETS // 2].sum()
    for _ in range(300):
        agent.habits.observe(betting, 0)
    after = search.expected_hands(agent.habits, river, 0)[: BUCKETS // 2].sum()

    assert before < 0.4
    assert after > 0.47


# --- what it begins with -----------------------------------------------------------------------------------


def strategy(menus: Menus = (((1.0, float("inf")),),)) -> BucketedStrategy:
    """One that prefers some actions to others, at random."""
    abstraction = Percentiles(3)
    slots = holdem_betting(NO_LIMIT, abstraction.num_buckets, menus).num_slots
    weights = np.random.default_rng(5).random(slots)
    return BucketedStrategy.of(NO_LIMIT, abstraction, weights, menus)


def test_with_a_strategy_it_plays_that_until_there_is_evidence(tmp_path: Path) -> None:
    path = tmp_path / "strategy.npz"
    write_strategy(path, strategy(), {})
    agent = make_bot(f"adaptive:strategy={path}")
    assert isinstance(agent, Adaptive)
    agent.match_started(NO_LIMIT, 0)
    first = view("", (49, 50))

    departure = agent._book.departure
    assert departure is not None
    departure.evidence = -50.0
    begun = agent.chances(first)
    departure.evidence = 5000.0
    answered = agent.chances(first)

    known = {action: chance for action, chance in strategy().chances(first).items() if chance > 0}
    assert begun == pytest.approx(known, abs=0.01)  # files round
    assert raise_to(4) not in begun
    assert raise_to(4) in answered  # which the strategy does not have
    assert sum(answered.values()) == pytest.approx(1)


def test_raises_that_stand_for_the_same_are_one_when_evidence_is_weighed() -> None:
    """A raise to 170 is all in for the tree; the strategy's own raises of that kind count together."""
    habits = Habits(betting_tree(NO_LIMIT))
    search, departure, known = Miximax(habits.tree, shipped_changes()), Departure(strategy()), strategy()
    actions, chances = known.chances_of_all(parse_betting(NO_LIMIT, "r6"), ())
    columns = [habits.tree.column(parse_betting(NO_LIMIT, "r6"), action) for action in actions]
    live = combos_without((0, 21))
    usual = 0.98 * chances[live][:, np.array(columns) == 4].sum(axis=1).mean() + 0.02 / len(actions)
    by_habits = search.expected_action(habits, habits.tree.node(parse_betting(NO_LIMIT, "r6")))[4]

    departure.observe(habits, search, parse_betting(NO_LIMIT, "r6r170f"), 0, ((0, 21), ()), ())

    assert departure.evidence == pytest.approx(math.log(by_habits / usual))


def test_a_strategy_of_another_game_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "strategy.npz"
    write_strategy(path, strategy(), {})
    with pytest.raises(OptionError, match="strategy of the game that is played"):
        make_bot(f"adaptive:strategy={path}").match_started(LIMIT, 0)
    path.write_bytes(b"PK")
    with pytest.raises(OptionError):
        make_bot(f"adaptive:strategy={path}")


# --- memory ------------------------------------------------------------------------------------------------


def test_a_file_keeps_limit_and_no_limit_of_one_opponent_apart(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    names = ("us", "them")
    agent = Adaptive(memory=path, caution=0)
    played_no_limit(agent, AlwaysCall(), 30, names=names)
    played_no_limit(agent, AlwaysCall(), 20, names=names, game=LIMIT)
    agent.close_memory()

    again = Adaptive(memory=path, caution=0)
    played_no_limit(again, AlwaysCall(), 5, names=names)
    assert again.habits.hands == 35
    learnt = again.habits.as_arrays()["actions"]
    again.close_memory()

    known = load(path)["them"]
    assert (int(known["hands"]), int(known["no-limit.hands"])) == (20, 35)
    assert known["no-limit.actions"].tolist() == learnt.tolist()
    reader = Adaptive(memory=path, learn=False)
    reader.names = names
    reader.match_started(NO_LIMIT, 0)
    assert reader.habits.hands == 35
    assert reader.values(view("cc/cc/cc/", (49, 50)))[raise_to(200)] > 50


def test_a_file_of_somebody_met_in_limit_alone_says_nothing_of_no_limit(tmp_path: Path) -> None:
    path = tmp_path / "habits.npz"
    agent = Adaptive(memory=path, caution=0)
    played_no_limit(agent, AlwaysCall(), 10, names=("us", "them"), game=LIMIT)
    agent.close_memory()

    again = Adaptive(memory=path, learn=False)
    again.names = ("us", "them")
    again.match_started(NO_LIMIT, 0)

    assert again.habits.hands == 0
