"""Heads-up limit hold'em on buckets: sizes, what hands are worth on a board, and learning from boards."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from clients.bots.baselines import AlwaysCall
from clients.bots.equilibrium import Equilibrium
from clients.core.arena import Arena
from engine.hands.flop_configs import different_flops
from engine.hands.hand_strength import hand_strength
from engine.kernels.solving.lanes import BatchNode, NodeKind
from engine.players.probability_triple import triple_of
from engine.poker.cards import parse_cards
from engine.poker.combos import COMBO_CARDS, combo_index, combos_without
from engine.poker.rules import (
    CALL,
    CardDealer,
    GameDefinition,
    hand_rank,
    initial_hand,
    load_game,
    parse_betting,
)
from engine.solving.holdem.abstraction import NO_BUCKET, Percentiles, squared_strengths
from engine.solving.holdem.betting import HoldemBetting
from engine.solving.holdem.board_solver import BoardSolver, hands_on, round_trees
from engine.solving.holdem.bucketed import BucketedStrategy
from engine.solving.holdem.distributions import Distributions, distributions_on
from engine.solving.strategy_file import PARTS, read_strategy, shipped_strategy, write_strategy
from engine.support.arrays import Floats, Ints
from engine.support.files.archive import ArchiveError
from tests.engine.solving.test_strategy_file import edited
from tests.oracles.public_chance import Pass
from tests.support.asserting import known, refuses
from tests.support.cases import cases

LIMIT = load_game("limit-2p")
ONE_RAISE = attrs.evolve(LIMIT, max_raises=(1, 1, 1, 1))
"""The same with one raise a round: 400 decisions instead of 6378."""
BOARD = parse_cards("2c7d9hJsQh")


@pytest.mark.parametrize(("buckets", "information_sets", "chances"), cases(__file__, "a strategy has the"))
def test_a_strategy_has_the_size_worked_out(buckets: int, information_sets: int, chances: int) -> None:
    betting = HoldemBetting(LIMIT, Percentiles(buckets).num_buckets)

    assert len(betting.decisions) == 6378
    assert betting.num_information_sets == information_sets
    assert betting.num_slots == chances
    rounds = round_trees(betting)
    assert [(tree.slots[0] >= 0).sum() for tree in rounds] == [1, 7, 63, 567]
    found = Counter[int]()
    for tree, starts in zip(rounds, (1, 7, 63, 567), strict=True):
        for node in tree.nodes:
            found[int(node[BatchNode.KIND])] += starts
    assert found[NodeKind.DECISION] == 6378
    assert found[NodeKind.FOLD] == found[NodeKind.SHOWDOWN] == 5103


def test_a_decision_is_found_without_the_tree_where_the_tree_has_it() -> None:
    """The slots of files are in the order of the tree, but who plays a hand needs only what occurs there."""
    alone, betting = (HoldemBetting(LIMIT, (169, 5, 3, 2)) for _ in range(2))
    number = 0
    for text, decision in betting.decisions.items():
        assert decision.first_slot == number
        number += len(decision.actions) * betting.num_buckets[decision.betting_round]
        assert alone.decision(parse_betting(LIMIT, text)) == decision
    assert (alone.num_slots, "tree" in vars(alone)) == (number, False)


def test_other_games_are_refused() -> None:
    refuses(ValueError, "expected limit hold'em for two", HoldemBetting, load_game("limit-3p"), (1, 1, 1, 1))
    refuses(ValueError, "expected 1 to 1000 buckets, got 0", Percentiles, 0)


@attrs.frozen(eq=False)
class _Finer:
    """Buckets of one kind on the river, of another before it."""

    river: Percentiles
    before: Percentiles
    kind = "finer"
    notes: Mapping[str, Any] = {}

    @property
    def num_buckets(self) -> tuple[int, ...]:
        return (*self.before.num_buckets[:3], self.river.num_buckets[3])

    @property
    def buckets_on_a_board(self) -> tuple[int, ...]:
        return self.num_buckets

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return {}

    def buckets(self, board: Sequence[int]) -> Ints:
        return (self.river if len(board) == 5 else self.before).buckets(board)

    def bucket(self, combo: int, board: Sequence[int]) -> int:
        return int(self.buckets(board)[combo])


# --- what a board teaches ----------------------------------------------------------------------------------


def learns_as_the_oracle_does(
    game: GameDefinition, board: tuple[int, ...], buckets: int, trembles: float = 0.0, answers: bool = False
) -> None:
    """Both players' passes from regrets at random, by every slot, in a game whose chips are whole."""
    solver = BoardSolver(game, Percentiles(buckets), seed=1, trembles=trembles, best_responses=answers)
    generator = np.random.default_rng(2)
    state = {
        name: generator.normal(size=array.shape).astype(np.float32) if name.startswith("regrets") else array
        for name, array in solver.state().items()
    }
    for player in (0, 1):
        solver.restore(state)
        solver.learn_on(board, player)
        regrets, sums = solver.by_slot("regrets"), solver.by_slot("sums")
        solver.restore(state)
        before = solver.by_slot("regrets")
        expected = Pass(solver.betting, solver.abstraction, board, before, player, trembles, answers=answers)

        size = np.abs(expected.gains).max()
        assert regrets - solver.by_slot("regrets") == pytest.approx(expected.gains, abs=1e-5 * size)
        assert sums == pytest.approx(expected.sums, rel=1e-4, abs=1e-4)
        assert size > 50
        assert expected.sums.max() > 20


