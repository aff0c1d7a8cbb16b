"""The adaptive bot: counts what its opponent does, and plays what is worth most against it.

Before each action it searches all betting sequences that may follow (miximax, the idea of Vexbot).  It
expects the opponent to act with the frequencies that it has counted there, and to show at the showdown the
hands that it has shown there.  Where it has seen little, it expects what the opponent did in similar
situations, and before that what a reasonable player does.

The action with the highest estimated value is often the one that is overestimated most, and playing it is
costly against an opponent who gives nothing away.  So the bot plays an equilibrium unless the opponent's
habits are well known, and few and clear enough to be answered (``engine.solving.miximax.departure``).  Then
it plays an action with the equilibrium's probability times exp(value / heat), normalised, which is optimal
if departing costs *heat* for each unit of relative entropy.  The heat falls with the square root of the
evidence, as the errors of the estimates do.

Sources: Billings and others, *Game-Tree Search with Adaptation in Stochastic Imperfect-Information Games*
(2004); Poker Learner, chapter 3; Jacob and others, *Modeling Strong and Human-Like Gameplay with
KL-Regularized Search* (2022), for keeping to a strategy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clients.bots.memory_file import Remembering
from clients.bots.strategy_files import bucketed_strategy, shipped_strategy
from clients.core.agent import Mixing, described
from clients.core.options import OptionError, require_between
from engine import compiling
from engine.poker.rules import Action, GameDefinition, HandView
from engine.support.files.archive import Archive, ArchiveError, find_archive
from engine.support.user_input import told_as

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.solving.holdem.bucketed import BucketedStrategy
    from engine.solving.miximax.departure import Departure
    from engine.solving.miximax.habits import Habits
    from engine.solving.miximax.trees import ContextTree
    from engine.solving.miximax.values import Miximax

    Remembered = Mapping[str, NDArray[Any]]
    """A player's arrays, from `engine.solving.miximax.habits.Habits.as_arrays`.

    In no-limit games their names begin with ``no-limit.``.
    """

KIND: Final = "riverboat habits"
SCHEMA_VERSION: Final = 2
"""Schema 1 is read as well: it had no no-limit games."""

_LEAST_CHANCE: Final = 0.02
"""Probability shared by all actions, so that an action that the equilibrium never takes stays possible."""
_LEAST_TRUST: Final = 0.01
"""The least trust in the opponent's habits at which the bot searches for an answer to them."""


