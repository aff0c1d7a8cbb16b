"""The sampling bot at the table: legal, repeatable, in time, and ready to say why."""

from __future__ import annotations

from collections.abc import Awaitable

import numpy as np
import pytest
import trio
import trio.testing

from clients.bots.sampling.agent import DEFAULT_SECONDS, DEFAULT_TRIALS, SEEDED_TRIALS, Sampling, explained
from clients.core.agent import described
from clients.core.options import make_agent, parse_bet_sizes
from clients.core.session import play
from engine.players.trials.selective_sampling import Criterion, Estimates
from engine.poker.cards import format_cards
from engine.poker.rules import CALL, FOLD, LIMIT_RAISE, Action, CardDealer, load_game, raise_to
from tests.support.hands.views import deciding, view_after

# --- choosing --------------------------------------------------------------------------------------------


def test_the_best_action_is_taken_and_folding_is_worth_zero() -> None:
    for seed in range(12):
        view = view_after("limit-2p", "rc/r", seed)
        agent = Sampling(trials=100, blueprint=False)
        deciding(agent, view)

        action = agent.choose_action(view)

        assert agent.estimates is not None
        values = dict(zip(agent.estimates.moves, agent.estimates.values.tolist(), strict=True)) | {FOLD: 0.0}
        assert isinstance(action, Action)
        assert values[action] == max(values.values())


def test_the_best_action_is_a_certain_triple_and_a_mixture_a_true_one() -> None:
    view = view_after("limit-2p", "rc/r")
    best, mixed = (Sampling(trials=100, choose=how, blueprint=False) for how in ("best", "mixed"))
    triples = []
    for agent in (best, mixed):
        deciding(agent, view)
        triples.append(agent.probability_triple(view))

    assert sorted(triples[0]) == [0, 0, 1]
    for triple in triples:
        assert sum(triple) == pytest.approx(1)
    assert max(triples[1]) == triples[1][triples[0].index(1)]


def test_the_strategy_that_it_begins_with_has_its_share_of_decisions() -> None:
    view = view_after("limit-2p", "rc/r")
    agent, alone = Sampling(trials=100), Sampling(trials=100, blueprint=False)
    deciding(agent, view)
    deciding(alone, view)
    share, usual = agent.book.strategy_share(view), agent.book.usual(view)

    triple, own = agent.probability_triple(view), alone.probability_triple(view)

    assert share > 0.9
    assert triple.raise_ == pytest.approx(share * usual[LIMIT_RAISE] + (1 - share) * own.raise_)
    taken = [action for _ in range(300) if (action := agent.choose_action(view)) and agent.estimates is None]
    assert len(taken) == pytest.approx(300 * share, abs=20)
    assert taken.count(LIMIT_RAISE) == pytest.approx(len(taken) * usual[LIMIT_RAISE], abs=30)


def test_a_mixture_has_those_actions_that_are_nearly_as_good() -> None:
    """Each the likelier, the less it falls short; one that falls short by much has no chance."""
    view = view_after("limit-2p", "rc/r")
    agent = Sampling(choose="mixed")
    values = np.array([0.52, 0.55])

    actions, chances = agent._mixture(
        view, Estimates((CALL, LIMIT_RAISE), 1, values, np.outer(values, values))
    )

    assert actions == (FOLD, CALL, LIMIT_RAISE)
    assert chances == pytest.approx((0, 0.7 / 1.7, 1 / 1.7))


# --- time ------------------------------------------------------------------------------------------------


def test_without_a_seed_time_is_limited_and_with_one_only_trials() -> None:
    agent, told = Sampling(), Sampling(trials=7, seconds=2)

    assert (agent.max_trials, agent.max_seconds) == (DEFAULT_TRIALS, DEFAULT_SECONDS) == (20_000, 0.05)
    agent.seeded = told.seeded = True
    assert (agent.max_trials, agent.max_seconds) == (SEEDED_TRIALS, float("inf"))
    assert SEEDED_TRIALS == 2000
    assert (told.max_trials, told.max_seconds) == (7, 2)