# With many ties, flushes, a straight on the board, and nothing but the board.
@pytest.mark.parametrize(("board", "trembles", "answers"), cases(__file__, "a board teaches what all pairs"))
def test_a_board_teaches_what_all_pairs_of_hands_do(board: str, trembles: float, answers: bool) -> None:
    learns_as_the_oracle_does(ONE_RAISE, parse_cards(board), 7, trembles, answers)


@pytest.mark.slow
def test_an_opponent_that_knows_more_learns_for_itself() -> None:
    """On flop and turn it has buckets of its own; both sides' regrets are those of all pairs of hands."""
    ours, theirs = Percentiles(5), _Finer(Percentiles(5), Percentiles(9))
    solver = BoardSolver(ONE_RAISE, ours, seed=1, trembles=0.25, best_responses=True, opponent=theirs)
    generator = np.random.default_rng(2)
    state = {
        name: array if name.startswith("sums") else generator.normal(size=array.shape).astype(np.float32)
        for name, array in solver.state().items()
    } | {"iterations": np.array(0)}
    betting = HoldemBetting(ONE_RAISE, theirs.num_buckets)

    def opponents(found: dict[str, Any]) -> Floats:
        by_slot = np.zeros(betting.num_slots)
        for number, tree in enumerate(round_trees(betting)[:3]):
            array = found[f"opponent{number}"]
            for bucket in range(array.shape[1]):
                slots = tree.slots + tree.num_actions[:, None] * bucket
                by_slot[slots[tree.slots >= 0]] = array[:, bucket][tree.slots >= 0]
        return by_slot

    for player in (0, 1):
        solver.restore(state)
        before, theirs_before = solver.by_slot("regrets"), opponents(solver.state())
        solver.learn_on(BOARD, player)
        expected = Pass(
            solver.betting, ours, BOARD, before, player, 0.25,
            answers=True, opponent=(betting, theirs, theirs_before),
        )  # fmt: skip

        assert expected.answer is not None
        learnt = opponents(solver.state()) - theirs_before
        is_river = np.zeros(betting.num_slots, bool)
        for decision in betting.decisions.values():
            if decision.betting_round == 3:
                is_river[decision.slots(0).start : decision.slots(4).stop] = True
        size = np.abs(expected.gains).max()
        assert size > 50
        assert solver.by_slot("regrets") - before == pytest.approx(expected.gains, abs=1e-5 * size)
        answered = np.where(is_river, 0, expected.answer.gains)
        assert np.abs(answered).max() > 50
        assert learnt == pytest.approx(answered, abs=1e-5 * np.abs(answered).max())


