"""The formula bot: a triple from the formula, a die, and a bet size (Poki 3.2-3.4).

It keeps a weight table for each player of a hand and a model of each player of the match
(``clients.bots.opponent_book``).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import numpy as np

from clients.bots.formula.bet_size import best_totals, bet_size, size_chances, sizes_are_known
from clients.bots.memory_file import Remembering
from clients.bots.opponent_book import (
    DEFAULT_NOISE,
    DEFAULT_POTENTIAL,
    LEARNING,
    MODELS,
    ModelName,
    OpponentBook,
)
from clients.core.agent import ProbabilityTriple
from clients.core.options import require_between, require_holdem, require_one_of
from engine import compiling
from engine.players.bet_sizes import FoldsBySize, answers_to_raises
from engine.players.models.formula import Parameters, continue_chance, formula_triples, thresholds
from engine.players.models.model import Decision
from engine.players.models.player import PlayerModel
from engine.players.models.specific import SpecificModel
from engine.players.predictors.model import PREDICTORS, PredictedModel
from engine.players.probability_triple import legal_triple, sample
from engine.players.statistics import PlayerStatistics
from engine.players.table_reader import PotentialName
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView
from engine.support.files.archive import Archive, ArchiveError, find_archive

KIND: Final = "riverboat opponent models"
SCHEMA_VERSION: Final = 2
_SAVE_EVERY = 100
"""Hands between two writings of the memory file."""


class Formula(Remembering):
    """Plays Texas hold'em by formula, limit and no-limit, two to ten players.

    Args:
        tightness: 0 loose to 1 tight.
        aggression: 0 passive to 1 aggressive.
        deception: 0 straightforward to 1 deceptive.
        model: how opponents are modelled: none, generic, specific, tree, network or player.
        noise: noise factor of the re-weighting, 0 to 1.
        memory: file that keeps the models between matches, by the players' names.
        potential: of hands, against a random hand (plain) or the opponents' weight tables (weighted).

    Raises:
        ValueError: an option outside its range, or a memory file that cannot be read, written or locked.
    """

    def __init__(
        self,
        tightness: float = 0.5,
        aggression: float = 0.5,
        deception: float = 0.5,
        model: ModelName = "specific",
        noise: float = DEFAULT_NOISE,
        memory: Path | None = None,
        potential: PotentialName = DEFAULT_POTENTIAL,
    ) -> None:
        shares = {"tightness": tightness, "aggression": aggression, "deception": deception, "noise": noise}
        for name, share in shares.items():
            require_between(name, share, 0, 1)
        require_one_of("model", model, MODELS)
        require_one_of("potential", potential, get_args(PotentialName))
        self.model, self.potential = model, potential
        self.parameters = Parameters(tightness=tightness, aggression=aggression, deception=deception)
        self.is_stateless = model not in LEARNING
        self.book = OpponentBook(model, noise, potential)
        if memory is not None:
            contents = functools.partial(_known, self.book)
            self.open_memory(memory, contents, self._recall, learns=model in LEARNING)
        self.folds_by_size: dict[int, FoldsBySize] = {}
        """By seat, in no-limit games, of opponents who are modelled."""

    def _recall(self, path: Path) -> None:
        self.book.remembered.update(load(path, self.model))

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernels that reading and deciding take."""
        compiling.models(self.potential)

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Models for the players who are new.

        Raises:
            ValueError: the game is not Texas hold'em.
        """
        require_holdem("formula", game)
        self.book.match_started(game, seat, self.names)

    # --- playing -------------------------------------------------------------------------------------------

    def choose_action(self, view: HandView) -> Action:
        """An action drawn from the triple of our hand."""
        triple = self.probability_triple(view)
        kind = sample(triple, self.rng)
        if kind is ActionKind.FOLD:
            return FOLD
        if kind is ActionKind.CALL:
            return CALL
        decision, folding = self._decision(view)
        combo = combo_index(*view.own_cards)
        answers = self._answers(view, decision)
        if answers is not None:
            chances = decision.values.showdown[combo : combo + 1]
            total = best_totals(view.betting, decision.situation, chances, folding, answers)[0]
            return view.legal_actions().raising_to(int(total))
        value = float(decision.values.value[combo])
        return bet_size(view.betting, decision.situation, value, folding, self.rng)

    def _answers(self, view: HandView, decision: Decision) -> FoldsBySize | None:
        """The answers to raises by which the size of ours is chosen, if they are known."""
        if view.game.is_limit or not view.legal_actions().can_raise:
            return None
        answers = self.folds_by_size.get(self.seat_of(view, decision.situation.opponents[0]))
        return answers if answers is not None and sizes_are_known(decision.situation, answers) else None

    def _decision(self, view: HandView) -> tuple[Decision, float]:
        """The values that we decide on, and the chance that the likeliest opponent to fold does so."""
        reader = self.book.follow(view)
        decision = reader.decision(view.betting)
        situation, traits = decision.situation, reader.reading.traits_here(view.betting)
        return decision, max(1 - continue_chance(situation, traits, p) for p in situation.opponents)

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The chances of folding, calling and raising in this state: our row of `triples`."""
        row = self.triples(view)[combo_index(*view.own_cards)]
        fold, call, raise_ = (float(chance) for chance in row)
        legal = view.legal_actions()
        total = fold + call + raise_
        return legal_triple((fold / total, call / total, raise_ / total), legal.can_fold, legal.can_raise)

    def triples(self, view: HandView) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Our triple for each combo in this state, shape (1326, 3); our own cards do not enter."""
        reader = self.book.follow(view)
        decision = reader.decision(view.betting)
        traits = reader.reading.traits_here(view.betting)
        return formula_triples(decision.situation, decision.values, decision.weights, traits, self.parameters)

    def size_chances(self, view: HandView, total: int) -> Sequence[float] | None:
        """1 for the hands that are raised with to a total; None where the size is drawn whatever we hold."""
        decision, folding = self._decision(view)
        answers = self._answers(view, decision)
        if answers is not None:
            showdowns = decision.values.showdown
            totals = best_totals(view.betting, decision.situation, showdowns, folding, answers)
            return [float(each == total) for each in totals.tolist()]
        values = decision.values.value.tolist()
        return size_chances(view.betting, decision.situation, values, folding, total)

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The qualities of the hand against the thresholds that they are measured on."""
        decision, folding = self._decision(view)
        traits = self.book.follow(view).reading.traits_here(view.betting)
        limits = thresholds(decision.situation, traits, self.parameters)
        combo, values = combo_index(*view.own_cards), decision.values
        unit = "of 1" if view.board else "income rate"
        found = {
            "value": f"{values.value[combo]:+.3f} ({unit}); calls from {limits.call:+.3f} ± "
            f"{limits.call_spread:.3f}, raises from {limits.raise_:+.3f} ± {limits.raise_spread:.3f}",
            "chance to win": f"{values.showdown[combo]:.3f}; the price of a call is {limits.price:.3f}",
        }
        if view.board:
            draw = values.draw[combo]
            found["draw"] = f"{draw:.3f}; bet or raised from {limits.semi_bluff:.3f}"
        return found | {"opponents": f"the likeliest to fold does so with chance {folding:.3f}"}

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Learn, and write the memory file now and then."""
        is_new = self.book.hand_finished(view)
        if is_new and not view.game.is_limit and self.model in LEARNING:
            for before, total, position, folded in answers_to_raises(view.betting):
                sizes = self.folds_by_size.setdefault(self.seat_of(view, position), FoldsBySize())
                sizes.observe(before, total, folded)
        if is_new and self.book.hands_read % _SAVE_EVERY == 0:
            self.save_memory()


# --- the memory: an archive without arrays ------------------------------------------------------------------

Remembered = tuple[SpecificModel | PlayerModel, PlayerStatistics]
"""What is remembered of a player."""


def archive_of(players: Mapping[str, Remembered]) -> Archive:
    """Remembered players, by name."""
    entries = {
        name: {"model": model.as_dict(), "statistics": statistics.as_dict()}
        for name, (model, statistics) in players.items()
    }
    return Archive(KIND, SCHEMA_VERSION, {"players": entries})


def players_of(archive: Archive) -> dict[str, Remembered]:
    """The models and statistics of an archive made by `archive_of`.

    Raises:
        ArchiveError: numbers that make no sense.
    """
    with archive.checked():
        return {
            name: (_model_of(entry["model"]), PlayerStatistics.from_dict(entry["statistics"]))
            for name, entry in archive.meta["players"].items()
        }


def _model_of(data: Mapping[str, Any]) -> SpecificModel | PlayerModel:
    if "decisions" in data:
        return PlayerModel.from_dict(data)
    return (PredictedModel if PREDICTORS.keys() & data.keys() else SpecificModel).from_dict(data)


def load(path: Path, model: ModelName) -> dict[str, Remembered]:
    """The contents of a file; nothing if there is none yet, or if the model is one that remembers nothing.

    Raises:
        ArchiveError: it is there and cannot be read, or holds models of another kind.
    """
    archive = find_archive(path, KIND, SCHEMA_VERSION)
    players = {} if archive is None else players_of(archive)
    if model not in LEARNING:
        return {}
    for name, (known, _) in players.items():
        kind = known.name if isinstance(known, PredictedModel) else "specific"
        kind = "player" if isinstance(known, PlayerModel) else kind
        if kind != model:
            raise ArchiveError(
                f"{path}: {name!r} is remembered by model={kind}, not {model}: take that, or another file"
            )
    return players


def _known(book: OpponentBook) -> Archive | None:
    """The knowledge of all opponents, for the memory file; None before the first match."""
    known = {
        name: (model, counts)
        for name, (model, counts) in book.known_by_name().items()
        if isinstance(model, SpecificModel | PlayerModel)
    }
    return archive_of(known) if book.models else None
