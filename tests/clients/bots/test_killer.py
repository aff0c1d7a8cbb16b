"""The killer, portfolio and equilibrium bots: what they have prepared for those who sit there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Random
from clients.bots.equilibrium import Equilibrium
from clients.bots.hand_strength import HandStrengthBot
from clients.bots.killer import preflop as before_flop
from clients.bots.killer.agent import Killer
from clients.bots.killer.reading import Habit, Honesty, Reading, ideal_flops, ideal_share
from clients.bots.killer.straight import Postflop, bluff_chance, decide, further_bets
from clients.bots.portfolio import OPPONENTS, Portfolio
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError
from clients.core.registry import make_bot
from engine.hands.pot_odds import StraightPlay, implied_odds
from engine.poker.cards import parse_written_cards
from engine.poker.combos import COMBOS_PER_STARTING_HAND, combo_index, parse_starting_hand
from engine.poker.rules import Action, CardDealer, HandState, HandView, load_game, parse_betting
from engine.solving.game_tree import game_tree
from engine.solving.mixtures import HoldemPortfolio, SmallPortfolio
from engine.solving.solver import Solver
from engine.solving.strategies import Strategy, exploitability, policy_with
from engine.solving.strategy_file import write_strategy
from tests.engine.players.hands import random_hand
from tests.support.hands.views import deciding, view_after

# --- The killer bot -----------------------------------------------------------------------------------------


def seated(view: HandView, **options: Any) -> Any:
    """At the table, about to decide."""
    return deciding(Killer(**options), view)


# --- reading -----------------------------------------------------------------------------------------------


def test_a_sound_player_plays_as_in_the_one_chip_game() -> None:
    """Killer's table with blinds: 10 % under the gun, 37 % on the button, 75 % heads-up."""
    game, two = load_game("limit-10p"), load_game("limit-2p")

    assert ideal_share(parse_betting(game, ""), 2) == pytest.approx(0.097, abs=0.001)
    assert ideal_share(parse_betting(game, "fffffff"), 9) == pytest.approx(0.37, abs=0.005)
    assert ideal_share(parse_betting(two, ""), 1) == pytest.approx(0.75)
    # Heads-up, 10 to call into 30: of the raiser's 75 % three quarters.
    assert ideal_share(parse_betting(two, "r"), 0) == pytest.approx(0.75 * 0.75)
    assert ideal_share(parse_betting(two, "c"), 0) == 0.75


def test_ideals_are_the_papers_at_ten_seats() -> None:
    assert ideal_flops(10) == 0.2
    assert ideal_flops(2) == 0.75


def loose_reading(view: HandView, position: int, flops: Sequence[bool]) -> Reading:
    reading = Reading()
    reading.sit_down(view.position, view.game.num_players, None)
    for saw in flops:
        reading.of(view, position).looseness.observe(saw)
    return reading


def test_looseness_widens_what_an_opponent_may_hold() -> None:
    """Who plays two and a half times the ideal number of hands may hold what a sound player would not."""
    view = view_after("limit-6p", "rfffc", hole="3h2d")
    raiser = 2
    tight = loose_reading(view, raiser, [False] * 60).weights(view, raiser)
    loose = loose_reading(view, raiser, [True] * 60).weights(view, raiser)
    poor = combo_index(*parse_written_cards("KhTd"))
    good = combo_index(*parse_written_cards("AhAd"))

    assert loose.sum() > 2 * tight.sum()
    assert loose[poor] > tight[poor]
    assert loose[good] == pytest.approx(1)
    assert tight[good] > 5 * tight[poor]


def test_bets_take_the_weak_hands_away_and_checks_take_nothing() -> None:
    view = view_after("limit-2p", "cc/r", hole="AhJd", board="Js8c4s")
    checked = view_after("limit-2p", "cc/c", hole="AhJd", board="Js8c4s")
    weights = Reading().weights(view, 1 - view.position)
    free = Reading().weights(checked, 1 - checked.position)
    nothing, set_of_eights = (combo_index(*parse_written_cards(cards)) for cards in ("3h2d", "8h8d"))

    assert weights[set_of_eights] == 1.0
    assert weights[nothing] == pytest.approx((1 - 0.95 * 0.9) * free[nothing])
    for known in ("Ah2d", "Js2d"):
        assert weights[combo_index(*parse_written_cards(known))] == 0


def test_a_player_who_bets_everything_is_believed_less() -> None:
    habit = Habit()
    for _ in range(100):
        habit.observe(True, 0.5)

    assert habit.looseness == pytest.approx(105 / 55)
    agent = Killer()
    Arena(load_game("limit-2p"), [agent, AlwaysRaise()], 3).play(60)
    assert agent.reading.of_seat(1).raises.looseness > 1.5
    careful = Killer()
    Arena(load_game("limit-2p"), [careful, AlwaysFold()], 3).play(60)
    assert careful.reading.of_seat(1).calls.looseness < 0.7