@pytest.mark.slow
def test_an_opponent_that_knows_more_learns_for_itself_in_the_whole_game() -> None:
    learns_as_the_oracle_does(LIMIT, BOARD, 20)


def test_hands_come_in_order_of_strength_with_their_buckets() -> None:
    abstraction = Percentiles(10)
    hands = hands_on(BOARD, abstraction)

    cards = [card for card in range(52) if card not in BOARD]
    ranks = [hand_rank((cards[a], cards[b], *BOARD)) for a, b in hands.cards]
    assert ranks == sorted(ranks)
    assert hands.ends[-1] == 1081
    assert (np.diff(hands.buckets[3]) >= 0).all()
    assert (hands.buckets[0] < 169).all()
    assert hands.buckets.min() >= 0
    assert hands.counts[:, :47].sum() == -2 * hands.counts[:, 47].sum() == 2 * 1081


# --- buckets -----------------------------------------------------------------------------------------------


def test_squared_strength_is_the_mean_over_the_boards_to_come() -> None:
    turn = BOARD[:4]
    values = squared_strengths(turn)
    for text in ("AhKh", "2h2d", "TsTh", "3c4d"):
        hole = parse_cards(text)
        rivers = [card for card in range(52) if card not in (*hole, *turn)]
        strengths = [float(hand_strength(hole, (*turn, card)).value) for card in rivers]
        assert len(rivers) == 46
        assert values[combo_index(*hole)] == pytest.approx(np.mean(np.square(strengths)), abs=1e-8)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_buckets_are_equally_large_and_ignore_the_names_of_suits(size: int) -> None:
    abstraction = Percentiles(10)
    board = BOARD[:size]
    buckets = abstraction.buckets(board)

    live = combos_without(board)
    assert ((buckets == NO_BUCKET) == ~live).all()
    share = np.bincount(buckets[live], minlength=10) / live.sum()
    assert share == pytest.approx(np.full(10, 0.1), abs=0.06)
    turned = [(card & ~3) | (card + 1 & 3) for card in range(52)]
    moved = abstraction.buckets([turned[card] for card in board])
    for combo, (high, low) in enumerate(COMBO_CARDS):
        assert moved[combo_index(turned[high], turned[low])] == buckets[combo]


def test_a_distribution_is_that_of_the_strengths_on_the_boards_to_come() -> None:
    turn = BOARD[:4]
    found = distributions_on(np.array(turn, np.uint8))
    for text in ("AhKh", "2h2d", "TsTh", "3c4d"):
        hole = parse_cards(text)
        rivers = [card for card in range(52) if card not in (*hole, *turn)]
        strengths = np.array([float(hand_strength(hole, (*turn, card)).value) for card in rivers])
        # A strength is a whole number of 1980ths; the bins end between two of them.
        below = [(strengths < (bin + 1) * 1981 / 20 / 1980 - 1e-9).mean() for bin in range(20)]
        assert found[combo_index(*hole)] == pytest.approx(below, abs=1e-6)
    assert not found[combo_index(turn[0], 51)].any()


@pytest.fixture(scope="module")
def distributions() -> Distributions:
    """Flops in two buckets, at random but for the names of suits; turns around eight of their hands."""
    generator = np.random.default_rng(1)
    flops = generator.integers(0, 2, (1755, 1326)).astype(np.uint8)
    for row, flop in zip(flops, different_flops()[0], strict=True):
        row[~combos_without(map(int, flop))] = 255
    points = distributions_on(np.array(BOARD[:4], np.uint8))
    points = points[points[:, -1] > 0]
    return Distributions(flops, np.ascontiguousarray(points[::150].T), 6, (8, 4, 8))


def test_one_hand_is_classed_as_all_are(distributions: Distributions) -> None:
    for board in (BOARD, BOARD[:4], BOARD[:3], ()):
        every = distributions.buckets(board)
        live = np.flatnonzero(combos_without(board))
        assert ((every != NO_BUCKET) == combos_without(board)).all()
        for combo in live[::90]:
            assert distributions.bucket(int(combo), board) == every[combo]
    assert len(set(distributions.buckets(BOARD[:4]))) == 9


