"""The formula bot as a player and over sockets: what it does, how it comes back, what it wins."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trio

from clients.bots.baselines import AlwaysCall, Random
from clients.bots.formula.agent import Formula
from clients.bots.formula.bet_size import best_totals, totals_compared
from clients.bots.memory_file import KIND, SCHEMA_VERSION
from clients.core.agent import Agent, begin_decision
from clients.core.arena import Arena
from clients.core.options import make_agent
from clients.core.program import TableAddress, join_table
from clients.core.registry import make_bot
from engine.players.action_context import situation_of
from engine.players.models.player import PlayerModel
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, Action, HandView, load_game, parse_betting
from engine.support.files.archive import Archive, write_archive
from tests.benchmarks.bench_formula import interval, play_rotations, time_decisions
from tests.support.asserting import refuses
from tests.support.dealer_process import PATIENCE_S, DealerProcess, dealer_process, environment
from tests.support.hands.golden_files import GOLDEN
from tests.support.hands.views import deciding, view_after
from tests.support.matches import DEALERS, bot, play_match, run_match

# --- The formula bot as a player ----------------------------------------------------------------------------


def decisions_of(game: str, hands: int, others: Callable[[], Agent]) -> list[tuple[Formula, HandView]]:
    """Every state in which a formula bot is asked."""
    asked: list[tuple[Formula, HandView]] = []

    class Noted(Formula):
        def choose_action(self, view: HandView):  # type: ignore[no-untyped-def]
            asked.append((self, view))
            return super().choose_action(view)

    definition = load_game(game)
    Arena(definition, [Noted(), *(others() for _ in range(definition.num_players - 1))], 3).play(hands)
    return list(asked)


def test_its_triple_is_its_row_and_its_action_is_in_it() -> None:
    for agent, view in decisions_of("limit-2p", 10, Random):
        triple = agent.probability_triple(view)

        assert sum(triple) == pytest.approx(1)
        row = agent.triples(view)[combo_index(*view.own_cards)]
        assert triple == pytest.approx(row, abs=1e-9)
        begin_decision(agent, view)
        assert triple[("f", "c", "r").index(agent.choose_action(view).kind)] > 0


def test_what_it_would_do_with_each_hand_does_not_depend_on_the_one_it_holds() -> None:
    agent, view = decisions_of("limit-2p", 10, Random)[-1]
    other = tuple(card for card in range(52) if card not in (*view.own_cards, *view.board))[:2]
    hole_cards = tuple(other if p == view.position else cards for p, cards in enumerate(view.hole_cards))
    same = HandView(view.betting, view.position, view.hand_number, hole_cards, view.board)

    assert (agent.triples(view) == agent.triples(same)).all()


def test_it_begins_with_the_strategy_that_comes_with_the_program() -> None:
    view = view_after("limit-2p", "rc/r")
    agent, alone, usual = Formula(), Formula(blueprint=False), make_bot("equilibrium")
    for each in (agent, alone, usual):
        deciding(each, view)

    share = agent.book.strategy_share(view)

    assert share == pytest.approx(1 / (1 + np.exp(-3)))
    mixed = share * np.array(usual.triples(view)) + (1 - share) * alone.triples(view)
    assert agent.triples(view) == pytest.approx(mixed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opponent", "least", "most"), [("equilibrium", -50, -5), ("always-call", 50, 50), ("simple", 5, 50)]
)
def test_it_leaves_the_strategy_where_the_opponent_does(opponent: str, least: float, most: float) -> None:
    agent = Formula()
    Arena(load_game("limit-2p"), [agent, make_bot(opponent)], 3).play(60)

    assert least <= agent.book.of_seat(1).evidence <= most


@pytest.mark.parametrize(
    ("game", "options"), [("limit-3p", {}), ("nolimit-2p-100bb", {}), ("limit-2p", {"model": "generic"})]
)
def test_elsewhere_it_begins_with_its_models(game: str, options: dict[str, str]) -> None:
    view = view_after(game, "")

    assert deciding(Formula(**options), view).book.strategy_share(view) == 0  # type: ignore[arg-type]


def test_what_speaks_against_the_strategy_is_remembered(tmp_path: Path) -> None:
    shares = []
    for hands in (20, 1):
        agent = Formula(memory=tmp_path / "m")
        Arena(load_game("limit-2p"), [agent, AlwaysCall()], 1, names=["us", "them"]).play(hands)
        shares.append(agent.book.of_seat(1).evidence)
        agent.close_memory()

    assert shares[0] > 20
    assert shares[1] >= shares[0]


def test_options_are_read_and_checked() -> None:
    agent = make_agent("formula", Formula, {"model": "none", "noise": "0.5", "tightness": "0.7"})

    assert isinstance(agent, Formula)
    assert (agent.model, agent.book.noise, agent.parameters.tightness) == ("none", 0.5, 0.7)


def test_a_memory_with_another_prior_is_taken_over_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "models.json"
    model = {**PlayerModel().as_dict(), "prior": "another"}
    write_archive(path, Archive(KIND, SCHEMA_VERSION, {"players": {"them": {"model": model}}}))
    agent = Formula(memory=path)

    known = agent.book.earlier["them"].model

    agent.close_memory()
    assert isinstance(known, PlayerModel)
    assert known.as_dict() == PlayerModel().as_dict()
    assert "models.json: made with another prior" in capsys.readouterr().err
    assert Formula(model="generic", memory=path).is_stateless


def test_models_of_earlier_versions_are_the_player_model_or_refused() -> None:
    assert Formula(model="specific").model == "player"
    for name in ("tree", "network"):
        refuses(ValueError, f"{name} is no more; use model=player", Formula, model=name)


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_modelling_pays_at_a_table_of_ten() -> None:
    seats = ["formula", "formula:model=none"] * 5
    won = play_rotations(load_game("limit-10p"), seats, 1500, 1, (0, 1))[::2].mean(axis=0)

    mean, half = interval(won)
    assert mean - half > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_decision_at_a_table_of_ten_takes_ten_milliseconds() -> None:
    time_decisions("limit-10p", "always-call", 5, 1)

    timed = time_decisions("limit-10p", "always-call", 150, 1)

    assert timed["median_ms"] <= 10
    assert timed["p99_ms"] <= 40


def test_the_size_is_the_one_whose_folds_and_calls_bring_most() -> None:
    """On the river: who folds to nothing pays the most with a good hand; who folds to all but small bets
    gives up the pot to a great one with nothing, and pays a small one.
    """
    betting = parse_betting(load_game("nolimit-2p"), "r300c/cc/cc/")
    totals = totals_compared(betting, situation_of(betting))
    hands = np.array([0.02, 0.95])
    assert totals == [600, 750, 900, 1500, 20000]

    assert best_totals(betting, hands, dict.fromkeys(totals, 0.0), 0.0)[1] == 20000
    bluff, value = best_totals(betting, hands, {total: float(total > 600) for total in totals}, 0.5)
    assert value == 600
    assert bluff > 600


def test_bluffing_sizes_and_value_sizes_are_drawn_from_the_same_range() -> None:
    """Against who may fold, a size must not tell the hand."""
    from clients.bots.formula.bet_size import bet_size
    from engine.players.action_context import situation_of
    from engine.poker.rules import parse_betting

    betting = parse_betting(load_game("nolimit-2p"), "r300c/")
    situation = situation_of(betting)
    agent = Formula()
    sizes = []
    for value in (0.1, 0.9):
        drawn = []
        for seed in range(50):
            agent.seed, agent._rng = seed, None
            drawn.append(bet_size(betting, situation, value, 0.4, agent.rng).raise_to or 0)
        sizes.append(drawn)

    assert sizes[0] == sizes[1]
    assert np.ptp(sizes[0]) > 100
    assert min(sizes[0]) >= 300 + 0.5 * 600
    assert max(sizes[0]) <= 300 + 600


# --- The formula bot over sockets ---------------------------------------------------------------------------

LIMIT = "holdem.limit.2p.reverse_blinds.game"


def arena_log(game: str, agents: list[Agent], seeds: list[int], hands: int) -> list[str]:
    """The lines of the same match played without sockets."""
    for agent, seed in zip(agents, seeds, strict=True):
        agent.seed = seed
    lines: list[str] = []
    names = [f"p{seat}" for seat in range(len(agents))]
    arena = Arena(load_game(str(GOLDEN / game)), agents, 5, names=names, seed_agents=False)
    arena.play(hands, record=lines.append)
    return [line.rstrip("\n") for line in [*lines, arena.score_line()]]


@pytest.mark.slow
@pytest.mark.parametrize("dealer", DEALERS)
@pytest.mark.parametrize(("game", "seats"), [(LIMIT, 2), ("short6.game", 6)])
def test_it_plays_at_a_dealer_as_in_the_arena(
    game: str, seats: int, dealer: str | None, tmp_path: Path
) -> None:
    """Which it could not without finding its own position in every hand."""
    seeds = list(range(11, 11 + seats))
    players = [bot("formula", "--seed", str(seeds[0]), "--wait", "10", "--game", game)]
    players += [bot("random", "--seed", str(seed), "--wait", "10", "--game", game) for seed in seeds[1:]]
    names = [f"p{seat}" for seat in range(seats)]
    played = play_match(["m", game, "12", "5", *names], players, tmp_path, dealer)

    agents: list[Agent] = [Formula(), *[Random() for _ in names[1:]]]
    assert (played.status, played.statuses) == (0, [0] * seats), played.errors
    assert played.log == arena_log(game, agents, seeds, 12)


HAND = 5
"""In which the bot is killed on the flop: it is second to act there, after a check."""


class _Interrupter(AlwaysCall):
    """Calls, but has its opponent's program killed on a flop, and waits on the turn until it is back."""

    def __init__(self, dealer: DealerProcess, start: Callable[[], None], kill: Callable[[], None]) -> None:
        self._dealer, self._start, self._kill = dealer, start, kill

    async def choose_action(self, view: HandView) -> Action:  # type: ignore[override]
        if view.hand_number == HAND and view.betting.betting_round == 1:
            self._kill()
        if view.hand_number == HAND and view.betting.betting_round == 2:
            self._start()
            with trio.fail_after(PATIENCE_S):
                while "is taken again" not in self._dealer.stderr:
                    await trio.lowlevel.checkpoint()
        return CALL


