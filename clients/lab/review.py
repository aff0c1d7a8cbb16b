"""Reviews logs of heads-up no-limit hold'em: which decisions lost how much, by player, street and kind."""

from __future__ import annotations

import html
import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from clients.core.options import OptionError
from engine.evidence.aivat.policy import Policy
from engine.poker.cards import format_cards
from engine.poker.rules import Action, BettingState, GameDefinition
from engine.poker.rules.hand_words import Deed, format_chips, round_name
from engine.solving.subgames.review import Judged, Reviewer, Stopped
from engine.solving.walk import TooLarge
from engine.support.arrays import Floats
from engine.support.intervals import half_width
from engine.support.text import rate, table
from engine.support.user_input import printable, told_as
from server.records.comments import comments_beside
from server.records.evidence import POLICY_FILE, PolicyFile
from server.records.formats.hands import PlayedHand
from server.records.formats.reading import find_hands, read_hands
from server.records.formats.said import FormatError
from server.records.logs import LogError
from server.records.telling import describe_game, replay_page

_WORST: Final = 10
_BLUNDER: Final = 0.5, 0.05
"""The least loss of a blunder, in big blinds and as a part of the pot."""


@attrs.frozen
class Reviewable:
    """A hand that can be reviewed, and the file that it is from."""

    file: Path
    hand: PlayedHand


@attrs.frozen
class Lapse:
    """A decision that was judged, and where it was made."""

    of: Reviewable
    judged: Judged

    @property
    def name(self) -> str:
        """The player's."""
        return printable(self.of.hand.names[self.judged.position])

    @property
    def loss(self) -> float:
        """The loss in thousandths of a big blind."""
        return self._mbb(self.judged.loss)

    @property
    def at_stake(self) -> float:
        """The most that could be lost."""
        return self._mbb(self.judged.at_stake)

    @property
    def is_blunder(self) -> bool:
        """Whether it lost much."""
        blinds, share = _BLUNDER
        return self.loss >= 1000 * blinds and self.judged.loss >= share * self.judged.before.pot

    def _mbb(self, chips: float) -> float:
        return 1000 * chips / self.of.hand.game.big_blind

    @property
    def street(self) -> str:
        """The betting round."""
        return round_name(self.of.hand.game, self.judged.before.betting_round).lower()

    def kind(self, action: Action | None = None) -> str:
        """A word for an action, unless told for what was done."""
        return Deed(self.judged.before, self.judged.position, action or self.judged.action).word

    def as_json(self) -> dict[str, Any]:
        """The decision as it stands in the JSON."""
        judged, hand, file = self.judged, self.of.hand, printable(str(self.of.file))
        return {
            "name": self.name, "log": file, "hand": hand.number, "street": self.street,
            "betting": judged.before.text, "cards": format_cards(hand.state.deal.hole_cards[judged.position]),
            "board": format_cards(hand.state.board[: judged.before.num_board_cards]),
            "pot": judged.before.pot, "taken": self._told(judged.action), "best": self._told(judged.best),
            "loss": self.loss, "ranges": judged.known.value,
            "values": {self._told(action): value for action, value in judged.values.items()},
            "replay": f"riverboat replay {shlex.quote(file)} --hand {hand.number}",
        }  # fmt: skip

    def _told(self, action: Action) -> str:
        total = "" if action.raise_to is None else f" to {action.raise_to}"
        return self.kind(action) + total


