"""Verdicts: the words, who is better by pairs, that few are false; bounds of payoffs against all betting."""

import random
from collections.abc import Iterator, Sequence

import attrs
import pytest

from engine.evidence.confidence_sequence import payoff_bounds
from engine.evidence.verdict import Adjusted, Goal, Outcome, Standings, Verdict
from engine.poker.match_key import MatchSeed
from engine.poker.rules import (
    Action,
    BettingState,
    GameDefinition,
    initial_betting,
    load_game,
    packaged_games,
    play_hand,
    raise_to,
)
from engine.poker.rules.action import ActionKind
from engine.support.intervals import Estimate, estimate
from tests.support.asserting import known
from tests.support.hands.golden_files import GOLDEN

# --- verdict ------------------------------------------------------------------------------------------------

KUHN = load_game("kuhn-2p")
LIMIT = load_game("limit-2p")
THREE = load_game("limit-3p")


def standings_of(game: GameDefinition, names: str, deals: Sequence[tuple[float, ...]]) -> Standings:
    standings = Standings(game, names)
    for chips in deals:
        standings.add(chips)
    return standings


def standings_after(deals: int, chips: tuple[float, ...], names: str = "AB") -> Standings:
    game = LIMIT if len(chips) == 2 else THREE
    return standings_of(game, names, [chips] * deals)


def only(verdict: Verdict) -> tuple[Outcome, str]:
    (pair,) = verdict.pairs
    assert pair.words == verdict.words
    return pair.outcome, pair.words


def test_the_winner_is_better() -> None:
    assert only(standings_after(200, (20, -20)).verdict(Goal())) == (Outcome.FIRST, "A is better")
    assert only(standings_after(200, (-20, 20)).verdict(Goal())) == (Outcome.SECOND, "B is better")


def test_a_few_deals_decide_nothing() -> None:
    verdict = standings_after(20, (20, -20)).verdict(Goal())

    assert only(verdict) == (Outcome.UNDECIDED, "undecided after 20 deals")
    lead = known(verdict.pairs[0].lead)
    assert lead.low < 0 < 2000 < lead.high


def test_players_are_equal_once_both_ends_are_inside() -> None:
    goal = Goal(within=300)
    after = Standings(LIMIT, "AB")
    while not after.is_settled(goal):
        after.add((0, 0))
    before = standings_after(after.deals - 1, (0, 0))

    assert only(before.verdict(goal))[0] is Outcome.UNDECIDED
    assert only(after.verdict(goal)) == (Outcome.EQUAL, "equal within ± 300 mbb/h")
    assert (before.reached(goal), after.reached(goal)) == (False, True)
    assert only(after.verdict(Goal()))[0] is Outcome.UNDECIDED  # nobody asked for equality


def test_players_that_are_known_well_and_do_not_differ_surely_are_equal_within_what_is_sure() -> None:
    """A lead of 0.2 big blinds: once it is known to ± 0.25, 0 is still in, and so is 0.4."""
    goal = Goal(within=250)
    standings = Standings(LIMIT, "AB")
    while not standings.is_settled(goal):
        standings.add((2, -2))

    (pair,) = standings.verdict(goal).pairs

    lead = known(pair.lead)
    assert lead.low < 0
    assert pair.outcome is Outcome.EQUAL
    assert 250 < lead.high <= known(pair.within) < lead.high * 1.01
    assert pair.words == f"equal within ± {pair.within:g} mbb/h"


def test_the_lead_at_a_table_of_two_is_what_one_wins() -> None:
    generator = random.Random(1)
    standings = Standings(LIMIT, "AB")
    won = [generator.gauss(5, 25) for _ in range(2000)]
    for chips in won:
        standings.add((chips, -chips))

    lead = known(standings.verdict(Goal()).pairs[0].lead)

    assert lead == standings.rate(0)
    assert lead.low < sum(won) / 2000 * 100 < lead.high
    assert standings.rate(1) == lead.mirrored()


