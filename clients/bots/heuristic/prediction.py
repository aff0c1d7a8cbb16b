"""Predicts how likely opponents are to fold to a bet: by counts, by a model of each, or by models that vote.

*counts* is the report's own method, "some basic information about the action made by the opponents" (3.2):
the share of bets after the flop that a player folded to, shrunk towards an ordinary player's, and halved if
the player has raised in this round.  *vote* is its section 3.1: the generic model, the player model, and
what the player did after the same betting chain, each weighted by how well it has predicted this player.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from clients.bots.heuristic.store import Experience
from clients.bots.opponent_book import DEFAULT_NOISE, OpponentBook
from engine.players.betting_chains.store import ActionFrequencies
from engine.players.learning import predicted_triple
from engine.players.models.generic import GenericModel
from engine.players.models.model import Decision, OpponentModel
from engine.players.models.vote import Vote
from engine.players.probability_triple import TRIPLE_INDEX
from engine.poker.records import ProbabilityTriple
from engine.poker.rules import FOLD, ActionKind, GameDefinition, HandView
from engine.poker.rules.betting import BettingState


class FoldPredictor:
    """Predicts how likely opponents are to fold, and learns from finished hands."""

    books: tuple[OpponentBook, ...] = ()
    """Models of players, if there are."""

    def match_started(self, game: GameDefinition, seat: int, names: tuple[str, ...] | None) -> None:
        """Meet the players."""

    def fold_chances(self, view: HandView, after: BettingState) -> dict[int, float]:
        """By position, the probability that each opponent folds to our raise if those before do.

        Args:
            view: our view before the raise.
            after: the state after it.
        """
        chances = {}
        state = after
        while state.betting_round == after.betting_round:
            position = state.position_to_act
            if position is None or position == view.position:
                break
            chances[position] = self._chance(view, state, position)
            state = state.apply(FOLD)
        return chances

    def _chance(self, view: HandView, state: BettingState, position: int) -> float:
        """The probability that the player in a position, who is to act in a state, folds."""
        raise NotImplementedError

    def hand_finished(self, view: HandView) -> None:
        """Learn from a hand; each hand is reported once."""


class CountedFolds(FoldPredictor):
    """Predicts folds by what each player has done when facing bets after the flop.

    Args:
        experience: that counts the hands.
    """

    def __init__(self, experience: Experience) -> None:
        self._experience = experience

    def _chance(self, view: HandView, state: BettingState, position: int) -> float:
        """The share of bets folded to; half of it for a player who has raised in this round."""
        rate = self._experience.of(view, position).fold_rate
        own = [(before, action) for before, actor, action in view.betting.steps() if actor == position]
        here = [action.kind for before, action in own if before.betting_round == view.betting_round]
        has_raised = ActionKind.RAISE in here
        return rate / 2 if has_raised else rate


class ModelledFolds(FoldPredictor):
    """Predicts folds by a model of each player.

    Args:
        book: the models, all of one kind.
    """

    def __init__(self, book: OpponentBook) -> None:
        self.book, self.books = book, (book,)

    def match_started(self, game: GameDefinition, seat: int, names: tuple[str, ...] | None) -> None:
        """Make models for new players."""
        self.book.match_started(game, seat, names)

    def _chance(self, view: HandView, state: BettingState, position: int) -> float:
        reader = self.book.follow(attrs.evolve(view, betting=state))
        return self._triple(view, state, reader.decision(state), reader.reading.models[position]).fold

    def _triple(
        self, view: HandView, state: BettingState, decision: Decision, model: OpponentModel
    ) -> ProbabilityTriple:
        return predicted_triple(model, decision)

    def hand_finished(self, view: HandView) -> None:
        """Let the models learn."""
        self.book.hand_finished(view)


class VotedFolds(ModelledFolds):
    """Predicts folds by the vote of three models: generic, player, and by betting chains."""

    def __init__(self) -> None:
        super().__init__(OpponentBook("player", DEFAULT_NOISE))
        self.votes: dict[int, Vote] = {}
        """The vote on each seat's player."""
        self._chains: dict[int, ActionFrequencies] = {}
        self._generic = GenericModel()

    def _of(self, view: HandView, position: int) -> tuple[Vote, ActionFrequencies]:
        seat = self.book.seat_of(view, position)
        return self.votes.setdefault(seat, Vote(3)), self._chains.setdefault(seat, ActionFrequencies())

    def predictions(
        self, view: HandView, state: BettingState, decision: Decision, model: OpponentModel
    ) -> Sequence[ProbabilityTriple]:
        """Each model's prediction of what the player to act will do."""
        _, chains = self._of(view, decision.situation.position)
        modelled = predicted_triple(self._generic, decision), predicted_triple(model, decision)
        return (*modelled, chains.predicted(state))

    def _triple(
        self, view: HandView, state: BettingState, decision: Decision, model: OpponentModel
    ) -> ProbabilityTriple:
        vote, _ = self._of(view, decision.situation.position)
        return vote.mixed(self.predictions(view, state, decision, model))

    def hand_finished(self, view: HandView) -> None:
        """Score the votes by what was predicted before the hand, then let the models learn."""
        reader = self.book.follow(view)
        steps = view.betting.steps()
        for (before, position, action), (decision, _) in zip(steps, reader.reading.decisions(), strict=True):
            situation = decision.situation
            if position == view.position or not (situation.can_fold or situation.can_raise):
                continue
            vote, _ = self._of(view, position)
            model = reader.reading.models[position]
            vote.observe(self.predictions(view, before, decision, model), TRIPLE_INDEX[action.kind])
        for before, position, action in steps:
            if position != view.position:
                _, chains = self._of(view, position)
                chains.observe(before, TRIPLE_INDEX[action.kind])
        super().hand_finished(view)