def reviewable(
    paths: Sequence[Path], game: str | None, number: int | None, seat: str | None, warn: Callable[[str], None]
) -> list[Reviewable]:
    """The hands of logs that can be reviewed; others are told in a line for each kind.

    Args:
        paths: logs and folders.
        game: the game, for logs that do not say.
        number: only this hand.
        seat: only hands of the player with this name.
        warn: is told what is left out.

    Raises:
        OptionError: there is none, or a log cannot be read.
    """
    found: list[Reviewable] = []
    others: Counter[str] = Counter()
    with told_as(OptionError, LogError, FormatError):
        for file in find_hands(paths):
            for hand in read_hands(file, game):
                if isinstance(hand, FormatError):
                    warn(str(hand))
                elif number not in (None, hand.number) or (seat is not None and seat not in hand.names):
                    continue
                elif not is_reviewable(hand.game):
                    others[describe_game(hand.game)] += 1
                else:
                    found.append(Reviewable(file, hand))
    said = ", ".join(f"{count} of {name}" for name, count in others.items())
    if not found:
        asked = f" with number {number}" if number is not None else ""
        asked += f" of {printable(seat)!r}" if seat is not None else ""
        raise OptionError(
            f"only no-limit hold'em for two is reviewed; there are {said or 'no such hands'}{asked} here"
        )
    if said:
        warn(f"only no-limit hold'em for two is reviewed; left out: {said}")
    return found


def is_reviewable(game: GameDefinition) -> bool:
    """Whether hands of a game can be reviewed."""
    return game.is_holdem and not game.is_limit and game.num_players == 2


class Review:
    """The decisions of hands, judged one hand after another.

    Args:
        reviewer: judges them.
        warn: is told what could not be judged as it should.
        seat: the name of the one player to judge; None for everybody.
    """

    def __init__(self, reviewer: Reviewer, warn: Callable[[str], None], seat: str | None = None) -> None:
        self._reviewer, self._warn, self._seat = reviewer, warn, seat
        self._policies: dict[Path, PolicyFile | None] = {}
        self.lapses: list[Lapse] = []
        self.hands = 0
        self.unknown: Counter[str] = Counter()
        """Decisions of players whose cards are not known."""

    def add(self, of: Reviewable) -> bool:
        """Judge a hand; False if it was stopped, and nothing of it is kept."""
        found = []
        where = f"{printable(str(of.file))}: hand {of.hand.number}"
        wanted = [p for p, name in enumerate(of.hand.names) if self._seat in (None, name)]
        try:
            found = [Lapse(of, each) for each in self._reviewer.review(of.hand.state, self._told(of), wanted)]
        except Stopped:
            return False
        except TooLarge as error:
            self._warn(f"{where}: {error}, and is left out")
        unexpected = {each.name: each.judged.position for each in found if each.judged.is_unexpected}
        for name, position in unexpected.items():
            cards = format_cards(of.hand.state.deal.hole_cards[position])
            self._warn(f"{where}: the range of {name} excludes {cards}, which it held")
        self.lapses += found
        self.hands += 1
        for before, position, _ in of.hand.state.betting.steps():
            is_late = before.betting_round >= self._reviewer.first_round
            if is_late and position in wanted and not of.hand.state.deal.hole_cards[position]:
                self.unknown[printable(of.hand.names[position])] += 1
        return True

    def _told(self, of: Reviewable) -> Callable[[BettingState, Action], Floats | None]:
        """The policies that the players of a hand have stated."""
        with told_as(OptionError, LogError):
            if of.file not in self._policies:
                path = of.file.parent / POLICY_FILE
                self._policies[of.file] = PolicyFile(path) if path.exists() else None
        policies = self._policies[of.file]
        stated = policies.told(of.hand.number) if policies else {}

        def told(before: BettingState, action: Action) -> Floats | None:
            columns = stated.get(before.text)
            with told_as(OptionError, ValueError):
                return None if columns is None else Policy.of_columns(columns()).chances(action)

        return told

    def as_json(self) -> dict[str, Any]:
        """All that was found."""
        names = dict.fromkeys([*(each.name for each in self.lapses), *self.unknown])
        return {
            "hands": self.hands, "first_round": self._reviewer.first_round,
            "iterations": self._reviewer.iterations, "players": [self._player(name) for name in names],
            "worst": [each.as_json() for each in self._worst()],
            "ranges": dict(Counter(each.judged.known.value for each in self.lapses)),
        }  # fmt: skip

    def _player(self, name: str) -> dict[str, Any]:
        own = [each for each in self.lapses if each.name == name]
        at_stake = math.fsum(each.at_stake for each in own)
        lost = math.fsum(each.loss for each in own)
        streets, kinds = dict.fromkeys(each.street for each in own), sorted({each.kind() for each in own})
        return {
            "name": name, **_losses(own), "accuracy": 100 * (1 - lost / at_stake) if at_stake else None,
            "blunders": sum(each.is_blunder for each in own), "unknown_cards": self.unknown[name],
            "by_street": {name: _losses([each for each in own if each.street == name]) for name in streets},
            "by_kind": {name: _losses([each for each in own if each.kind() == name]) for name in kinds},
        }  # fmt: skip

    def page(self) -> str:
        """A page with the result, the worst spots, and a replay of their hands."""
        report, worst = self.as_json(), self._worst()
        of = {(each.of.file, each.of.hand.number): each.of for each in worst}
        hands = list(of)
        told = [(each.hand, comments_beside(each.file).get(each.hand.number, {})) for each in of.values()]
        lead = f"<pre>{html.escape(chr(10).join(result_lines(report)))}</pre>\n<h2>Worst spots</h2>\n<ol>\n"
        for each in worst:
            place = hands.index((each.of.file, each.of.hand.number))
            lead += f'<li><a href="#told-{place}">{html.escape(_spot_line(each.as_json()))}</a></li>\n'
        return replay_page(told, "Review", lead + "</ol>\n")

    def _worst(self) -> list[Lapse]:
        return sorted((each for each in self.lapses if each.loss > 0), key=lambda each: -each.loss)[:_WORST]