@pytest.mark.parametrize(("board", "textures"), cases(__file__, "buckets go by texture and on the river by"))
def test_buckets_go_by_texture_and_on_the_river_by_strength(
    board: str, textures: list[int], distributions: Distributions
) -> None:
    hands = hands_on(parse_cards(board), distributions)

    flop, turn, river = textures

    assert distributions.num_buckets == (169, 16, 32, 48)
    assert list(hands.first_rows) == [0, 2 * flop, 8 * turn, 6 * river]
    assert (hands.buckets[2] < 8).all()
    assert (np.diff(hands.buckets[3]) >= 0).all()
    assert set(hands.buckets[3]) == set(range(6))
    assert (hands.buckets[3] == 5).sum() < (hands.buckets[3] == 0).sum() / 2


# --- learning ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{}, {"trembles": 0.1, "best_responses": True, "opponent": _Finer(Percentiles(4), Percentiles(9))}],
    ids=["", "opponent"],
)
def test_threads_and_interruptions_change_nothing(options: dict[str, Any]) -> None:
    unbroken = BoardSolver(ONE_RAISE, Percentiles(4), seed=3, **options)
    unbroken.run(3)
    first = BoardSolver(ONE_RAISE, Percentiles(4), seed=3, jobs=2, **options)
    first.run(1)

    second = BoardSolver(ONE_RAISE, Percentiles(4), seed=3, **options)
    second.restore(first.state())
    second.run(2)

    for name, expected in unbroken.state().items():
        assert np.array_equal(second.state()[name], expected), name
    other = BoardSolver(ONE_RAISE, Percentiles(4), seed=4)
    other.run(1)
    assert not np.array_equal(other.state()["sums3"], first.state()["sums3"])
    with pytest.raises(ValueError, match="expected 'regrets1', an array of shape"):
        BoardSolver(ONE_RAISE, Percentiles(5), **options).restore(first.state())


def test_an_opponent_learns_only_where_it_answers() -> None:
    with pytest.raises(ValueError, match="expected an opponent that plays best responses"):
        BoardSolver(ONE_RAISE, Percentiles(4), opponent=Percentiles(4))


@pytest.fixture(scope="module")
def learnt() -> BucketedStrategy:
    solver = BoardSolver(ONE_RAISE, Percentiles(6), seed=1)
    solver.run(48)
    return solver.average()


def test_good_hands_are_raised_and_bad_ones_folded(learnt: BucketedStrategy) -> None:
    start = initial_hand(ONE_RAISE, 0, CardDealer(ONE_RAISE, 1).deal()).betting
    first = learnt.triples(start, ())

    aces, trash = (first[combo_index(*parse_cards(hand))] for hand in ("AhAd", "7h2d"))
    assert aces[2] > 0.7
    assert aces[0] < 0.1 < 0.3 < trash[0]
    assert first.sum(axis=1) == pytest.approx(1)
    flop = start.apply(CALL).apply(CALL)
    after = learnt.triples(flop, BOARD[:3])
    assert after.sum(axis=1) == pytest.approx(1)
    view = initial_hand(ONE_RAISE, 0, CardDealer(ONE_RAISE, 1).deal()).view(1)
    assert triple_of(learnt.chances(view).items()) == pytest.approx(first[combo_index(*view.own_cards)])


def test_it_is_saved_and_sits_down(learnt: BucketedStrategy, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, learnt, {"algorithm": "pcs"})

    saved = read_strategy(path, ONE_RAISE)
    bot = Equilibrium(path)
    Arena(ONE_RAISE, [bot, AlwaysCall()], 5).play(30)

    assert saved.notes["buckets"] == [6, 6, 6]
    assert isinstance(saved.strategy, BucketedStrategy)
    assert saved.strategy.policy == pytest.approx(learnt.policy, abs=1 / PARTS)
    assert bot.strategy.game == ONE_RAISE
    view = initial_hand(ONE_RAISE, 0, CardDealer(ONE_RAISE, 1).deal()).view(1)
    rows = bot.triples(view)
    assert rows is not None
    assert tuple(rows[combo_index(*view.own_cards)]) == pytest.approx(bot.probability_triple(view))
    refuses(ArchiveError, "plays another game: max_raises", read_strategy, path, LIMIT)