class _Clock:
    """Goes on by a hundredth of a second each time somebody looks."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.01
        return self.now


@pytest.mark.parametrize(("seconds_to_act", "trials"), [(None, 500), (0.02, 200), (0.001, 100)])
def test_when_its_time_is_up_it_answers_with_what_it_has(
    seconds_to_act: float | None, trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch at least; no more than its own time and the most of what the dealer allows."""
    monkeypatch.setattr("clients.bots.sampling.agent.time.perf_counter", _Clock())
    view = view_after("limit-2p", "rc/r")
    agent = Sampling(trials=10**9, seconds=0.05, obvious="never", blueprint=False)
    deciding(agent, view)
    agent.seconds_to_act = seconds_to_act

    action = agent.choose_action(view)

    assert isinstance(action, Action)
    assert action in view.legal_actions()
    assert agent.estimates is not None
    assert agent.estimates.samples == trials


async def test_it_can_be_cancelled_when_the_dealer_goes_on_without_it() -> None:
    view = view_after("limit-2p", "rc/r")
    agent = Sampling(trials=10**9, seconds=10**9, blueprint=False)
    deciding(agent, view, seeded=False)
    waiting = agent.choose_action(view)
    assert isinstance(waiting, Awaitable)

    with trio.CancelScope() as scope:
        scope.cancel()
        await waiting

    assert scope.cancelled_caught


def test_an_obvious_action_ends_the_simulation() -> None:
    """The paired error of the difference sees it first."""
    view = view_after("limit-2p", "rc/r", seed=2)
    used = {}
    for obvious in ("paired", "never"):
        agent = Sampling(trials=3000, obvious=obvious, blueprint=False)
        deciding(agent, view)
        agent.choose_action(view)
        assert agent.estimates is not None
        used[obvious] = agent.estimates.samples

    assert used["never"] == 3000
    assert used["paired"] < 3000


# --- options ---------------------------------------------------------------------------------------------


def test_options_are_read_from_texts() -> None:
    agent = make_agent(
        "sampling",
        Sampling,
        {
            "trials": "50", "seconds": "0.5", "model": "none", "choose": "mixed", "bet-sizes": "third+2",
            "explain": "on",
        },
    )  # fmt: skip

    assert isinstance(agent, Sampling)
    assert (agent.max_trials, agent.max_seconds, agent.shares) == (50, 0.5, parse_bet_sizes("third+2"))
    assert (agent._mixes, agent._explains) == (True, True)
    assert agent.criterion is Criterion.PAIRED_ERROR


def test_bet_sizes_are_words_and_numbers() -> None:
    assert parse_bet_sizes("half+pot+all-in") == (0.5, 1.0, float("inf"))
    assert parse_bet_sizes("0.75/two-pots") == (0.75, 2.0)


# --- explaining ------------------------------------------------------------------------------------------


def test_actions_are_described_in_words() -> None:
    assert [described(a) for a in (FOLD, CALL, LIMIT_RAISE, raise_to(300))] == [
        "fold", "call", "raise", "raise to 300",
    ]  # fmt: skip


async def test_the_values_leave_in_one_write_with_the_action() -> None:
    """A comment line first, which dealers skip."""
    ours, theirs = trio.testing.memory_stream_pair()
    agent = Sampling(trials=100, explain=True, blueprint=False)
    agent.seed, agent.seeded = 3, True
    game = load_game("limit-2p")
    cards = CardDealer(game, 1).deal().hole_cards[1]
    state = f"MATCHSTATE:1:0::|{format_cards(cards)}"
    chunks: list[bytes] = []

    async def be_dealer() -> None:
        while len(chunks) < 2:
            chunks.append(bytes(await theirs.receive_some()))
            if len(chunks) == 1:
                await theirs.send_all(f"{state}\r\n".encode())
        await theirs.send_all(f"MATCHSTATE:1:0:f:|{format_cards(cards)}\r\n".encode())
        await theirs.aclose()

    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(be_dealer)
            await play(agent, ours, game, extension=False)

    assert chunks[0].startswith(b"VERSION")
    comment, reply = chunks[1].decode().splitlines()
    assert agent.estimates is not None
    assert comment == f"# {explained(agent.estimates)}"
    assert "100 trials" in comment
    assert reply.startswith(state)
    assert agent.comment is None
