"""``riverboat experiment selective-sampling``, from measured decisions to the whole."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from clients.bots.baselines import AlwaysCall, Random
from clients.core.arena import Arena
from clients.core.one_line import CommandError
from clients.lab.experiments.harness import Findings, LineUp, Work, matches
from clients.lab.experiments.selective_sampling import equal_time
from clients.lab.experiments.selective_sampling.duels import (
    HANDS_OF_A_MATCH,
    NotedSampling,
    Table,
    make_sampling,
    play_duel,
)
from clients.lab.experiments.selective_sampling.equal_time import FormulaTrials
from clients.lab.experiments.selective_sampling.experiment import DONE_BY, match_task, play_line_up
from clients.lab.experiments.selective_sampling.settings import PARTS, SamplingSettings, read_parts
from clients.lab.experiments.selective_sampling.spots import (
    MeasuredSpot,
    dealt_run,
    ladder,
    measure,
    possible_moves,
)
from clients.lab.experiments.selective_sampling.stated_values import GREAT, FoldModelSampling, SlowPlayer
from engine.hands.hand_strength import hand_strength
from engine.players.models.generic import GenericModel
from engine.players.models.model import OpponentModel
from engine.players.table_reader import Reading, TableReader
from engine.players.trials.players import OwnStrategy, simulated_players
from engine.players.trials.trials import Spot, Trials
from engine.poker.combos import COMBO_HIGH, COMBO_LOW, NUM_COMBOS, combos_without
from engine.poker.rules import (
    CALL,
    FOLD,
    Action,
    ActionKind,
    BettingState,
    GameDefinition,
    HandView,
    load_game,
    parse_betting,
)
from engine.poker.rules.showdown import chips_won
from tests.clients.lab.experiments.runs import run, whole_run
from tests.engine.players.trials.spots import exact_values, make_spot, random_spot

# --- `riverboat experiment selective-sampling` from end to end, at a size for a coffee sip ------------------

NAME = "selective-sampling"
SMALL = (
    "--game limit-3p --simulating 2,1 --hands 12 --duel-hands 20 --spots 4 --trials 40 --reference 1000 "
    "--seed 5 --sampling sampling:model=generic"
)


@pytest.mark.slow
def test_all_parts_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal_time, "COSTLY_TRIALS", (1, 2))

    whole = whole_run(NAME, tmp_path, SMALL, "--no-plots")
    progress = run(NAME, tmp_path, SMALL, "--parts a --resume --no-plots").stderr

    results = whole.results
    assert list(results["parts"]) == list(PARTS.values())
    assert results["settings"]["seed"] == 5
    for letter, (heading, _) in DONE_BY.items():
        assert f"\n## ({letter}) {heading}\n" in whole.printed
    assert "(a) Self-play: sampling bots against formula bots: done" in progress
    line_ups = results["parts"]["self-play"]["line_ups"]
    assert [each["line_up"] for each in line_ups] == ["2 against 1", "1 against 2"]
    assert [each["hands"] for each in line_ups] == [12, 12]
    assert line_ups[0]["gain_dollars_per_1000_hands"]["mean"] == pytest.approx(
        10_000 * line_ups[0]["gain_sb_per_hand"]["mean"]
    )
    assert results["parts"]["stability"]["decisions"] == 4
    assert len(results["parts"]["robustness"]["match_ups"]) == 6


@pytest.mark.slow
def test_plots_lie_beside_the_report_that_shows_them(tmp_path: Path) -> None:
    whole = whole_run(NAME, tmp_path, SMALL, "--parts robustness")

    shown = [line for line in whole.printed.splitlines() if line.startswith("![")]
    pictures = [tmp_path / line[line.index("](") + 2 : -1] for line in shown]
    assert [picture.name for picture in pictures] == ["robustness-limit-2p.png", "robustness-nolimit-2p.png"]
    for picture in pictures:
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in picture.with_suffix(".svg").read_text()


@pytest.mark.slow
@pytest.mark.timeout(600)  # three runs, one of them with processes of its own
def test_results_depend_on_the_seed_and_not_on_the_jobs(tmp_path: Path) -> None:
    size = "--hands 156 --simulating 1 --spots 9 --parts a,c --no-plots"
    one, two, other = (
        whole_run(NAME, tmp_path / str(number), SMALL, size, options).results
        for number, options in enumerate(("--jobs 1", "--jobs 2", "--seed 6"))
    )

    assert one == two
    assert one["parts"] != other["parts"]


def test_the_same_match_is_played_again(tmp_path: Path) -> None:
    settings = SamplingSettings(game="limit-3p", trials=40, sampling="sampling:model=generic")
    match, other = (match_task(LineUp(1, 3), settings, seed, 2) for seed in (3, 4))

    found = match.done_in(tmp_path)

    assert match.do() == found == match.found_in(tmp_path)
    assert other.found_in(tmp_path) is None
    assert match.file != other.file


def test_play_that_is_known_well_enough_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = SamplingSettings(
        seed=2, game="limit-3p", hands=6000, until=5000, sampling="random", formula="always-call"
    )
    monkeypatch.setattr(SamplingSettings, "sampling_bot", lambda self, trials=None: "random")

    gain, _ = play_line_up(LineUp(1, 3), settings, Work(tmp_path))

    known = gain["gain_sb_per_hand"]
    assert gain["hands"] == 3 * known.samples < 6000
    assert 4 < known.ci95 <= 2 * 5  # sb/h; the interval ± 5 need not have the mean in its middle


def test_an_interrupt_leaves_the_parts_that_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def done(settings: SamplingSettings, work: Work) -> Findings:
        return Findings({"done": True}, "Done.\n")

    def interrupted(settings: SamplingSettings, work: Work) -> Findings:
        raise KeyboardInterrupt

    monkeypatch.setitem(DONE_BY, "a", ("Self-play", done))
    monkeypatch.setitem(DONE_BY, "c", ("Obvious moves", interrupted))

    result = run(NAME, tmp_path, "--parts a,c --seed 1")

    assert result.exit_code == 130
    assert json.loads((tmp_path / "results.json").read_text())["parts"] == {"self-play": {"done": True}}
    assert "Done." in (tmp_path / "results.md").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "results.md"]


def test_parts_go_by_letter_and_by_name() -> None:
    assert read_parts("all") == tuple("abcdefg")
    assert read_parts("g, self-play,c") == ("a", "c", "g")
    with pytest.raises(CommandError, match=r"no part 'x'; there are a \(self-play\)"):
        read_parts("a,x")


# --- Duels --------------------------------------------------------------------------------------------------

SETTINGS = SamplingSettings(trials=60)
GAME = load_game("limit-2p")


@pytest.mark.parametrize("game", [GAME, pytest.param(load_game("limit-6p"), marks=pytest.mark.slow)])
def test_what_is_realised_is_what_the_rest_of_the_hand_brings(game: GameDefinition) -> None:
    tables: list[Table] = [
        (make_sampling(NotedSampling, SETTINGS, 60), *(Random() for _ in range(game.num_players - 1)))
        for _ in range(2)
    ]

    won, decisions = play_duel(game, tables, 4, 15)

    for deal in range(15):
        of_deal = [each for each in decisions if each.deal == deal]
        results = {each.stated.spot.position: each.realised - each.stated.spent / 10 for each in of_deal}
        if len(results) == 2:  # we had something to decide in both passes
            assert won[deal] == pytest.approx(sum(results.values()) / 2)
        for each in of_deal:
            assert each.realised - each.stated.spent / 10 == results[each.stated.spot.position]
            assert not set(each.opponent_cards) & {*each.stated.spot.own_cards, *each.stated.spot.board}
            if each.stated.is_fold:
                assert each.realised == each.stated.value == 0
    assert {each.stated.spot.position for each in decisions} == set(range(game.num_players))
    assert {len(each.stated.spot.board) for each in decisions} == {0, 3, 4, 5}


def test_a_duel_repeats_itself() -> None:
    first, second = (
        play_duel(GAME, [(make_sampling(NotedSampling, SETTINGS, 60), AlwaysCall()) for _ in range(2)], 4, 6)
        for _ in range(2)
    )

    assert first[0].tolist() == second[0].tolist()
    assert [each.stated.value for each in first[1]] == [each.stated.value for each in second[1]]


@pytest.mark.slow
def test_who_is_taken_to_fold_more_often_makes_raising_look_better() -> None:
    stated: dict[float, list[float]] = {}
    for folds in (0.0, 0.2, 0.3, 1.0):
        bot = make_sampling(FoldModelSampling, SETTINGS, 400, model="generic", obvious="never")
        bot.expect_folds(folds)
        _, decisions = play_duel(GAME, [(bot, AlwaysCall())], 2, 20)
        # Before anybody has acted the decisions are the same whatever the model.
        opening = [each.stated for each in decisions if each.stated.spot.betting.text == ""]
        stated[folds] = [each.raising or 0.0 for each in opening]

    assert len(stated[0.0]) == 10
    means = {folds: float(np.mean(values)) for folds, values in stated.items()}
    assert means[0.0] < means[0.2] < means[0.3]
    # One more fold in ten brings a tenth of the difference between folding always and never.
    assert means[0.3] - means[0.2] == pytest.approx(0.1 * (means[1.0] - means[0.0]), abs=0.1)
    # A player who always folds gives us what is in the pot.
    pot = opening[0].spot.betting.pot / opening[0].spot.unit
    assert stated[1.0] == pytest.approx([pot] * 10)


def test_actions_are_those_that_were_played() -> None:
    bot = make_sampling(NotedSampling, SETTINGS, 60)

    _, decisions = play_duel(GAME, [(bot, AlwaysCall())], 2, 10)

    kinds = [each.stated.action.kind for each in decisions]
    assert ActionKind.RAISE in kinds
    assert all(
        each.stated.raising is not None for each in decisions if each.stated.action.kind is ActionKind.RAISE
    )
    best = [each.stated for each in decisions if each.stated.raising is not None]
    assert all(stated.value >= (stated.raising or 0.0) - 1e-12 for stated in best)


@pytest.mark.parametrize("hands", [8, 500, 4001])
def test_hands_are_two_for_each_deal(hands: int) -> None:
    cut = list(matches(hands // 2, HANDS_OF_A_MATCH, 1))

    assert 2 * sum(deals for _, deals in cut) == hands - hands % 2
    assert np.all(np.diff([deals for _, deals in cut]) <= 0)


def test_very_strong_hands_wait_for_the_river() -> None:
    seen: list[tuple[int, bool, ActionKind]] = []

    class Seen(SlowPlayer):
        def choose_action(self, view: HandView) -> Action:
            action = super().choose_action(view)
            if view.board and hand_strength(view.own_cards, view.board).value >= GREAT:
                seen.append((view.betting_round, view.legal_actions().can_raise, action.kind))
            return action

    Arena(load_game("limit-2p"), [Seen(model="generic"), Random()], 5).play(250)

    assert {kind for betting_round, _, kind in seen if betting_round < 3} == {ActionKind.CALL}
    assert {kind for betting_round, can, kind in seen if betting_round == 3 and can} == {ActionKind.RAISE}
    assert {betting_round for betting_round, _, _ in seen} == {1, 2, 3}


# --- Trials on the whole formula ----------------------------------------------------------------------------

BOARD = (9, 22, 35, 3, 44)
OWN = (50, 37)


def spot_after(text: str, models: list[OpponentModel], game: str = "limit-2p") -> tuple[Spot, Reading]:
    betting = parse_betting(load_game(game), text)
    board = BOARD[: betting.num_board_cards]
    reader = TableReader(models)
    reader.follow(betting, board)
    position = betting.position_to_act
    players = simulated_players([OwnStrategy() if p == position else m for p, m in enumerate(models)])
    return Spot(betting, board, OWN, reader.reading.weights, players), reader.reading


@pytest.mark.parametrize("text", ["rc/rc/rc/r", "cc/cc/crc/cr"])
def test_a_call_that_ends_the_hand_is_worth_the_same_in_both_kinds_of_trials(text: str) -> None:
    spot, reading = spot_after(text, [GenericModel(), GenericModel()])
    quick = Trials(spot, 7)
    deals = quick.sample(60)

    costly = FormulaTrials(spot, reading, Trials(spot, 7))

    assert costly.value(deals, CALL).tolist() == pytest.approx(quick.value(deals, CALL).tolist())
    assert (costly.sample(60).holes == deals.holes).all()


def test_an_opponent_who_may_only_fold_or_call_does_so_as_the_model_says() -> None:
    """On the river after three raises the opponent's triple answers our last one, and the hand is over."""
    spot, reading = spot_after("rc/rc/rc/crrr", [GenericModel(), GenericModel()])
    raised: BettingState = spot.betting.apply(spot.betting.legal_actions().raising_to())
    after = reading.after(raised, BOARD)
    triples = GenericModel().triples(after.decision(raised))
    possible = np.flatnonzero(combos_without((*BOARD, *OWN)) * spot.weights[1 - spot.position])
    weights = spot.weights[1 - spot.position][possible]
    exact = 0.0
    for combo, weight in zip(possible.tolist(), weights / weights.sum(), strict=True):
        theirs = int(COMBO_HIGH[combo]), int(COMBO_LOW[combo])
        holes = [OWN, theirs] if spot.position == 0 else [theirs, OWN]
        fold = float(triples[combo, 0])
        ends = ((raised.apply(raised.legal_actions().nearest(action)), chance) for action, chance in (
            (FOLD, fold), (CALL, 1 - fold),
        ))  # fmt: skip
        for end, chance in ends:
            exact += weight * chance * chips_won(end, holes, BOARD)[spot.position]
    exact = (exact + spot.betting.spent[spot.position]) / spot.unit

    trials = FormulaTrials(spot, reading, Trials(spot, 3))
    values = trials.value(trials.sample(3000), spot.betting.legal_actions().raising_to())

    assert 0.02 < float(triples[possible, 0] @ weights / weights.sum()) < 0.98
    assert abs(values.mean() - exact) < 4 * values.std() / np.sqrt(len(values))