def test_hands_that_were_shown_tell_how_far_a_player_is_to_be_believed() -> None:
    honest, liar = Honesty(), Honesty()
    passing = np.zeros(1326)
    passing[:331] = 1.0
    for combo in range(40):
        honest.observe(passing, combo)
        liar.observe(passing, 33 * combo)  # a quarter of them pass, as of all hands

    assert Honesty().share == 0.9
    assert honest.share > 0.95
    assert liar.share < 0.25
    agents = [Killer(), Killer()]
    Arena(load_game("limit-2p"), [agents[0], Random()], 3).play(120)
    Arena(load_game("limit-2p"), [agents[1], HandStrengthBot()], 3).play(120)
    shares = [agent.reading.of_seat(1).honesty.share for agent in agents]
    assert shares[0] < 0.5 < shares[1]


# --- straight play -----------------------------------------------------------------------------------------


def decision(**changes: object) -> Postflop:
    usual: dict[str, object] = {
        "hand_odds": 0.25, "strength": 0.2, "potential": 0.2, "pot": 40.0, "to_call": 4.0, "bet": 4.0,
        "later": 0.0, "loosenesses": (2.0, 2.0),
    }  # fmt: skip
    return Postflop(**{**usual, **changes})  # type: ignore[arg-type]


def test_a_flush_draw_calls_anything_and_does_not_raise() -> None:
    """The paper's case: odds of 25 % against two, 4 to call into 40 (10 %: .0909 needed), raise odds 1/3."""
    assert implied_odds(40, 4).as_pot_odds().value == pytest.approx(0.0909, abs=1e-4)
    assert decide(decision()) is StraightPlay.CALL
    assert decide(decision(to_call=0.0)) is StraightPlay.CHECK
    assert decide(decision(hand_odds=0.34)) is StraightPlay.RAISE
    assert decide(decision(hand_odds=0.09)) is StraightPlay.FOLD


def test_implied_odds_are_the_papers() -> None:
    """4 to call into 16 with one more bet of 4 heads-up: 8 to 20, so 28.57 % are needed."""
    case = decision(pot=16.0, later=4.0, loosenesses=(2.0,), potential=0.0, bet=0.0)
    further = further_bets(attrs.evolve(case))
    assert (further.won_when_ahead, further.lost_when_behind) == (4.0, 2.0)

    assert decide(attrs.evolve(case, hand_odds=0.30)) is StraightPlay.CALL
    # We pay only half of the later bets: (4 + 2) / (16 + 4) asks for 23.08 %.
    assert decide(attrs.evolve(case, hand_odds=0.235)) is StraightPlay.CALL
    assert decide(attrs.evolve(case, hand_odds=0.225)) is StraightPlay.FOLD


def test_a_draw_loses_nothing_more_when_it_misses() -> None:
    made = decision(later=20.0, potential=0.0)

    assert further_bets(decision(later=20.0)).lost_when_behind == 0
    assert further_bets(made).lost_when_behind == 10
    assert further_bets(made).won_when_ahead == 40


def test_a_made_hand_gives_no_free_card() -> None:
    """Against loose players half a pot share does not pay for a bet, and is bet all the same."""
    case = decision(to_call=0.0, strength=0.5, hand_odds=0.3)

    assert decide(case) is StraightPlay.BET
    assert decide(attrs.evolve(case, strength=0.4)) is StraightPlay.CHECK
    assert decide(attrs.evolve(case, bet=0.0)) is StraightPlay.CHECK


@pytest.mark.parametrize(("bet", "share"), [(40.0, 1 / 3), (20.0, 1 / 4), (4.0, 1 / 12)])
def test_bluffs_are_as_many_as_make_calls_worth_nothing(bet: float, share: float) -> None:
    """Over all hands on a river: of those that are bet, b/(P + 2b) are bluffs."""
    board = "Js8c4s2h2d"
    weights = np.ones((1, 1326))
    view = view_after("limit-2p", "cc/cc/cc/", hole="AhJd", board=board)
    from clients.bots.killer.straight import hand_strengths
    from engine.poker.combos import combo_cards, combos_without

    strengths = hand_strengths(view.board, weights)
    value = bluffed = 0.0
    for combo in np.flatnonzero(combos_without(view.board)).tolist():
        holes = tuple(combo_cards(combo) if p == view.position else () for p in (0, 1))
        case = decision(strength=float(strengths[combo]), pot=40.0, bet=bet, to_call=0.0)
        value += case.strength >= 0.5
        bluffed += bluff_chance(attrs.evolve(view, hole_cards=holes), weights, case)

    assert bluffed / (value + bluffed) == pytest.approx(share, abs=1e-6)


