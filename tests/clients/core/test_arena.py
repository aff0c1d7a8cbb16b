"""The arena: the dealer's hands and log lines, whatever the agents do and however they are written."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import attrs
import pytest
import trio
from hypothesis import given, strategies as st

from clients.bots.baselines import AlwaysAllIn, AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.core.agent import Agent, begin_decision, decisions_made, may_be_asked_once
from clients.core.arena import Arena
from clients.core.registry import make_bot
from clients.lab.testing import Deciding, Recorder, Replaying
from engine.poker import rules
from engine.support.seeds import _mix, derive_seed
from protocol import format_match_state
from tests.support.hands.golden_files import LOGS, golden_log
from tests.support.hands.strategies import games, views
from tests.support.interpreter import imported_by
from tests.support.matches import DEALERS, bot, play_match

# --- The arena ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOGS)
def test_the_arena_writes_the_golden_logs(name: str) -> None:
    log = golden_log(name)
    hands = [
        [action for _, _, action in rules.parse_betting(log.game, record.betting).steps()]
        for record in log.records
    ]
    agents = [Replaying(hands) for _ in log.names]
    arena = Arena(log.game, agents, log.seed, names=log.names)
    lines: list[str] = []

    arena.play(log.hands, record=lines.append)

    assert log.header + "".join(lines) + arena.score_line() == log.text


def record_of(
    game: rules.GameDefinition, agents: list[Agent], hands: int, seed: int, *, fixed_seats: bool = False
) -> list[str]:
    arena = Arena(game, agents, seed, fixed_seats=fixed_seats)
    lines: list[str] = []
    arena.play(hands, record=lines.append)
    return [line.rstrip("\n") for line in [*lines, arena.score_line()]]


@pytest.mark.parametrize("dealer", DEALERS)
@pytest.mark.parametrize(
    ("game", "names", "options"),
    [
        pytest.param("holdem.limit.2p.reverse_blinds", ["random", "random"], [], marks=pytest.mark.slow),
        pytest.param(
            "holdem.nolimit.3p", ["random", "always-raise", "always-call"], [], marks=pytest.mark.slow
        ),
        ("leduc", ["random", "always-fold"], ["-f"]),
        pytest.param("kuhn.limit.3p", ["always-all-in", "random", "random"], [], marks=pytest.mark.slow),
    ],
)
def test_the_same_hands_as_over_tcp(
    game: str, names: list[str], options: list[str], dealer: str | None, tmp_path: Path
) -> None:
    agents = [make_bot(name) for name in names]
    loaded = rules.load_game(game)
    expected = record_of(loaded, list(agents), 40, 7, fixed_seats="-f" in options)

    (tmp_path / f"{game}.game").write_bytes(
        (Path(__file__).parent / f"../../golden/{game}.game").read_bytes()
    )
    arguments = ["m", f"{game}.game", "40", "7", *(f"p{k}" for k in range(len(names))), *options]
    players = [
        bot(name, "--seed", str(agent.seed), "--game", f"{game}.game")
        for name, agent in zip(names, agents, strict=True)
    ]
    played = play_match(arguments, players, tmp_path, dealer)

    assert played.errors == [""] * len(names)
    assert played.statuses == [0] * len(names)
    assert played.log == expected


ANY_ACTION = st.one_of(
    st.sampled_from([rules.FOLD, rules.CALL, rules.LIMIT_RAISE]), st.integers(-10, 30000).map(rules.raise_to)
)


@given(games(), st.lists(ANY_ACTION, min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_any_agent_can_play_any_game(
    game: rules.GameDefinition, answers: list[rules.Action], seed: int
) -> None:
    turns = itertools.cycle(answers)
    agents = [Deciding(lambda _: next(turns)) for _ in range(game.num_players)]
    ends: list[tuple[rules.HandState, tuple[float, ...]]] = []
    arena = Arena(game, agents, seed)

    won = arena.play(5, on_hand=lambda state, chips: ends.append((state, chips)))

    assert won == arena.chips
    assert arena.hands_played == len(ends) == 5
    for hand_number, (state, chips) in enumerate(ends):
        assert state.is_finished
        assert state.hand_number == hand_number
        assert chips == state.chips_won()
    for seat in range(game.num_players):
        by_hand = [chips[(seat - number) % game.num_players] for number, (_, chips) in enumerate(ends)]
        assert sum(by_hand) == arena.chips[seat]


def test_agents_are_told_what_a_client_at_that_seat_is_told() -> None:
    game = rules.load_game("nolimit-3p")
    agents = [Recorder() for _ in range(3)]
    ends: list[rules.HandState] = []

    Arena(game, agents, 7).play(3, on_hand=lambda state, _: ends.append(state))

    for seat, agent in enumerate(agents):
        assert agent.matches == [(game, seat)]
        expected: list[str] = []
        for number, end in enumerate(ends):
            position = (seat - number) % 3
            nodes = [*(before for before, _, _ in end.betting.steps()), end.betting]
            expected += [
                format_match_state(rules.HandState(node, number, end.deal).view(position)) for node in nodes
            ]
        assert agent.seen == expected
        assert [state for kind, state, *_ in agent.told if kind == "end"] == [
            format_match_state(end.view((seat - number) % 3)) for number, end in enumerate(ends)
        ]


def test_nobody_sees_the_others_cards_before_the_showdown() -> None:
    class Spy(Random):
        def hand_started(self, view: rules.HandView) -> None:
            self.check(view)

        def action_seen(self, view: rules.HandView, position: int, action: rules.Action) -> None:
            self.check(view)

        def check(self, view: rules.HandView) -> None:
            for position, cards in enumerate(view.hole_cards):
                if position != view.position and not (
                    view.betting.is_showdown and not view.betting.folded[position]
                ):
                    assert cards == ()

    Arena(rules.load_game("nolimit-6p"), [Spy() for _ in range(6)], 7).play(100)


def test_a_hand_in_which_nobody_can_act() -> None:
    game = attrs.evolve(rules.load_game("nolimit-2p"), stacks=(100, 50))
    agents = [Recorder(), Recorder()]

    Arena(game, agents, 7).play(1)

    assert [kind for kind, *_ in agents[0].told] == ["hand", "end"]


def test_playing_on_continues_the_match() -> None:
    game = rules.load_game("limit-2p")
    whole = record_of(game, [Random(), Random()], 30, 7)
    arena = Arena(game, [Random(), Random()], 7)
    lines: list[str] = []

    first = arena.play(10, record=lines.append)
    second = arena.play(20, record=lines.append)

    assert [line.rstrip() for line in [*lines, arena.score_line()]] == whole
    assert arena.chips == tuple(map(sum, zip(first, second, strict=True)))


def test_hands_passed_over_change_nothing_in_those_after_them() -> None:
    game = rules.load_game("nolimit-3p")
    whole = record_of(game, [Random(), Random(), Random()], 30, 7)
    arena = Arena(game, [Random(), Random(), Random()], 7)
    lines: list[str] = []

    arena.skip(20)
    arena.play(4, record=lines.append)
    arena.skip(5)
    arena.play(1, record=lines.append)

    assert [line.rstrip() for line in lines] == [*whole[20:24], whole[29]]
    assert arena.hands_played == 5


def test_cards_may_be_stacked() -> None:
    game = rules.load_game("leduc")
    deals = [rules.Deal(((0,), (5,)), (4,)), rules.Deal(((9,), (8,)), (1,))]
    dealt: list[rules.Deal] = []

    Arena(game, [AlwaysCall(), AlwaysCall()], 7, dealer=rules.StackedDealer(deals)).play(
        2, on_hand=lambda state, _: dealt.append(state.deal)
    )

    assert dealt == deals


class Coroutine(Random):
    """The random player, in no hurry."""

    waits = True

    async def choose_action(self, view: rules.HandView) -> rules.Action:  # type: ignore[override]  # both are allowed
        if self.waits:
            await trio.lowlevel.checkpoint()
        return super().choose_action(view)


async def test_coroutines_that_wait_play_the_same_hands() -> None:
    game = rules.load_game("limit-2p")
    arena = Arena(game, [Coroutine(), Random()], 7)
    lines: list[str] = []

    won = await arena.play_async(20, record=lines.append)

    assert won == arena.chips
    assert [line.rstrip() for line in [*lines, arena.score_line()]] == record_of(
        game, [Random(), Random()], 20, 7
    )


def test_coroutines_that_do_not_wait_need_no_loop() -> None:
    agent = Coroutine()
    agent.waits = False
    game = rules.load_game("limit-2p")

    assert record_of(game, [agent, Random()], 20, 7) == record_of(game, [Random(), Random()], 20, 7)


def test_coroutines_that_wait_are_refused_without_a_loop() -> None:
    with pytest.raises(RuntimeError, match="play_async"):
        Arena(rules.load_game("limit-2p"), [Coroutine(), Random()], 7).play(1)


def test_agents_may_bring_their_own_seeds() -> None:
    agents = [Random(), Random()]
    agents[0].seed, agents[1].seed = 11, 12

    Arena(rules.load_game("limit-2p"), agents, 7, seed_agents=False)

    assert [agent.seed for agent in agents] == [11, 12]


def test_one_agent_in_two_seats_is_refused() -> None:
    agent = Random()

    with pytest.raises(ValueError, match="2 different agents"):
        Arena(rules.load_game("limit-2p"), [agent, agent], 7)
    with pytest.raises(ValueError, match="2 different agents"):
        Arena(rules.load_game("limit-2p"), [agent], 7)
    with pytest.raises(ValueError, match="2 names"):
        Arena(rules.load_game("limit-2p"), [Random(), Random()], 7, names=["a"])


def test_what_is_not_an_action_is_refused() -> None:
    class Wrong(Agent):
        def choose_action(self, view: rules.HandView) -> rules.Action:
            return "call"  # type: ignore[return-value]

    with pytest.raises(TypeError, match=r"Wrong\.choose_action returned 'call'"):
        Arena(rules.load_game("leduc"), [Wrong(), AlwaysCall()], 7).play(1)


class Stubborn(AlwaysCall):
    """Inherits a trait that is not its own, for it folds a deuce."""

    def choose_action(self, view: rules.HandView) -> rules.Action:
        self.asked = getattr(self, "asked", 0) + 1
        return rules.FOLD if view.legal_actions().can_fold and min(view.own_cards) < 4 else rules.CALL


def test_only_agents_that_play_by_the_betting_are_asked_once_about_it() -> None:
    """Nor does a subclass, or an object, that chooses in another way inherit the trait."""
    game = rules.load_game("limit-2p")
    asked: list[str] = []

    def remembering(view: rules.HandView) -> rules.Action:
        asked.append(view.betting.text)
        return rules.CALL

    changed = AlwaysCall()
    changed.choose_action = remembering  # type: ignore[method-assign]
    stubborn = Stubborn()

    Arena(game, [stubborn, changed], 3).play(200)

    assert stubborn.asked > 300
    assert asked.count("cc/") > 50
    assert may_be_asked_once(AlwaysFold())
    assert not any(map(may_be_asked_once, (stubborn, changed, Random())))


@given(games(), st.integers(0, 2**16))
def test_answers_that_are_remembered_are_those_that_would_be_given(
    game: rules.GameDefinition, seed: int
) -> None:
    yardsticks = (AlwaysCall, AlwaysRaise, AlwaysFold, AlwaysAllIn)

    def lines(*, is_remembered: bool) -> list[str]:
        agents = [yardsticks[(seed + seat) % 4]() for seat in range(game.num_players)]
        if not is_remembered:
            for agent in agents:
                agent.choose_action = agent.choose_action  # type: ignore[method-assign]
        return record_of(game, list(agents), 12, seed)

    assert lines(is_remembered=True) == lines(is_remembered=False)


# --- The random generator of an agent, and the seats of the others ------------------------------------------


class Drawer(Agent):
    """Keeps what it draws at each decision."""

    def __init__(self) -> None:
        self.drawn: dict[tuple[int, str], float] = {}

    def choose_action(self, view: rules.HandView) -> rules.Action:
        draw = self.rng.random()
        self.drawn[view.hand_number, view.betting.text] = draw
        return rules.LIMIT_RAISE if draw < 0.5 else rules.CALL


def play(hands: int, seed: int) -> list[Drawer]:
    agents = [Drawer(), Drawer()]
    Arena(rules.load_game("limit-2p"), agents, seed).play(hands)
    return agents


def test_no_two_decisions_draw_the_same_numbers() -> None:
    agents = play(200, 7)

    drawn = [draw for agent in agents for draw in agent.drawn.values()]
    assert len(drawn) > 500
    assert len(set(drawn)) == len(drawn)


def test_the_same_seed_draws_the_same_numbers_another_does_not() -> None:
    assert play(20, 7)[0].drawn == play(20, 7)[0].drawn
    assert play(20, 7)[0].drawn != play(20, 8)[0].drawn


def test_a_decision_does_not_depend_on_what_was_decided_or_drawn_before() -> None:
    """An agent that has played the whole match and one that has just been started agree."""
    old = play(20, 7)[0]

    for (hand_number, text), draw in old.drawn.items():
        new = Drawer()
        new.seed = old.seed
        view = state_of(hand_number, text).view(position_of(hand_number))
        begin_decision(new, view)
        assert new.rng.random() == draw
        assert new.rng.random() != draw  # within a decision the generator goes on
        begin_decision(new, view)
        new._rng_view = None
        assert new.rng.random() == draw


def position_of(hand_number: int) -> int:
    return -hand_number % 2


def state_of(hand_number: int, text: str) -> rules.HandState:
    game = rules.load_game("limit-2p")
    return rules.HandState(rules.parse_betting(game, text), hand_number, rules.CardDealer(game, 7).deal())


@given(views(), st.integers(0, 2**64))
def test_the_decision_is_part_of_the_seed(view: rules.HandView, seed: int) -> None:
    agent = Agent()
    agent.seed = seed
    begin_decision(agent, view)

    own_actions = sum(position == view.position for _, position, _ in view.betting.steps())
    assert decisions_made(view) == own_actions
    assert agent.decision_seed == (seed << 64) + (view.hand_number << 32) + own_actions
    assert agent.rng.random() == random.Random(agent.decision_seed).random()


def test_an_agent_may_draw_before_its_first_decision() -> None:
    agent = Agent()
    agent.seed = 5

    assert agent.rng.random() == random.Random(5 << 64 | 2**64 - 1).random()


def test_an_agent_must_say_how_it_chooses() -> None:
    with pytest.raises(NotImplementedError, match="Agent does not say"):
        Agent().choose_action(state_of(0, "").view(0))


@pytest.mark.parametrize("fixed_seats", [False, True])
def test_seat_of_names_the_same_player_whether_seats_rotate_or_not(fixed_seats: bool) -> None:
    class Watcher(Agent):
        def __init__(self, name: str) -> None:
            self.name = name

        def choose_action(self, view: rules.HandView) -> rules.Action:
            assert self.names is not None
            assert (self.names[self.seat], self.seat_of(view, view.position)) == (self.name, self.seat)
            return rules.CALL

        def action_seen(self, view: rules.HandView, position: int, action: rules.Action) -> None:
            seat = self.seat_of(view, position)
            assert seat == (position if fixed_seats else (position + view.hand_number) % 3)

    agents = [Watcher(name) for name in "abc"]
    Arena(rules.load_game("kuhn-3p"), agents, 7, names="abc", fixed_seats=fixed_seats).play(6)


def test_derived_seeds_are_fixed_for_ever() -> None:
    """They are part of what `--seed` means; SplitMix64's published first output for state 0 anchors them."""
    assert _mix(0) == 0xE220A8397B1DCDAF
    assert [derive_seed(7, seat) for seat in range(3)] == [3098854039, 1027718985, 1185335525]
    assert len({derive_seed(seed, seat) for seed in range(100) for seat in range(10)}) == 1000


def test_importing_clients_is_light() -> None:
    assert not imported_by("import clients") & {"trio", "numpy", "numba", "click", "rich"}