def test_a_hand_is_played_to_its_end_from_every_round() -> None:
    for text in ("", "rc/", "rc/cr", "rc/cc/c"):
        spot, reading = spot_after(text, [GenericModel(), GenericModel()])
        trials = FormulaTrials(spot, reading, Trials(spot, 1))
        deals = trials.sample(20)
        calls, raises = (
            trials.value(deals, action) for action in (CALL, spot.betting.legal_actions().raising_to())
        )

        assert len(np.unique(calls)) > 2
        assert np.abs(calls).max() <= 48
        assert np.abs(raises).max() <= 48
        assert trials.value(deals, CALL).tolist() == calls.tolist()


def test_nobody_chooses_sizes_in_them() -> None:
    spot, reading = spot_after("", [GenericModel(), GenericModel()], "nolimit-2p")

    with pytest.raises(ValueError, match="limit games"):
        FormulaTrials(spot, reading, Trials(spot, 1))


# --- Measured decisions, against exact values and where the answer is known ---------------------------------


def any_cards_alike(spot: Spot) -> Spot:
    """The same decision when nothing is known of anybody's cards."""
    models = [GenericModel(), GenericModel()]
    return make_spot(spot.betting, spot.board, spot.own_cards, models, [np.ones(NUM_COMBOS)] * 2)


