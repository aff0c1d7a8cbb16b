"""How well weight tables read an opponent: the weight of the hand he holds, how often we are ahead of it.

``python -m tests.benchmarks.bench_tables --record hands.json --deals 600``
``python -m tests.benchmarks.bench_tables hands.json --potential weighted``
``python -m tests.benchmarks.bench_tables hands.json --losses --save before.npz``
``python -m tests.benchmarks.bench_tables hands.json --losses --than before.npz``
``python -m tests.benchmarks.bench_tables --record ten.json --game limit-10p --against limper``
``python -m tests.benchmarks.bench_tables ten.json --seen``

Hands of a formula bot against each opponent are recorded once, two matches each; at tables of more than two,
every second seat is the formula bot's.  They are then read hand by hand, as by one who watches: models learn
from what was shown.  Heads-up, at each decision of the formula bot after the flop, but in the first
`--learnt` hands of a match, it is asked

* for the log weight of the opponent's hand in his table, less that of the mean of what he may hold, and
* for the chance to be ahead that the table states, less what was: 1, 0, or .5 where both were as good.

With `--folds` it is asked instead how often the opponent was expected to fold to bets after the flop and how
often he did, in each third of these decisions by the pot.

With `--seen` it is what the opponent does, predicted and seen, in any game: before the flop and in each later
round, with nothing to call or a bet, by the opponents left and by whether he has the initiative.

With `--losses` it is the log loss of all that the opponent does, each hand predicted before it is learnt: in
hands 1 to 30, 31 to 100, and later.  With `--than`, that of a saved run stands before each; the difference in
the later hands follows, decisions taken as independent.

Hands that are recorded by one version can be read by another: this module copied into its tree.
"""

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import numpy as np
from numpy.typing import NDArray

from clients.core.arena import Arena
from engine.players.board_values import board_values
from engine.players.learning import learn_from_hand, predicted_triple
from engine.players.models.player import PlayerModel
from engine.players.table_reader import PotentialName, TableReader
from engine.poker.combos import NUM_COMBOS, combo_index, combos_without
from engine.poker.records import ProbabilityTriple, PublicSituation, TripleIndex
from engine.poker.rules import BettingState, GameDefinition, HandState, load_game, parse_betting
from tests.benchmarks.bench_formula import interval
from tests.support.benchmarks import BenchmarkParser, known_file, known_game, known_player, make_player
from tests.support.strangers import STRANGERS

OTHERS: Final = (
    "always-call", "always-raise", "random", "simple", "hand-strength", "heuristic", "killer",
    "formula:tightness=0.9,aggression=0.9",
)  # fmt: skip
NOISE: Final = 0.02
LEAST_CHANCE: Final = 1e-3
STAGES: Final = (0, 30, 100, 1_000_000)
Recorded = list[tuple[int, str, list[list[int]], list[int]]]
"""Of each hand: its number, the betting, hole cards by position, the board."""


def record(game: str, names: Sequence[str], deals: int, seed: int) -> dict[str, Any]:
    """Two matches of the formula bot against each opponent, who sits in seats 1, 3 and so on."""
    rules, recorded = load_game(game), dict[str, list[Recorded]]()
    for name in names:
        for match in range(2):
            hands: Recorded = []

            def keep(state: HandState, _: tuple[float, ...], into: Recorded = hands) -> None:
                holes = [list(cards) for cards in state.deal.hole_cards]
                into.append((state.hand_number, state.betting.text, holes, list(state.deal.board)))

            agents = [make_player(name if seat % 2 else "formula") for seat in range(rules.num_players)]
            Arena(rules, agents, seed + match).play(deals, on_hand=keep)
            recorded.setdefault(name, []).append(hands)
    return {"game": game, "hands": recorded}


@attrs.frozen
class Hand:
    """A recorded hand, and what is known before it."""

    played: int
    """Hands of the match before it."""
    number: int
    betting: BettingState
    board: tuple[int, ...]
    holes: list[list[int]]
    reader: TableReader
    """Has read nothing of it yet."""

    def is_opponents(self, position: int) -> bool:
        """Whether the seat in a position is not the formula bot's."""
        return (position + self.number) % len(self.holes) % 2 == 1


def read_hands(game: GameDefinition, hands: Recorded, potential: PotentialName = "plain") -> Iterator[Hand]:
    """Each hand of a match, before the models learn from it."""
    players = game.num_players
    models = [PlayerModel() for _ in range(players)]
    for played, (number, text, holes, cards) in enumerate(hands):
        betting, board = parse_betting(game, text), tuple(cards)
        here = [models[(position + number) % players] for position in range(players)]
        reader = TableReader(here, NOISE, potential)
        yield Hand(played, number, betting, board, holes, reader)
        learn_from_hand(here, reader, betting, board, holes)