# --- before the flop ---------------------------------------------------------------------------------------


def test_an_ante_is_not_left_to_bet_with() -> None:
    game = attrs.evolve(load_game("nolimit-2p"), stacks=(500, 500), antes=(100, 100))
    view = HandState(parse_betting(game, ""), 0, CardDealer(game, 1).deal()).view(1)

    assert before_flop.read_table(view, Reading(), 0.0).left == 400 - view.betting.spent[1]


@pytest.mark.parametrize("game", ["limit-2p", "limit-6p", "limit-10p", "nolimit-6p"])
def test_chances_of_configurations_add_up(game: str) -> None:
    """To 1 with a call; with a raise to all but the chance that everybody folds."""
    seen = 0
    for seed in range(40):
        for state in random_hand(game, seed):
            position = state.position_to_act
            if position is None or state.betting.betting_round > 0:
                continue
            view = state.view(position)
            can_raise = view.legal_actions().can_raise
            table = before_flop.read_table(view, Reading(), 10.0 if can_raise else 0.0)
            calls, raised = (
                before_flop.configurations(table, raising=False),
                before_flop.configurations(table, raising=True),
            )

            assert math.fsum(config.chance for config in calls) == pytest.approx(1)
            nobody = math.prod(1 - other.stays for other in table.others)
            assert math.fsum(config.chance for config in raised) == pytest.approx(1 - nobody)
            for config in (*calls, *raised):
                assert 1 <= config.callers <= len(table.others)
                assert 0 < config.share <= 1
                assert config.bets >= 0
                assert config.pot >= table.pot + table.to_call
            seen += 1
    assert seen > 60


def test_good_hands_are_raised_and_bad_ones_folded_under_the_gun() -> None:
    for preflop in ("configs", "groups", "one-chip"):
        aces = view_after("limit-10p", "", hole="AhAd")
        trash = view_after("limit-10p", "", hole="7h2d")

        # By its values a call may be worth more: at a sound table a raise leaves half an opponent.
        assert seated(aces, preflop=preflop).probability_triple(aces).fold == 0
        if preflop != "configs":
            assert seated(aces, preflop=preflop).probability_triple(aces).raise_ == 1
        assert seated(trash, preflop=preflop).probability_triple(trash).fold == 1


def test_the_big_blind_never_folds_for_nothing() -> None:
    for preflop in ("configs", "groups", "one-chip"):
        view = view_after("limit-2p", "c", hole="7h2d")

        assert seated(view, preflop=preflop).probability_triple(view).fold == 0


def test_sklansky_has_eight_groups() -> None:
    sizes = [
        sum(int(COMBOS_PER_STARTING_HAND[hand]) for hand in range(169) if before_flop.group_of(hand) == group)
        for group in range(1, before_flop.NO_GROUP + 1)
    ]

    assert sum(sizes) == 1326
    assert sizes[0] == 28  # four pairs and AKs
    for name, group in (("AA", 1), ("TT", 2), ("AKo", 2), ("88", 4), ("A2s", 5), ("54s", 6), ("22", 7)):
        assert before_flop.group_of(parse_starting_hand(name)) == group
    assert before_flop.group_of(parse_starting_hand("72o")) == before_flop.NO_GROUP


def test_a_loose_players_bet_counts_half_and_draws_want_company() -> None:
    pair, draw = parse_starting_hand("88"), parse_starting_hand("87s")

    assert not before_flop.plays(pair, "middle", 1.0, 2, 9)
    assert before_flop.plays(pair, "middle", 0.5, 2, 9)
    assert before_flop.is_drawing(draw)
    assert not before_flop.is_drawing(pair)
    assert not before_flop.plays(draw, "late", 0.0, 1.0, 9)
    assert before_flop.plays(draw, "late", 0.0, 3.0, 9)
    assert before_flop.raises(parse_starting_hand("AA"), "early", 2.0)
    assert not before_flop.raises(draw, "late", 0.0)


# --- The portfolio bot --------------------------------------------------------------------------------------