def test_the_ladder_ends_at_a_tenth_of_the_reference() -> None:
    assert ladder(100_000) == (100, 200, 500, 2_000, 10_000)
    assert ladder(5_000) == (100, 200, 500)
    assert ladder(100) == (100,)


def test_moves_go_from_the_least_to_the_most_aggressive() -> None:
    for seed in range(20):
        spot = random_spot("limit-3p", seed, 2)
        kinds = [move.kind for move in possible_moves(spot)]

        assert kinds == sorted(kinds, key=[ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE].index)
        assert (ActionKind.FOLD in kinds) == spot.betting.legal_actions().can_fold
        assert (ActionKind.RAISE in kinds) == spot.betting.legal_actions().can_raise


def test_uniform_trials_weighted_by_likelihood_have_the_exact_value_too() -> None:
    scores = []
    for seed in range(12):
        spot = random_spot("limit-2p", seed, 3, combos=300)
        moves = possible_moves(spot)
        values, weights = dealt_run(spot, moves, 3, 8_000, uniform=True)
        share = weights / weights.sum()
        counted = [index for index, move in enumerate(moves) if move != FOLD]
        exact = exact_values(spot, [moves[index] for index in counted])
        means = values[counted] @ share
        errors = np.sqrt(((values[counted] - means[:, None]) ** 2) @ share**2)
        scores += [float(score) for score in (means - exact)[errors > 0] / errors[errors > 0]]

    assert len(scores) > 15
    assert max(map(abs, scores)) < 4.5
    assert 0.4 < float(np.mean(np.square(scores))) < 2.0