def _losses(lapses: Sequence[Lapse]) -> dict[str, Any]:
    """Decisions, and the loss per hundred of them in mbb, with the half width of its 95 % interval.

    Decisions of one hand are not independent: the interval is that of a ratio of sums over hands.
    """
    number = len(lapses)
    if not number:
        return {"decisions": 0, "loss_per_100": None, "ci95": None}
    mean = math.fsum(each.loss for each in lapses) / number
    by_hand = defaultdict[tuple[Path, int], float](float)
    for each in lapses:
        by_hand[each.of.file, each.of.hand.number] += each.loss - mean
    half = half_width(list(by_hand.values()))
    ci95 = None if half is None else 100 * half * len(by_hand) / number
    return {"decisions": number, "loss_per_100": 100 * mean, "ci95": ci95}


def result_lines(report: dict[str, Any]) -> Iterator[str]:
    """The result as text: a table of players, and how ranges were known."""
    rows = [["", "decisions", "mbb per 100", "accuracy", "blunders"]]
    for player in report["players"]:
        accuracy = player["accuracy"]
        for part, losses in {"": player, **player["by_street"], **player["by_kind"]}.items():
            own = [f"{accuracy:.1f} %" if accuracy is not None else "–", str(player["blunders"])]
            shown = rate(losses["loss_per_100"], losses["ci95"], 0, signed=False, missing="–")
            name = f"  {part}" if part else player["name"]
            rows.append([name, str(losses["decisions"]), shown, *(own if not part else ["", ""])])
    yield from table(rows)
    sources = ", ".join(f"{count} {known}" for known, count in report["ranges"].items())
    yield f"{report['hands']} hands; decisions by the source of both ranges: {sources or 'none'}"


def worst_lines(report: dict[str, Any]) -> Iterator[str]:
    """The worst spots as text, each with the command that replays its hand."""
    for spot in report["worst"]:
        yield _spot_line(spot)
        yield f"    {spot['replay']}"


def _spot_line(spot: dict[str, Any]) -> str:
    return (
        f"-{spot['loss']:.0f} mbb: {spot['name']} with {spot['cards']} on {spot['board']}, pot "
        f"{format_chips(spot['pot'])}: {spot['taken']}, best {spot['best']} (hand {spot['hand']})"
    )