def test_a_strategy_that_knows_hands_otherwise_is_refused(learnt: BucketedStrategy, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    write_strategy(path, learnt, {})
    edited(path, lambda header, _: header["notes"].update(abstraction="k-means"))

    refuses(ArchiveError, "knows hands by 'k-means', this riverboat by 'percentiles'", read_strategy, path)


def test_old_files_tell_boards_apart_only_on_the_river(distributions: Distributions, tmp_path: Path) -> None:
    path = tmp_path / "limit.npz"
    arrays = distributions.arrays()
    abstraction = Distributions(arrays["flops"], arrays["turns"], 6, (1, 1, 4))
    betting = HoldemBetting(ONE_RAISE, abstraction.num_buckets)
    write_strategy(path, BucketedStrategy.of(ONE_RAISE, abstraction, np.zeros(betting.num_slots)), {})

    def as_before(header: dict[str, Any], _: dict[str, Any]) -> None:
        header["schema"] = 1
        header["notes"]["textures"] = 4

    edited(path, as_before)
    strategy = read_strategy(path).strategy
    assert isinstance(strategy, BucketedStrategy)
    assert strategy.abstraction.num_buckets == (169, 2, 8, 24)


@pytest.mark.parametrize(("textures", "message"), cases(__file__, "impossible textures are refused"))
def test_impossible_textures_are_refused(
    textures: list[int], message: str, distributions: Distributions, tmp_path: Path
) -> None:
    path = tmp_path / "limit.npz"
    betting = HoldemBetting(ONE_RAISE, distributions.num_buckets)
    write_strategy(path, BucketedStrategy.of(ONE_RAISE, distributions, np.zeros(betting.num_slots)), {})
    edited(path, lambda header, _: header["notes"].update(textures=textures))

    refuses(ArchiveError, message, read_strategy, path)


# --- what is shipped ---------------------------------------------------------------------------------------


def test_a_strategy_of_heads_up_limit_is_shipped_and_sits_down_at_once() -> None:
    path = known(shipped_strategy(LIMIT))
    assert path.stat().st_size <= 5_000_000
    bot = Equilibrium()

    bot.prepare(LIMIT)

    strategy = bot.strategy
    assert isinstance(strategy, BucketedStrategy)
    start = initial_hand(LIMIT, 0, CardDealer(LIMIT, 1).deal()).betting
    first = strategy.triples(start, ())
    assert first[combo_index(*parse_cards("AhAd"))][2] > 0.9
    assert first[combo_index(*parse_cards("7h2d"))][0] > 0.5
    board = BOARD[:3]
    turned = [(card & ~3) | (card + 1 & 3) for card in range(52)]
    buckets, moved = (
        strategy.abstraction.buckets(cards) for cards in (board, [turned[card] for card in board])
    )
    for combo, (high, low) in enumerate(COMBO_CARDS):
        assert moved[combo_index(turned[high], turned[low])] == buckets[combo]
    assert shipped_strategy(ONE_RAISE) is None


@pytest.mark.parametrize(("name", "all_in"), [("nolimit-2p-100bb", "r6r200"), ("nolimit-2p", "r300r20000")])
def test_a_strategy_of_heads_up_no_limit_is_shipped_and_knows_good_hands(name: str, all_in: str) -> None:
    game = load_game(name)
    path = known(shipped_strategy(game))
    assert path.stat().st_size <= 1_500_000
    bot = Equilibrium()

    bot.prepare(game)

    strategy = bot.strategy
    assert isinstance(strategy, BucketedStrategy)
    facing = parse_betting(game, all_in)
    folds = strategy.triples(facing, ())[:, 0]
    assert folds[combo_index(*parse_cards("AhAd"))] < 0.1
    assert folds[combo_index(*parse_cards("7h2d"))] > 0.9