def test_where_nothing_is_known_all_ways_of_dealing_are_the_same() -> None:
    spot = any_cards_alike(random_spot("limit-2p", 4, 2))

    found = measure(spot, 1, 20_000, 500)

    assert found.effective_trials == pytest.approx(1.0)
    assert found.weighted == found.uniform
    for trials in ladder(20_000):
        one, other = found.deviations[trials].difference, found.uniform[trials].difference
        assert one < 6 * other
        assert other < 6 * one


def measured(count: int) -> list[MeasuredSpot]:
    return [measure(random_spot("limit-2p", seed, 1 + seed % 3), seed, 20_000, 500) for seed in range(count)]


@pytest.mark.slow
def test_more_trials_come_closer_as_the_square_root_and_criteria_are_ordered() -> None:
    spots = measured(24)

    error = {n: float(np.mean([spot.deviations[n].difference for spot in spots])) for n in (100, 500, 2000)}
    assert error[100] / error[500] == pytest.approx(5**0.5, rel=0.35)
    assert error[500] > error[2000]
    biased = float(np.mean([spot.uniform[2000].difference for spot in spots]))
    assert biased > 2 * error[2000]
    for spot in spots:
        deviation, error_sum, paired, never = (
            spot.stops[name] for name in ("deviation", "error", "paired", "never")
        )
        assert deviation.obvious <= error_sum.obvious <= paired.obvious
        assert never.trials >= deviation.trials >= error_sum.trials >= paired.trials
        assert (never.obvious, never.trials) == (0, 500)
        assert all(each.regret >= 0 for each in spot.deviations.values())
        assert all((each.regret > 0) <= (each.changed > 0) for each in spot.deviations.values())


def test_the_same_seed_measures_the_same() -> None:
    spot = random_spot("limit-3p", 9, 1)

    first, second, other = (measure(spot, seed, 2_000, 200) for seed in (5, 5, 6))

    assert first == second
    assert first != other


def test_a_run_is_cut_from_trials_as_they_are() -> None:
    spot = random_spot("limit-2p", 2, 2)
    moves = possible_moves(spot)

    values, weights = dealt_run(spot, moves, 8, 300)

    trials = Trials(spot, 8)
    deals = trials.sample(300)
    expected = [np.zeros(300) if move == FOLD else trials.value(deals, move) for move in moves]
    assert values.tolist() == np.array(expected).tolist()
    assert weights.min() > 0