def test_players_that_change_are_reported_as_changed() -> None:
    standings = standings_of(LIMIT, "AB", [(30.0, -30.0)] * 400 + [(-30.0, 30.0)] * 400)
    verdict = standings.verdict(Goal())

    assert only(verdict) == (Outcome.CHANGED, "the players changed")
    assert "No constant rate" in known(verdict.note)
    assert verdict.pairs[0].lead is None
    assert standings.is_settled(Goal())  # nothing will be known any more
    assert not standings.reached(Goal())


def test_three_players_are_judged_by_pairs() -> None:
    verdict = standings_after(2000, (30, 30, -60), "ABC").verdict(Goal())

    assert [pair.outcome for pair in verdict.pairs] == [Outcome.UNDECIDED, Outcome.FIRST, Outcome.FIRST]
    assert [pair.players for pair in verdict.pairs] == [(0, 1), (0, 2), (1, 2)]
    assert verdict.words == "undecided after 2000 deals"
    assert standings_after(2000, (60, -30, -30), "ABC").verdict(Goal()).words == "A is better than all others"


def test_a_decided_match_knows_every_pair() -> None:
    assert standings_after(2000, (30, 0, -30), "ABC").is_settled(Goal())
    assert not standings_after(2000, (30, 30, -60), "ABC").is_settled(Goal())


def test_a_known_result_is_as_close_to_the_truth_as_was_asked_for() -> None:
    generator = random.Random(5)
    goal = Goal(within=400)
    standings = Standings(LIMIT, "AB")
    total = 0.0
    while not standings.is_settled(goal):
        won = generator.gauss(8, 25)
        total += won
        standings.add((won, -won))

    rate = known(standings.rate(0))
    mean = total / standings.deals * 100

    assert 380 < max(rate.high - mean, mean - rate.low) <= 400
    assert standings.reached(goal)


def test_all_pairs_are_known_when_a_match_ends() -> None:
    generator = random.Random(6)
    goal = Goal(within=2500)
    standings = Standings(THREE, "ABC")
    while not standings.is_settled(goal):
        chips = [generator.gauss(0, 30), generator.gauss(0, 5)]
        standings.add((chips[0], chips[1], -sum(chips)))

    assert standings.reached(goal)


def test_chances_are_shared_out_among_pairs() -> None:
    two = known(standings_after(500, (30, -30)).verdict(Goal()).pairs[0].lead)
    alone = Standings(LIMIT, "AB", alpha=0.05 / 3)
    for _ in range(500):
        alone.add((30, -30))

    assert known(alone.verdict(Goal()).pairs[0].lead).low < two.low


def test_few_matches_are_judged_falsely_whenever_they_end() -> None:
    """Matches of three equal players in Kuhn's payoffs, each ended by the first claim that is made."""
    game = load_game("kuhn-3p")
    generator = random.Random(2)
    false = 0
    for _ in range(30):
        standings = Standings(game, "ABC")
        for _ in range(300):
            chips = [2.0, -1.0, -1.0]
            generator.shuffle(chips)
            standings.add(chips)
            if any(pair.outcome is not Outcome.UNDECIDED for pair in standings.verdict(Goal()).pairs):
                false += 1
                break

    assert false <= 2


def test_a_learner_is_judged_by_what_it_was_worth_so_far() -> None:
    generator = random.Random(3)
    standings = Standings(LIMIT, ("L", "B"), learners=[0])
    for deal in range(4000):
        chips = generator.gauss(deal / 100 - 20, 25)  # it loses two big blinds a hand, and wins two at last
        standings.add((chips, -chips))
    verdict = standings.verdict(Goal())

    (pair,) = verdict.pairs
    assert verdict.rule == "empirical-Bernstein confidence sequence"
    assert verdict.note == (
        "L learns while playing: every interval is about what the players were worth on average so far, "
        "by an empirical-Bernstein confidence sequence, which holds whenever you look."
    )
    assert pair.outcome is Outcome.UNDECIDED
    lead, other = known(pair.lead), known(standings.rate(1))
    # The payoffs spread by 27 or so: 1.96 standard errors are ± 85 mbb/h.
    assert 120 < lead.half_width < 250
    assert standings.rate(0) == lead
    assert (other.low, other.high) == pytest.approx((-lead.high, -lead.low))