LEDUC = load_game("leduc")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opponent", "answer", "equilibrium_wins"), [(AlwaysCall, 0, 0.70), (AlwaysRaise, 1, 0.27)]
)
def test_it_finds_the_answer_to_its_opponent(
    opponent: type[Agent], answer: int, equilibrium_wins: float
) -> None:
    """An equilibrium wins .70 and .27 antes a hand from them; the best answers win 1.47 and 2.37."""
    bot = Portfolio(iterations=60)
    arena = Arena(LEDUC, [bot, opponent()], 3)
    arena.play(1500)
    late = arena.play(1500)[0] / 1500

    weights = bot.strategies.weights
    assert weights[1 + answer] + weights[3] > 0.5  # or to who does both
    assert weights[0] < 0.2
    assert late > 1.5 * equilibrium_wins


def test_it_begins_with_equal_weights() -> None:
    bot = Portfolio(iterations=60, learn=False)
    Arena(load_game("kuhn-2p"), [bot, AlwaysCall()], 1).play(50)

    np.testing.assert_allclose(bot.strategies.weights, 1 / (1 + len(OPPONENTS)))
    assert bot.is_stateless
    assert isinstance(bot.strategies, SmallPortfolio)
    assert exploitability(bot.strategies.tree, bot.strategies.policies[0]).mean < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opponent", "answer", "hands"), [(AlwaysCall, "call", 200), (AlwaysRaise, "raise", 600)]
)
def test_in_limit_holdem_it_chooses_from_what_ships(opponent: type[Agent], answer: str, hands: int) -> None:
    bot = Portfolio()
    Arena(load_game("limit-2p"), [bot, opponent()], 3).play(hands)

    assert isinstance(bot.strategies, HoldemPortfolio)
    weights = dict(zip(("equilibrium", "any", "call", "raise"), bot.strategies.weights, strict=True))
    assert weights[answer] > 0.5, weights
    assert bot.strategies.hands == hands


# --- The equilibrium bot plays what its file or its game says, and nothing else -----------------------------

KUHN = load_game("kuhn-2p")


class Watched(Equilibrium):
    """Counts what it does in each situation."""

    def match_started(self, game, seat) -> None:  # type: ignore[no-untyped-def]
        super().match_started(game, seat)
        self.done: Counter[tuple[str, tuple[int, ...], Action]] = Counter()

    def choose_action(self, view: HandView) -> Action:
        action = super().choose_action(view)
        self.done[view.betting.text, view.own_cards, action] += 1
        return action


def test_it_acts_as_often_as_its_strategy_says(tmp_path: Path) -> None:
    tree = game_tree(KUHN)
    strategy = Strategy(tree, policy_with(tree, (1, 1, 3)))
    write_strategy(tmp_path / "k.npz", strategy, {})
    bot = Watched(tmp_path / "k.npz")

    Arena(KUHN, [bot, Random(0.2, 0.4, 0.4)], 7).play(6000)

    for found in tree.information_sets():
        view = tree.hand_view(found)
        done = [bot.done[view.betting.text, view.own_cards, action] for action in found.node.actions]
        share = np.array(done) / sum(done)
        assert sum(done) > 100
        assert share == pytest.approx(strategy.policy[found.slots], abs=4 * np.sqrt(0.25 / sum(done)))
        assert bot.strategy.chances(view) == pytest.approx(strategy.chances(view))
        assert bot.probability_triple(view) == pytest.approx(strategy.triple(view))


@pytest.mark.slow
def test_it_wins_what_its_strategy_wins() -> None:
    """5,000 deals of Leduc against a caller, from both seats: as the tree computes it, within four errors."""
    bot = Equilibrium()
    arena = Arena(LEDUC, [bot, AlwaysCall()], 11)
    won: list[float] = []

    arena.play(10_000, on_hand=lambda state, chips: won.append(chips[len(won) % 2]))

    solver = Solver(game_tree(LEDUC))
    solver.run(1000)
    assert bot.strategy.policy == pytest.approx(solver.average().policy)
    # equilibria win some 0.7 antes a hand from always-call; how much differs between them
    assert np.mean(won) == pytest.approx(0.7006, abs=4 * float(np.std(won)) / 100 + 0.05)


def test_a_game_that_is_not_its_files_is_refused(tmp_path: Path) -> None:
    tree = game_tree(KUHN)
    write_strategy(tmp_path / "k.npz", Strategy(tree, policy_with(tree, (1, 1, 1))), {})

    with pytest.raises(OptionError, match=r"k\.npz plays another game: num_rounds is 1, expected 2"):
        Arena(LEDUC, [Equilibrium(tmp_path / "k.npz"), AlwaysCall()], 1)
    with pytest.raises(OptionError, match=r"nothing\.npz: there is no such file"):
        make_bot(f"equilibrium:strategy={tmp_path / 'nothing.npz'}")
    with pytest.raises(OptionError, match="does not know yet what is being played"):
        _ = Equilibrium().strategy