def answers(
    game: GameDefinition, hands: Recorded, learnt: int = 0
) -> Iterator[tuple[int, PublicSituation, ProbabilityTriple, int]]:
    """Of each decision of an opponent where there was a choice: the triple predicted, and what came.

    The hands played before it come first; of the hands that are only learnt there is nothing.
    """
    for hand in read_hands(game, hands):
        if hand.played < learnt:
            continue
        reader = hand.reader
        reader.follow(hand.betting, hand.board)
        for decision, action in reader.decisions:
            situation = decision.situation
            if hand.is_opponents(situation.position) and (situation.can_fold or situation.can_raise):
                model = reader.reading.models[situation.position]
                yield hand.played, situation, predicted_triple(model, decision), action


def readings(
    game: GameDefinition, hands: Recorded, learnt: int, potential: PotentialName
) -> list[tuple[float, ...]]:
    """By decision of the formula bot, heads-up: the log weight, and how far the chance to be ahead was stated
    too high.
    """
    found: list[tuple[float, ...]] = []
    for hand in read_hands(game, hands, potential):
        ours, reader = hand.number % 2, hand.reader  # the position of seat 0
        for before, position, _ in hand.betting.steps() if hand.played >= learnt else ():
            if before.betting_round > 0 and position == ours:
                reader.follow(before, hand.board)
                out = hand.board[: before.num_board_cards]
                cards = hand.holes[ours], hand.holes[1 - ours]
                found.append(_reading(reader.weights(1 - ours), out, *cards))
    return found


def folds(game: GameDefinition, hands: Recorded, learnt: int) -> list[tuple[float, ...]]:
    """By answer to a bet after the flop: the betting round, the pot in small bets, the chance of a fold that
    was predicted, and 1 for a fold.
    """
    unit = game.small_bet or game.big_blind
    return [
        (at.betting_round, at.pot / unit, triple.fold, action == TripleIndex.FOLD)
        for _, at, triple, action in answers(game, hands, learnt)
        if at.can_fold and at.betting_round > 0
    ]


def losses(game: GameDefinition, hands: Recorded) -> list[tuple[float, ...]]:
    """Of each action of an opponent where there was a choice: the hand's number and -ln of its chance."""
    return [
        (played, -math.log(max(triple[action], LEAST_CHANCE)))
        for played, _, triple, action in answers(game, hands)
    ]


def seen(game: GameDefinition, hands: Recorded, learnt: int) -> list[tuple[float, ...]]:
    """Of each action of an opponent where there was a choice: the betting round, 1 for a bet to call, of
    the opponents by two, 1 if he raised last, the triple that was predicted, and the action.
    """
    found: list[tuple[float, ...]] = []
    for _, at, triple, action in answers(game, hands, learnt):
        raised, pairs = bool(at.raised_last & 1 << at.position), at.opponents.bit_count() // 2
        found.append((at.betting_round, at.can_fold, min(pairs, 2), raised, *triple, action))
    return found


def _reading(
    table: NDArray[np.float64], board: tuple[int, ...], ours: Sequence[int], theirs: Sequence[int]
) -> tuple[float, float]:
    mine, his, values = combo_index(*ours), combo_index(*theirs), board_values(board)
    left = np.where(combos_without((*ours, *board)), table, 0.0)
    truth = np.zeros(NUM_COMBOS)
    truth[his] = 1.0
    log_weight = float(np.log(max(left[his], 1e-9) * np.count_nonzero(left) / left.sum()))
    return log_weight, float(values.strengths(table)[mine] - values.strengths(truth)[mine])