def test_a_learner_that_plays_alike_is_known_in_the_end() -> None:
    generator = random.Random(4)
    standings = Standings(LIMIT, ("L", "B"), learners=[0])
    while not standings.is_settled(Goal()):
        chips = generator.gauss(8, 25)
        standings.add((chips, -chips))

    assert 50 < standings.deals < 500
    assert standings.reached(Goal())
    assert standings.verdict(Goal()).words == "L is better"


def test_few_deals_of_a_learner_say_little() -> None:
    standings = Standings(LIMIT, ("L", "B"), learners=[0, 1])
    standings.add((5, -5))

    verdict = standings.verdict(Goal())

    assert verdict.words == "undecided after 1 deal"
    lead = known(verdict.pairs[0].lead)
    assert (lead.low, lead.high) == (-24_000, 24_000)
    assert known(verdict.note).startswith("L and B learn while playing")


def test_a_game_without_bounds_has_no_verdict() -> None:
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(2**31 - 1,) * 2)
    standings = standings_of(game, "AB", [(300.0, -300.0)] * 5000)

    verdict = standings.verdict(Goal())

    assert only(verdict) == (Outcome.UNDECIDED, "undecided after 5000 deals")
    assert "names no stacks" in known(verdict.note)
    assert not standings.is_settled(Goal())
    assert not standings.reached(Goal())


def test_json_and_lines_say_the_same() -> None:
    verdict = standings_after(200, (-20, 20)).verdict(Goal())

    found = verdict.as_json()
    (pair,) = found["pairs"]
    low, high = pair["lead_mbb_per_hand"]
    assert (found["words"], found["deals"], found["alpha"]) == ("B is better", 200, 0.05)
    assert (pair["players"], pair["seats"], pair["outcome"]) == (["A", "B"], [0, 1], "second")
    assert low < high < 0
    kind = "95 %, whenever you look"
    assert verdict.lines() == [f"verdict: B is better: {-high:+.1f} to {-low:+.1f} mbb/h ({kind})"]


def test_lines_of_larger_tables_name_pairs() -> None:
    lines = standings_after(2000, (60, -30, -30), "ABC").verdict(Goal()).lines()

    assert lines[0] == "verdict: A is better than all others (all pairs together 95 %, whenever you look)"
    assert [line.partition(":")[0] for line in lines[1:]] == ["  A over B", "  A over C", "  B over C"]
    assert lines[1].endswith(" mbb/h, A is better")


def test_a_number_of_deals_fixed_in_advance_has_the_interval_of_its_table() -> None:
    won = [random.Random(k).gauss(1.2, 25) for k in range(2000)]
    standings = standings_of(LIMIT, "AB", [(chips, -chips) for chips in won])
    table = estimate(won).scaled(100)

    fixed, watched = standings.verdict(), standings.verdict(Goal())

    lead, half = known(fixed.pairs[0].lead), known(table.ci95)
    assert (lead.low, lead.high) == pytest.approx((table.mean - half, table.mean + half))
    assert fixed.lines() == [f"verdict: A is better: {table.text(1)} mbb/h (95 %, fixed)"]
    assert watched.words == "undecided after 2000 deals"
    assert fixed.as_json()["rule"] == "normal interval of a number of deals fixed in advance"