class _Absent(Formula):
    """The formula bot, for which the house checks where it was killed."""

    def choose_action(self, view: HandView) -> Action:
        is_away = view.hand_number == HAND and view.betting.betting_round == 1
        return CALL if is_away else super().choose_action(view)


@pytest.mark.slow
def test_killed_in_mid_hand_it_comes_back_and_plays_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """Its tables of the hand follow from the state; the generic model has no counts to lose."""
    hands, seeds = 8, [21, 22]
    arguments = ["m", LIMIT, str(hands), "5", "p0", "p1", "--on-failure", "fold"]
    running: list[subprocess.Popen[bytes]] = []
    with dealer_process(arguments, tmp_path) as dealer:
        command = bot(
            "formula", "--seed", str(seeds[0]), "--set", "model=generic", "--game", str(GOLDEN / LIMIT)
        )
        command += ["127.0.0.1", str(dealer.ports[0])]

        def start() -> None:
            running.append(subprocess.Popen(command, env=environment(), stderr=subprocess.DEVNULL))

        def kill() -> None:
            running[0].send_signal(signal.SIGKILL)
            running[0].wait()

        start()
        try:
            table = TableAddress("127.0.0.1", dealer.ports[1], game=load_game(str(GOLDEN / LIMIT)))
            trio.run(join_table, _Interrupter(dealer, start, kill), table, print)
            status, _ = dealer.finish()
            returned = running[-1].wait(timeout=PATIENCE_S)
        finally:
            for process in running:
                process.kill()
                process.wait()

    log = (tmp_path / "m.log").read_text().splitlines()
    assert len(running) == 2
    assert (status, returned) == (0, 0)
    assert any("disconnected" in line for line in log)
    agents: list[Agent] = [_Absent(model="generic"), AlwaysCall()]
    assert [line for line in log if not line.startswith("#")] == arena_log(LIMIT, agents, seeds, hands)


@pytest.mark.parametrize("duplicate", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_match_is_remembered_unless_its_deals_come_again(duplicate: bool, tmp_path: Path) -> None:
    words = ["limit-2p", "us=formula:memory=models.json", "them=always-call", "--hands", "7"]
    done = run_match(tmp_path, *words, *(["--duplicate"] if duplicate else []))

    assert done.returncode == 0, done.stderr
    path = tmp_path / "models.json"
    assert path.exists() is not duplicate
    if not duplicate:
        assert json.loads(path.read_bytes())["players"]["them"]["statistics"]["hands"] == 7
