"""A match to be played, and each of its passes: one, or in a duplicate match as many as there are players.

In pass k of a duplicate match player i sits at seat (i + k) mod n, and the cards are the same: each player
gets each seat's cards once, and the luck of one pass is cancelled in another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from engine.evidence.aivat.games import why_not
from engine.evidence.verdict import Goal
from engine.poker.match_key import DealKeys
from protocol import variables
from protocol.agents.usage import FILE as USAGE_FILE
from server.match.launching.launcher import Terms
from server.match.launching.players import Player, learning_players
from server.match.sittings.sitting import Sitting
from server.match.withheld import Withheld
from server.records.comments import COMMENTS_FILE
from server.records.evidence import POLICY_FILE, Luck
from server.records.progress import Tally
from server.records.results import Pass, PlayerResult, player_results
from server.support.private_files import open_private
from server.support.record_file import at_once
from server.table.config import MatchConfig
from server.table.outcome import EarlierSittings

_MOST_PROCESSES: Final = 12
# Of players, for all passes to be played at once.


@attrs.frozen(kw_only=True)
class PassOrder:
    """A pass to be played."""

    number: int
    config: MatchConfig
    players: tuple[int, ...]
    """By seat, who sits there, as a number of the order given; like the next."""
    seated: tuple[Player, ...]
    seeds: tuple[int, ...]
    output: Path
    """A folder for what the players write."""
    variables: Mapping[str, str] = attrs.Factory(dict)
    """For the players' environment, in addition to those of their seats."""
    earlier: EarlierSittings | None = None
    """What the log does not tell about its hands, if the match is resumed from it."""
    most_shares: int = 1
    """Among how many tables or processes the hands may be divided."""
    trusts_programs: bool = False
    """Programs that are not installed bots carry nothing from hand to hand."""


@attrs.frozen(kw_only=True)
class MatchPlan:
    """A match to be played."""

    config: MatchConfig
    """The match of pass 0; the other passes differ in the order of the players and in their files."""
    players: tuple[Player, ...]
    """In the order given, which is pass 0's seat order."""
    folder: Path
    """The match folder, which exists."""
    duplicate: bool = False
    until: Goal | None = None
    """Stop once this is known; None to play all hands."""
    luck: Luck = Luck.EQUITY
    """How far luck is taken out of the result."""
    in_process: bool = False
    """Installed bots play in processes of the house, without sockets."""
    terms: Terms = attrs.Factory(Terms)
    """The terms of launched players."""
    jobs: int = 1
    """Passes played in parallel; if there are more jobs, tables or processes that share each pass's hands."""
    trusts_programs: bool = False
    """Programs that are not installed bots carry nothing from hand to hand."""
    explains: bool = False
    """Installed bots say by which numbers they decide."""
    rehearses: bool = True
    """Players who may have learned from the hands of earlier sittings are shown them again."""
    sitting: Sitting | None = None
    """The sitting in which it is played; None for a match that is never resumed."""
    learners: frozenset[int] = attrs.field(init=False)
    """Players that learn while they play, by their places in the order given."""
    withheld: Withheld | None = attrs.field(init=False, repr=False, eq=False)
    """Holds back what one pass could tell about the cards of another; None if there is nothing like that."""

    @learners.default
    def _find_learners(self) -> frozenset[int]:
        return learning_players(self.players)

    @withheld.default
    def _withhold(self) -> Withheld | None:
        return Withheld(self.num_passes) if self.duplicate and self.cards_are_secret else None

    @property
    def cards_are_secret(self) -> bool:
        """Whether the cards follow from keys that were drawn for this sitting, and end with it."""
        return isinstance(self.config.cards, DealKeys) and self.config.cards.is_drawn

    @property
    def plays_side_by_side(self) -> bool:
        """Whether all passes are played at once, a few deals apart, so that little has to be withheld."""
        processes = len(self.players) * self.num_passes
        is_alone = all(player.command is not None or self.in_process for player in self.players)
        return self.withheld is not None and is_alone and processes <= _MOST_PROCESSES

    @property
    def is_resumed(self) -> bool:
        """Whether the match has been played before."""
        return self.sitting is not None and self.sitting.is_resumed

    @property
    def num_passes(self) -> int:
        """How often each deal is played."""
        return len(self.players) if self.duplicate else 1

    def seating(self, number: int) -> tuple[int, ...]:
        """The players of a pass, by seat."""
        n = len(self.players)
        return tuple((seat - number) % n for seat in range(n))

    def pass_folder(self, number: int) -> Path:
        """The folder of a pass's files."""
        return self.folder / f"pass-{number}" if self.duplicate else self.folder

    def pass_config(self, number: int) -> MatchConfig:
        """The configuration of a pass."""
        seated = [self.players[player] for player in self.seating(number)]
        launched = frozenset(seat for seat, player in enumerate(seated) if player.command)
        asks_for_policies = self.luck is Luck.AIVAT and why_not(self.config.game) is None  # AIVAT needs them
        return attrs.evolve(
            self.config,
            names=tuple(player.name for player in seated),
            is_resumable=self.sitting is not None,
            resumes=self.is_resumed,
            append=self.is_resumed,
            rehearses=launched if self.rehearses else frozenset(),
            keeps_hands=self.duplicate or self.config.censors,
            log_path=self.pass_folder(number) / "match.log",
            policy_path=self.pass_folder(number) / POLICY_FILE if asks_for_policies else None,
            usage_path=self.pass_folder(number) / USAGE_FILE,
            comments_path=self.pass_folder(number) / COMMENTS_FILE,
            opener=open_private,
            later=at_once if self.withheld is None else self.withheld.later(number),
        )

    def order(self, number: int) -> PassOrder:
        """The order for a pass.

        A bot that learnt from one pass would know the cards of the next: it must not keep what it learns.
        """
        seating = self.seating(number)
        return PassOrder(
            number=number,
            config=self.pass_config(number),
            players=seating,
            seated=tuple(self.players[player] for player in seating),
            seeds=self.config.cards.player_seeds(seating),
            output=self.pass_folder(number) / "players",
            variables={
                **({variables.DUPLICATE: str(number)} if self.duplicate else {}),
                **({variables.EXPLAIN: "1"} if self.explains else {}),
            },
            earlier=None if self.sitting is None else self.sitting.earlier.get(number),
            most_shares=self.jobs // min(self.jobs, self.num_passes),
            trusts_programs=self.trusts_programs,
        )

    def player_seeds(self, player: int) -> list[int]:
        """A player's own seed in each pass."""
        seatings = map(self.seating, range(self.num_passes))
        return [self.config.cards.player_seeds(seating)[seating.index(player)] for seating in seatings]

    def new_tally(self) -> Tally:
        """A tally of no hands yet."""
        seatings = [self.seating(number) for number in range(self.num_passes)]
        names = [player.name for player in self.players]
        return Tally(self.config.game, names, seatings, self.config.hands, self.until, self.learners)

    def results(self, passes: Sequence[Pass], tally: Tally) -> tuple[PlayerResult, ...]:
        """The players' results, with intervals that hold even if a match might have ended at any hand, or
        if somebody learns.
        """
        results = player_results(passes, self.config.names, self.config.game)
        if self.until is None and not self.learners:
            return results
        return tuple(
            attrs.evolve(result, ci95=tally.half_width(player, result.mbb_per_hand))
            for player, result in enumerate(results)
        )