def test_the_figure_with_luck_taken_out_decides_where_it_is_there() -> None:
    standings = standings_after(500, (1, -1))
    adjusted = Adjusted("equity", (Estimate(-2.0, 1.0, 500),))

    verdict = standings.verdict(adjusted=adjusted)

    assert verdict.lines() == ["verdict: B is better: +200.0 ± 100.0 mbb/h (95 %, fixed, adjusted)"]
    assert verdict.as_json()["estimator"] == "equity"


def test_of_few_hands_and_of_none_little_is_said() -> None:
    few = "too few hands: 99 deals, 100 are the least for a verdict"
    assert standings_after(99, (20, -20)).verdict().lines() == [f"verdict: {few}"]
    assert standings_after(99, (20, -10, -10), "ABC").verdict().lines() == [f"verdict: {few}"]
    assert standings_after(0, (0, 0)).verdict().lines() == []
    assert standings_after(0, (0, 0)).verdict(Goal()).lines() == []
    assert standings_after(100, (20, -20)).verdict().words == "A is better"


def test_players_that_change_are_named_beside_a_fixed_interval() -> None:
    verdict = standings_of(LIMIT, "AB", [(30.0, -30.0)] * 400 + [(-30.0, 30.0)] * 400).verdict()

    assert only(verdict) == (Outcome.UNDECIDED, "undecided after 800 deals")
    assert "No constant rate" in known(verdict.note)


def test_of_many_pairs_only_the_decided_ones_are_shown() -> None:
    game = load_game("limit-6p")
    verdict = standings_of(game, "ABCDEF", [(100.0, -20.0, -20.0, -20.0, -20.0, -20.0)] * 2000).verdict(
        Goal()
    )

    lines = verdict.lines()

    assert len(lines) == 1 + 5 + 1
    assert all(line.startswith("  A over ") for line in lines[1:6])
    assert lines[6] == "  undecided: 10 of 15 pairs"


@pytest.mark.parametrize(("goal", "text"), [(Goal(), "decided"), (Goal(12.5), "± 12.5 mbb/h")])
def test_a_goal_can_be_read(goal: Goal, text: str) -> None:
    assert str(goal) == text


# --- payoff bounds ------------------------------------------------------------------------------------------

GAMES = [*packaged_games(), *sorted(str(path) for path in GOLDEN.glob("*.game"))]


def actions(state: BettingState) -> Iterator[Action]:
    legal = state.legal_actions()
    yield from (Action(kind) for kind in (ActionKind.FOLD, ActionKind.CALL) if Action(kind) in legal)
    if legal.can_raise:
        yield from {legal.raising_to(legal.min_raise_to), legal.raising_to(legal.max_raise_to)}


@pytest.mark.parametrize("name", ["kuhn-2p", "kuhn-3p", "leduc", "limit-2p"])
def test_what_positions_put_in_reaches_the_bounds_and_no_more(name: str) -> None:
    path = GOLDEN / f"{name}.game"
    game = load_game(str(path) if path.exists() else name)
    most = [0] * game.num_players
    ahead = [initial_betting(game)]
    while ahead:
        state = ahead.pop()
        most = [max(before, spent) for before, spent in zip(most, state.spent, strict=True)]
        if not state.is_finished:
            ahead += [state.apply(action) for action in actions(state)]

    bounds = known(payoff_bounds(game))
    assert bounds.most_lost == tuple(most)


@pytest.mark.parametrize(("seats", "won", "lead"), [(2, 240, 240), (3, 480, 720)])
def test_limit_costs_24_small_bets_each(seats: int, won: int, lead: int) -> None:
    bounds = known(payoff_bounds(load_game(f"limit-{seats}p")))
    assert (bounds.most_lost, bounds.most_won) == ((240,) * seats, (won,) * seats)
    assert bounds.of_a_lead() == lead
    assert bounds.of_a_player() == (-240, won)


