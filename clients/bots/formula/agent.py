"""The formula bot: a triple from the formula, a die, and a bet size (Poki 3.2-3.4).

It keeps a weight table for each player of a hand and a model of each player of the match
(``clients.bots.opponent_book``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import attrs

from clients.bots.formula.bet_size import best_totals, bet_size, size_chances, totals_compared
from clients.bots.memory_file import Remembering
from clients.bots.opponent_book import DEFAULT_NOISE, DEFAULT_POTENTIAL, OpponentBook, checked_model
from clients.core.agent import ProbabilityTriple
from clients.core.options import require_between, require_holdem, require_one_of
from engine import compiling
from engine.players.action_context import positions_in
from engine.players.models.formula import Parameters, continue_chance, formula_triples, protection, thresholds
from engine.players.models.model import Decision
from engine.players.probability_triple import legal_triple, sample
from engine.players.table_reader import PotentialName
from engine.poker.combos import combo_index
from engine.poker.rules import CALL, FOLD, Action, ActionKind, GameDefinition, HandView
from engine.support.arrays import Floats, Ints


class Formula(Remembering):
    """Plays Texas hold'em by formula, limit and no-limit, two to ten players.

    Args:
        tightness: 0 loose to 1 tight.
        aggression: 0 passive to 1 aggressive.
        deception: 0 straightforward to 1 deceptive.
        model: how opponents are modelled: none, generic or player.
        noise: noise factor of the re-weighting, 0 to 1.
        memory: file that keeps the models between matches, by the players' names.
        potential: of hands, against a random hand (plain) or the opponents' weight tables (weighted).
        blueprint: heads-up limit: play the strategy that comes with the program until the opponent is seen
            to depart from it.

    Raises:
        ValueError: an option outside its range, or a memory file that cannot be read, written or locked.
    """

    def __init__(
        self,
        tightness: float = 0.5,
        aggression: float = 0.5,
        deception: float = 0.5,
        model: str = "player",
        noise: float = DEFAULT_NOISE,
        memory: Path | None = None,
        potential: PotentialName = DEFAULT_POTENTIAL,
        blueprint: bool = True,
    ) -> None:
        shares = {"tightness": tightness, "aggression": aggression, "deception": deception, "noise": noise}
        for name, share in shares.items():
            require_between(name, share, 0, 1)
        require_one_of("potential", potential, get_args(PotentialName))
        self.model, self.potential = checked_model(model), potential
        self.parameters = Parameters(tightness=tightness, aggression=aggression, deception=deception)
        self.book = OpponentBook(self.model, noise, potential, blueprint)
        self.is_stateless = not self.book.learns
        self.remember(memory, self.book)

    def prepare(self, game: GameDefinition | None) -> None:
        """Compile or load the kernels that reading and deciding take."""
        compiling.models(self.potential)
        compiling.formula()
        self.book.prepare(game)

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
        chances, values = decision.values.showdown[combo : combo + 1], decision.values.value
        totals = self._best_totals(view, decision, chances, folding)
        if totals is not None:
            return view.legal_actions().raising_to(int(totals[0]))
        return bet_size(view.betting, decision.situation, float(values[combo]), folding, self.rng)

    def _best_totals(self, view: HandView, decision: Decision, chances: Floats, fold: float) -> Ints | None:
        """The totals to raise to with hands, where a model says how often the only opponent folds to each."""
        situation, reading = decision.situation, self.book.follow(view).reading
        others = positions_in(situation.opponents)
        if view.game.is_limit or not situation.can_raise or len(others) > 1:
            return None
        totals, spent = totals_compared(view.betting, situation), view.betting.max_spent
        answers = {total: reading.answer(view.betting, others[0], float(total - spent)) for total in totals}
        folds = {total: answer.fold for total, answer in answers.items() if answer is not None}
        return best_totals(view.betting, chances, folds, fold) if folds else None

    def _decision(self, view: HandView) -> tuple[Decision, float]:
        """The basis of a decision, and the chance that the likeliest opponent to fold does so."""
        reader = self.book.follow(view)
        decision, traits = reader.decision(view.betting), reader.reading.traits_here(view.betting)
        situation = decision.situation
        values = decision.values.protected(protection(situation, traits))
        folding = max(1 - continue_chance(situation, traits, p) for p in positions_in(situation.opponents))
        return attrs.evolve(decision, values=values), folding

    def probability_triple(self, view: HandView) -> ProbabilityTriple:
        """The chances of folding, calling and raising in this state: our row of `triples`."""
        row = self.triples(view)[combo_index(*view.own_cards)]
        fold, call, raise_ = (float(chance) for chance in row)
        legal = view.legal_actions()
        total = fold + call + raise_
        return legal_triple((fold / total, call / total, raise_ / total), legal.can_fold, legal.can_raise)

    def triples(self, view: HandView) -> Floats:
        """Our triple for each combo in this state, shape (1326, 3); our own cards do not enter."""
        decision, _ = self._decision(view)
        traits = self.book.follow(view).reading.traits_here(view.betting)
        own = formula_triples(decision.situation, decision.values, decision.weights, traits, self.parameters)
        return self.book.begun(view, own)

    def size_chances(self, view: HandView, total: int) -> Sequence[float] | None:
        """1 for the hands that are raised with to a total; None where the size is drawn whatever we hold."""
        decision, folding = self._decision(view)
        totals = self._best_totals(view, decision, decision.values.showdown, folding)
        if totals is not None:
            return [float(each == total) for each in totals.tolist()]
        values = decision.values.value.tolist()
        return size_chances(view.betting, decision.situation, values, folding, total)

    def reasons(self, view: HandView) -> Mapping[str, str]:
        """The qualities of the hand against the thresholds that they are measured on."""
        decision, folding = self._decision(view)
        traits = self.book.follow(view).reading.traits_here(view.betting)
        limits = thresholds(decision.situation, traits, self.parameters)
        combo, values = combo_index(*view.own_cards), decision.values
        unit = "of 1" if view.board else "the share of all hands that earn less"
        calls = f"calls from {limits.call:+.3f} ± {limits.call_spread:.3f}"
        raises = f"raises from {limits.raise_:+.3f} ± {limits.raise_spread:.3f}"
        found = {"value": f"{values.value[combo]:+.3f} ({unit}); {calls}, {raises}"}
        if limits.price <= 1:  # otherwise it is not asked for: before the flop, with several opponents
            price = f"the price of a call is {limits.price:.3f}"
            found["chance to win"] = f"{values.showdown[combo]:.3f}; {price}"
        if view.board:
            draw = values.draw[combo]
            found["draw"] = f"{draw:.3f}; bet or raised from {limits.semi_bluff:.3f}"
        explained = self.book.follow(view).reading.explained(view.betting).values()
        why = "".join(f": {each}" for each in sorted(explained, key=lambda each: each.chance)[-1:])
        said = f"the likeliest to fold does so with chance {folding:.3f}{why}"
        return found | self.book.strategy_said(view) | {"opponents": said}

    def own_model(self, view: HandView) -> dict[str, Any]:
        """The parts, which add up to z, of each opponent's folding to a raise, by position."""
        explained = self.book.follow(view).reading.explained(view.betting)
        return {str(position): each.as_dict() for position, each in explained.items()}

    # --- learning ------------------------------------------------------------------------------------------

    def hand_finished(self, view: HandView) -> None:
        """Learn, and write the memory file now and then."""
        if self.is_news(view):
            self.book.hand_finished(view)
            self.save_memory(self.book.hands)
