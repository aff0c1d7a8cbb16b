"""Reading the golden files (`tests/golden/SOURCE.txt`), and playing their hands again."""

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import attrs

from engine.poker.rules import (
    Action,
    CardDealer,
    Deal,
    GameDefinition,
    HandState,
    load_game,
    parse_betting,
    play_hand,
)
from protocol.records import HandRecord, format_hand, format_score, parse_hand, parse_score

GOLDEN: Final = Path(__file__).parent.parent.parent / "golden"
LOGS: Final = tuple(sorted(path.name.removesuffix(".log.gz") for path in GOLDEN.glob("*.log.gz")))
"""The names of all golden logs, such as ``random.leduc.0``."""


@attrs.frozen
class GoldenLog:
    """A match log of the ACPC dealer, parsed."""

    text: str
    header: str
    game: GameDefinition
    hands: int
    seed: int
    records: tuple[HandRecord, ...]
    names: tuple[str, ...]
    """The players' names by seat."""


def golden_game(name: str) -> GameDefinition:
    """The game in a golden game file, by its name without ``.game``."""
    return load_game(str(GOLDEN / f"{name}.game"))


def golden_log(name: str) -> GoldenLog:
    """A golden log, parsed."""
    text = gzip.decompress((GOLDEN / f"{name}.log.gz").read_bytes()).decode("ascii")
    return read_log(text, load_game(str(GOLDEN / text.split()[3])))


def read_log(text: str, game: GameDefinition) -> GoldenLog:
    """Parse the log of a match of a game."""
    lines = text.splitlines(keepends=True)
    hands, seed = lines[0].split()[-2:]
    score = parse_score(lines[-1])
    assert score is not None
    return GoldenLog(
        text=text,
        header="".join(lines[:4]),
        game=game,
        hands=int(hands),
        seed=int(seed),
        records=tuple(record for line in lines if (record := parse_hand(line)) is not None),
        names=score[1],
    )


def golden_lines(name: str) -> list[list[str]]:
    """The lines of a golden text file, each split into game, seed and the rest."""
    lines = (GOLDEN / name).read_text("ascii").splitlines()
    return [line.split(maxsplit=2) for line in lines if not line.startswith("#")]


def play_deals(
    game: GameDefinition, deals: Iterable[Deal], bettings: Iterable[str]
) -> Iterator[tuple[list[HandState], HandState]]:
    """Play logged hands through the hand loop; for each, the states at decisions and the final state."""
    for hand_number, (deal, betting) in enumerate(zip(deals, bettings, strict=False)):
        yield play_actions(game, hand_number, deal, [a for _, _, a in parse_betting(game, betting).steps()])


def play_actions(
    game: GameDefinition, hand_number: int, deal: Deal, actions: Iterable[Action]
) -> tuple[list[HandState], HandState]:
    """Play one hand through the hand loop; returns the states at decisions and the final state."""
    hand = play_hand(game, hand_number, deal)
    asked: list[HandState] = []
    try:
        state = next(hand)
        for action in actions:
            asked.append(state)
            state = hand.send(action)
    except StopIteration as end:
        return asked, end.value
    raise AssertionError(f"the hand is not over after {state.betting.text!r}")


def deals_from(game: GameDefinition, seed: int) -> Iterator[Deal]:
    """The deals of an endless match."""
    dealer = CardDealer(game, seed)
    while True:
        yield dealer.deal()


def rebuilt_log(log: GoldenLog) -> str:
    """The log that our code writes for the game, seed, names and betting of a golden log."""
    num_players = log.game.num_players
    totals = [0.0] * num_players
    text = [log.header]
    hands = play_deals(log.game, deals_from(log.game, log.seed), (record.betting for record in log.records))
    for _, end in hands:
        chips = end.chips_won()
        seats = [(position + end.hand_number) % num_players for position in range(num_players)]
        for position, seat in enumerate(seats):
            totals[seat] += chips[position]
        text.append(format_hand(end, chips, [log.names[seat] for seat in seats]))
    text.append(format_score(totals, log.names))
    return "".join(text)