class Adaptive(Mixing, Remembering):
    """Plays heads-up hold'em, limit and no-limit, by what is worth most against what the opponent does.

    In limit, and in no-limit with 100 big blinds, it begins with the equilibrium that comes with the program.
    For other no-limit games none comes with it: there it begins with the strategy of a file or, without one,
    with what is worth most against a reasonable player, the generic formula player of
    ``engine/data/miximax``.

    Args:
        memory: file that keeps the observations between matches, by the players' names.
        learn: off: play by what the file says, count nothing and leave the file as it is.
        fading: factor on the weight of old observations with each new one of the same kind, .9 to 1.
        temperature: difference of value, in small bets, at which actions are still played about equally
            often; 0 takes the best.  In no-limit games it is in big blinds.
        caution: what is added to the temperature while there is no evidence against the opponent, so that
            the equilibrium decides; 0 plays without an equilibrium.
        strategy: begin with this one, made by `riverboat solve GAME --save FILE`.

    Raises:
        OptionError: the strategy cannot be read, or is of a small game.
        ValueError: an option outside its range, or a memory file that cannot be read, written or locked.
    """

    def __init__(
        self,
        memory: Path | None = None,
        learn: bool = True,
        fading: float = 0.9998,
        temperature: float = 0.02,
        caution: float = 1.0,
        strategy: Path | None = None,
    ) -> None:
        if not 0.9 <= fading <= 1:
            raise ValueError(f"fading: expected .9 to 1, got {fading}")
        require_between("temperature", temperature, 0, 10)
        require_between("caution", caution, 0, 100)
        self.fading, self.temperature, self.learn = fading, temperature, learn
        self.caution = caution
        self.is_stateless = not learn
        self._given = None if strategy is None else bucketed_strategy(strategy)
        self._book = _Book()
        if memory is not None:
            self.open_memory(memory, self._book.remembered, self._recall, learns=learn)
        self._miximax: Miximax | None = None
        self._equilibrium: BucketedStrategy | None = None
        self._valued: tuple[HandView, Mapping[Action, float]] | None = None

    def _recall(self, path: Path) -> None:
        self._book.players.update(load(path))

    # --- the match -----------------------------------------------------------------------------------------

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load kernels; load the betting tree, the reasonable player and the equilibrium.

        Raises:
            OptionError: the game is not heads-up hold'em.
        """
        from engine.solving.miximax.habits import reasonable_habits

        compiling.miximax()
        if game is not None:
            _tree(game)
            reasonable_habits(game)
            self._shipped(game)

    def _shipped(self, game: GameDefinition) -> BucketedStrategy | None:
        """The equilibrium that the bot begins with: a file's, or the one that comes with the program.

        Raises:
            OptionError: the file is for another game.
        """
        if self._given is not None and self._given.game != game:
            raise OptionError("adaptive: strategy: expected a strategy of the game that is played")
        if self.caution == 0:
            return None
        return self._given or shipped_strategy(game)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Load what is known of the opponent, by name.

        Raises:
            OptionError: the game is not heads-up hold'em, or what is remembered makes no sense.
        """
        from engine.solving.miximax import habits as counted
        from engine.solving.miximax.departure import Departure
        from engine.solving.miximax.values import Miximax

        tree = _tree(game)
        name = self.names[1 - seat] if self.names is not None and len(self.names) == 2 else "opponent"
        book = self._book
        if self._miximax is None or self._miximax.tree is not tree or book.name != name:
            book.put_away()
            known = _of_kind(book.players.get(name, {}), tree.kind)
            damaged = f"adaptive: what is remembered of {name!r} is damaged: "
            with told_as(OptionError, counted.InvalidHabits, what=damaged):
                expectations = counted.Expectations(tree, counted.reasonable_habits(game))
                habits = counted.Habits(tree, expectations, self.fading)
                if known:
                    habits = counted.Habits.from_arrays(tree, known, expectations, self.fading)
                self._equilibrium, book.departure = self._shipped(game), None
                if self._equilibrium is not None:
                    book.departure = Departure(self._equilibrium)
                    if known:
                        book.departure.remember(known)
            book.name, book.habits = name, habits
            self._miximax = Miximax(tree, counted.shipped_changes())
        self._valued = None

    @property
    def habits(self) -> Habits:
        """The opponent's habits.

        Raises:
            OptionError: no match has begun.
        """
        if self._book.habits is None:
            raise OptionError("adaptive does not know yet whom it plays against")
        return self._book.habits

    # --- playing -------------------------------------------------------------------------------------------

    def chances(self, view: HandView) -> dict[Action, float]:
        """The probability of each action, which grows with its value and its share of the equilibrium."""
        departure = self._book.departure
        if departure is None or self._equilibrium is None:
            return _chances(self.values(view), None, self.temperature)
        usual = self._equilibrium.chances(view)
        trust = departure.trust
        if trust < _LEAST_TRUST:
            return {action: chance for action, chance in usual.items() if chance > 0}
        heat = self.temperature + self.caution / math.sqrt(1.0 + max(departure.evidence, 0.0))
        answer = _chances(self.values(view), usual, heat)
        rest = 1 - trust
        mixed = {each: rest * usual.get(each, 0.0) + trust * answer.get(each, 0.0) for each in usual | answer}
        return {action: chance for action, chance in mixed.items() if chance > 0}

    def values(self, view: HandView) -> Mapping[Action, float]:
        """The value of each action, in small bets won or lost in the whole hand; no-limit: in big blinds."""
        if self._valued is None or self._valued[0] is not view:
            if self._miximax is None:
                raise OptionError("adaptive does not know yet what is being played")
            self._valued = view, self._miximax.values(self.habits, view, _seed_of(view))
        return self._valued[1]

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The values against the opponent as it has become known, and how far they are trusted."""
        unit = "small bets" if view.game.is_limit else "big blinds"
        values = [f"{described(action)} {value:+z.3f}" for action, value in self.values(view).items()]
        departure = self._book.departure
        trust = {} if departure is None else {"trust": f"{departure.trust:.3f}, the rest is the equilibrium"}
        return {"values": f"{', '.join(values)} {unit} in the whole hand", **trust}

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Count the hand, whose end may be reported twice; write the memory file now and then."""
        if not (self.learn and self.is_news(view)):
            return
        position = 1 - view.position
        departure, miximax = self._book.departure, self._miximax
        if departure is not None and miximax is not None:
            cards = view.own_cards, view.hole_cards[position]
            departure.observe(self.habits, miximax, view.betting, position, cards, view.board)
        self.habits.observe(view.betting, position, view.hole_cards[position], view.board)
        self.save_memory(self.habits.hands)