@pytest.mark.parametrize("antes", [(0, 0, 0), (100, 100, 100)])
def test_a_short_stack_wins_its_own_size_from_each_whatever_the_antes(antes: tuple[int, ...]) -> None:
    game = attrs.evolve(load_game("nolimit-3p"), stacks=(500, 2000, 9000), antes=antes)

    bounds = known(payoff_bounds(game))
    assert bounds.most_lost == (500, 2000, 2000)  # what nobody can match comes back
    assert bounds.most_won == (1000, 2500, 2500)


def test_without_stacks_only_limit_has_bounds() -> None:
    endless = 2**31 - 1
    limit = attrs.evolve(load_game("limit-2p"), stacks=(endless, endless))
    no_limit = attrs.evolve(load_game("nolimit-2p"), stacks=(endless, endless))

    assert payoff_bounds(limit) == payoff_bounds(load_game("limit-2p"))
    assert payoff_bounds(no_limit) is None
    one_stack = known(payoff_bounds(attrs.evolve(no_limit, stacks=(20_000, endless))))
    assert one_stack.most_lost == (20_000, 20_000)


def test_a_round_without_a_cap_ends_by_its_length() -> None:
    game = attrs.evolve(load_game("limit-2p"), max_raises=(255,) * 4)

    bounds = known(payoff_bounds(game))
    assert bounds.most_lost[0] == 10 + 63 * (10 + 10 + 20 + 20)  # 64 actions with two players


def with_antes(antes: tuple[int, ...], stacks: tuple[int, ...]) -> GameDefinition:
    return attrs.evolve(load_game("nolimit-6p-ante"), antes=antes, stacks=stacks)


@pytest.mark.parametrize("name", GAMES, ids=lambda name: name.rpartition("/")[2])
@pytest.mark.parametrize("raises", [0.3, 0.9])
def test_no_hand_costs_or_brings_more(name: str, raises: float) -> None:
    hold_to_bounds(load_game(name), raises)


@pytest.mark.parametrize(
    "game",
    [
        with_antes((40,) * 6, (900, 190, 30, 12, 90, 1100)),
        with_antes((0, 100, 0, 0, 0, 0), (300, 260, 5, 90, 700, 90)),
        with_antes((0, 5, 20, 7, 0, 9), (900, 130, 120, 500, 400, 7)),
    ],
    ids=["stacks below the ante", "the big blind's", "antes of some"],
)
def test_no_hand_with_antes_costs_or_brings_more(game: GameDefinition) -> None:
    hold_to_bounds(game, 0.3)
    hold_to_bounds(game, 0.9)


def hold_to_bounds(game: GameDefinition, raises: float) -> None:
    bounds = known(payoff_bounds(game))
    lead = bounds.of_a_lead()
    least, most = bounds.of_a_player()
    generator = random.Random(1)
    dealer = MatchSeed(3).dealer(game)

    for hand in range(40):
        chips = play_randomly(game, hand, dealer.deal(), generator, raises)
        for position, won in enumerate(chips):
            assert -bounds.most_lost[position] - 1e-9 <= won <= bounds.most_won[position] + 1e-9
            assert least <= won <= most
        difference = max(chips) - min(chips)
        assert difference * (0.5 if len(chips) == 2 else 1) <= lead + 1e-9


def play_randomly(
    game: GameDefinition, hand: int, deal: object, generator: random.Random, raises: float
) -> tuple[float, ...]:
    loop = play_hand(game, hand, deal)  # type: ignore[arg-type]
    try:
        state = next(loop)
        while True:
            legal = state.legal_actions()
            action = Action(ActionKind.CALL)
            if legal.can_raise and generator.random() < raises:
                assert legal.min_raise_to is not None
                assert legal.max_raise_to is not None
                total = generator.choice([legal.min_raise_to, legal.max_raise_to])
                action = legal.raising_to(total) if legal.is_limit else raise_to(total)
            elif legal.can_fold and generator.random() < 0.2:
                action = Action(ActionKind.FOLD)
            state = loop.send(action)
    except StopIteration as finished:
        chips: tuple[float, ...] = finished.value.chips_won()
    return chips