def main(arguments: Sequence[str] | None = None) -> None:
    """Record, or read and print."""
    parser = BenchmarkParser("bench_tables", __doc__, deals=600, learnt=100)
    parser.add_argument("hands", nargs="?", type=Path, help="that were recorded")
    parser.add_argument("--record", type=Path, help="play, and keep the hands in this file (JSON)")
    parser.add_argument("--game", type=known_game, default="limit-2p", help="that is recorded")
    everybody = (*STRANGERS, *OTHERS)
    parser.add_argument("--against", nargs="*", type=known_player, default=everybody, help="who is recorded")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--potential", choices=("plain", "weighted"), default="plain")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--folds", action="store_true", help="folds predicted and seen, by the pot")
    modes.add_argument("--seen", action="store_true", help="actions predicted and seen, by what is known")
    modes.add_argument("--losses", action="store_true", help="log losses of what the opponent does")
    parser.add_argument("--save", type=Path, help="with --losses: keep them (.npz)")
    parser.add_argument("--than", type=known_file, help="with --losses: compare with what was kept")
    options = parser.parse_args(arguments)
    if (options.hands is None) == (options.record is None):
        parser.error("expected a file of hands, or --record FILE")
    if options.record is not None:
        recorded = record(options.game, options.against, options.deals, options.seed)
        options.record.write_text(json.dumps(recorded), "utf-8")
        return
    try:
        data: dict[str, Any] = json.loads(options.hands.read_text("utf-8"))
        game = load_game(data["game"])
    except (OSError, ValueError) as error:
        parser.error(f"{options.hands} cannot be read: {error}")
    except (LookupError, TypeError):
        parser.error(f"{options.hands} is no file of --record: expected a JSON object with game and hands")
    if game.num_players > 2 and not (options.seen or options.losses or options.folds):
        parser.error(
            f"{options.hands} is of {game.num_players} players: expected --seen, --losses or --folds"
        )
    before = dict(np.load(options.than)) if options.than else {}
    kept: dict[str, NDArray[np.float64]] = {}
    for name, matches in data["hands"].items():
        if options.losses:
            kept[name] = _together([losses(game, hands) for hands in matches])
            if name in before and len(before[name]) != len(kept[name]):
                parser.error(f"{options.than} is of other hands of {name}")
            text = _losses_text(kept[name], before.get(name))
        elif options.seen:
            text = _seen_text(_together([seen(game, hands, options.learnt) for hands in matches]))
        elif options.folds:
            text = _folds_text(_together([folds(game, hands, options.learnt) for hands in matches]))
        else:
            read = [readings(game, hands, options.learnt, options.potential) for hands in matches]
            text = _text(_together(read))
        print(f"{name:<38} {text}", flush=True)
    if options.losses and options.save:
        np.savez(options.save, allow_pickle=False, **kept)


def _together(matches: Sequence[Sequence[tuple[float, ...]]]) -> NDArray[np.float64]:
    return np.array([each for found in matches for each in found], np.float64)


def _text(found: NDArray[np.float64]) -> str:
    high, half = interval(found[:, 1])
    return (
        f"{len(found):>5} decisions, log weight {found[:, 0].mean():+.3f}, "
        f"ahead {high:+.3f} +- {half:.3f} too high"
    )


def _losses_text(found: NDArray[np.float64], before: NDArray[np.float64] | None) -> str:
    """By stage, before and after; then the difference of the last."""
    texts = []
    for begun, end in itertools.pairwise(STAGES):
        here = (found[:, 0] >= begun) & (found[:, 0] < end)
        means = [each[here, 1].mean() for each in (before, found) if each is not None]
        texts.append(" ".join(f"{mean:.3f}" for mean in means))
    if before is not None:
        later = found[:, 0] >= STAGES[-2]
        more, half = interval((found - before)[later, 1])
        texts.append(f"more {more:+.4f} +- {half:.4f}")
    return "   ".join(texts)


def _folds_text(found: NDArray[np.float64]) -> str:
    """By betting round, folds predicted and seen in the third of the smallest, middling and greatest pots."""
    texts = []
    for betting_round, name in ((1, "flop"), (2, "turn"), (3, "river")):
        here = found[found[:, 0] == betting_round]
        thirds = np.array_split(here[np.argsort(here[:, 1], kind="stable")], 3)
        shown = [f"{third[:, 2].mean():.2f}/{third[:, 3].mean():.2f}" for third in thirds if len(third)]
        texts.append(f"{name} {' '.join(shown)}")
    return f"{len(found):>5} answers, {', '.join(texts)}"


def _seen_text(found: NDArray[np.float64]) -> str:
    """A line for each class of decisions: how many, and the folds, calls and raises predicted and seen."""
    lines = [f"{len(found):>5} decisions"]
    for place in sorted({tuple(row) for row in found[:, :4].astype(int).tolist()}):
        here = found[(found[:, :4] == place).all(axis=1)]
        came = [(here[:, 7] == action).mean() for action in TripleIndex]
        shares = [
            f"{chance:.2f}/{share:.2f}" for chance, share in zip(here[:, 4:7].mean(axis=0), came, strict=True)
        ]
        betting_round, is_bet, company, raised = place
        words = [
            ("before the flop", "flop", "turn", "river")[betting_round],
            "bet to call" if is_bet else "no bet",
            ("one left", "two or three left", "more left")[company],
            "raised last" if raised else "",
        ]
        lines.append(
            f"  {', '.join(word for word in words if word):<52} {len(here):>6}   {'  '.join(shares)}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