class _Book:
    """What is known of all opponents.

    It holds no reference to the bot, since it is saved after the bot's end.
    """

    def __init__(self) -> None:
        self.players: dict[str, Remembered] = {}
        self.name = ""
        self.habits: Habits | None = None
        self.departure: Departure | None = None

    def put_away(self) -> None:
        """Store the current opponent's habits among the players'."""
        if self.habits is not None and self.habits.hands:
            known = self.habits.as_arrays()
            if self.departure is not None:
                known |= self.departure.as_arrays()
            kind = self.habits.tree.kind
            before = self.players.get(self.name, {})
            kept = {key: array for key, array in before.items() if _kind(key) != kind}
            self.players[self.name] = kept | {kind + key: array for key, array in known.items()}

    def remembered(self) -> Archive | None:
        """Every player's arrays, for the memory file; None if nobody has been met."""
        self.put_away()
        return archive_of(self.players) if self.players else None


def archive_of(players: Mapping[str, Remembered]) -> Archive:
    """Each player's arrays, by name; in the archive their names begin with the player's number and a dot."""
    numbered = enumerate(players.values())
    arrays = {f"{k}.{name}": array for k, known in numbered for name, array in known.items()}
    return Archive(KIND, SCHEMA_VERSION, {"names": list(players)}, arrays)


def load(path: Path) -> dict[str, Remembered]:
    """The contents of a memory file; empty if there is none yet.

    The counts themselves are checked where they are used.

    Raises:
        ArchiveError: the file exists and cannot be read.
    """
    archive = find_archive(path, KIND, SCHEMA_VERSION)
    if archive is None:
        return {}
    names = archive.meta.get("names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ArchiveError(f"{path} is damaged: expected the players' names")
    players: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in names}
    numbers = {str(number): name for number, name in enumerate(names)}
    for key, array in archive.arrays.items():
        number, _, name = key.partition(".")
        if number in numbers:
            players[numbers[number]][name] = array
    return dict(players)


def _tree(game: GameDefinition) -> ContextTree:
    """The betting tree of a game.

    Raises:
        OptionError: the game is not heads-up hold'em, or too large.
    """
    from engine.solving.miximax.trees import TooManyBettings, betting_tree, has_tree

    if not has_tree(game):
        raise OptionError("adaptive plays Texas hold'em for two only, no-limit without antes or rake")
    with told_as(OptionError, TooManyBettings, what="adaptive: "):
        return betting_tree(game)


def _kind(key: str) -> str:
    """The kind of games that an array of a memory file is about: its name up to the dot."""
    before, dot, _ = key.rpartition(".")
    return before + dot


def _of_kind(known: Remembered, kind: str) -> Remembered:
    """A player's arrays for a kind of games, their names without the kind."""
    return {key.removeprefix(kind): array for key, array in known.items() if _kind(key) == kind}


def _chances(
    values: Mapping[Action, float], usual: Mapping[Action, float] | None, heat: float
) -> dict[Action, float]:
    """The probability of each action, from its value and, if known, its probability in the equilibrium."""
    best = max(values.values())
    if heat == 0:
        return {next(action for action, value in values.items() if value == best): 1.0}
    weights = {action: math.exp((value - best) / heat) for action, value in values.items()}
    if usual is not None:
        least = _LEAST_CHANCE / len(values)
        for action in weights:
            weights[action] *= (1 - _LEAST_CHANCE) * usual.get(action, 0.0) + least
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items() if weight > 0}


def _seed_of(view: HandView) -> int:
    """The seed for drawing boards: the same hand on the same board is always valued alike."""
    seed = 0
    for card in (*sorted(view.own_cards), *view.board):
        seed = seed * 53 + card + 1
    return seed
