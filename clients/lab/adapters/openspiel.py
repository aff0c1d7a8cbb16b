"""OpenSpiel's policies as players: the bot `openspiel`; and games and hands of ours as those of its own.

The rules of its `universal_poker` are the ACPC's own C code.  Its actions are fold 0, call 1, a limit raise
2, a no-limit raise its total; its cards are indices into the game's own deck.  The other way, bots of ours as
a policy, is `clients.lab.adapters.openspiel_policy`.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from clients.bots.decide import Decide
from clients.core.agent import ProbabilityTriple, drawn
from clients.core.options import OptionError
from engine.players.probability_triple import triple_of
from engine.poker import rules
from engine.support.user_input import fault_text
from protocol.agents.answers import BadFormat, as_answer

NEEDED: Final = "needs OpenSpiel: pip install open-spiel"
_FOLD, _CALL, _RAISE = 0, 1, 2


class OpenSpiel(Decide):
    """Plays by a policy of OpenSpiel's.

    Args:
        policy: a Python file.
        function: in it, is called with the game, a `universal_poker`, and returns the policy.

    Raises:
        ValueError: OpenSpiel is missing, the file cannot be run, or has no such function.
    """

    wants_clock = False
    is_stateless = True

    def __init__(self, policy: Path, function: str = "policy") -> None:
        if find_spec("pyspiel") is None:
            raise ValueError(NEEDED)
        super().__init__(policy, function)
        self._made, self._decide = self._decide, self._answer

    def match_started(self, game: rules.GameDefinition, seat: int) -> None:
        """Make the policy of the game.

        Raises:
            OptionError: not a game of the ACPC's, or the function fails.
        """
        self._game = openspiel_game(game)
        try:
            self._policy = self._made(self._game)
        except Exception as error:
            raise OptionError(f"{self._file} makes no policy: {fault_text(error)}") from error

    def probability_triple(self, view: rules.HandView) -> ProbabilityTriple:
        """The policy's chances of folding, calling and raising."""
        return triple_of(self._chances(view).items())

    def _shown(self, view: rules.HandView) -> rules.HandView:
        return view

    def _answer(self, view: rules.HandView) -> dict[str, Any]:
        return as_answer(drawn(self._chances(view), self.rng))

    def _chances(self, view: rules.HandView) -> dict[rules.Action, float]:
        state = openspiel_state(self._game, view)
        said: Mapping[int, float] = self._policy.action_probabilities(state)
        legal, is_limit = view.legal_actions(), view.game.is_limit
        chances = {action_of(int(number), is_limit): chance for number, chance in said.items() if chance > 0}
        if not chances or any(action not in legal for action in chances):
            raise BadFormat(f"expected chances of {legal}, got {', '.join(map(str, chances)) or 'none'}")
        return chances


def openspiel_game(game: rules.GameDefinition) -> Any:
    """The same game as OpenSpiel's `universal_poker`.

    Raises:
        OptionError: it has what the ACPC's games have not.
    """
    import pyspiel

    def numbers(values: tuple[int, ...]) -> str:
        return " ".join(map(str, values))

    if not game.is_acpc:
        raise OptionError("OpenSpiel plays the games of the ACPC: without antes and rake")
    parameters: dict[str, str | int] = {
        "numPlayers": game.num_players, "numRounds": game.num_rounds, "blind": numbers(game.blinds),
        "firstPlayer": numbers(tuple(first + 1 for first in game.first_positions)),
        "maxRaises": numbers(game.max_raises), "numSuits": game.num_suits, "numRanks": game.num_ranks,
        "numHoleCards": game.num_hole_cards, "numBoardCards": numbers(game.num_board_cards),
    }  # fmt: skip
    if game.is_limit:
        # OpenSpiel pastes these texts into an ACPC game file, but in limit games leaves the parameter
        # `stack` out; the file is to have one (five players and more need it).
        raise_sizes = f"{numbers(game.raise_sizes)}\nstack = {numbers(game.stacks)}"
        parameters |= {"betting": "limit", "raiseSize": raise_sizes}
    else:
        parameters |= {"betting": "nolimit", "bettingAbstraction": "fullgame", "stack": numbers(game.stacks)}
    return pyspiel.load_game("universal_poker", parameters)


def openspiel_state(theirs: Any, view: rules.HandView) -> Any:
    """The state that looks to a player like a hand of ours; the cards that nobody sees are any others."""
    game = view.game
    deck = sorted(game.deck)
    hidden = (card for card in deck if card not in view.own_cards and card not in view.board)
    holes = [cards or tuple(next(hidden) for _ in range(game.num_hole_cards)) for cards in view.hole_cards]
    cards = iter([*sum(holes, ()), *view.board])
    state = theirs.new_initial_state()
    for _, _, action in [*view.betting.steps(), (None, None, None)]:
        while state.is_chance_node():
            state.apply_action(deck.index(next(cards)))
        if action is not None:
            state.apply_action(number_of(action))
    return state


def hand_of(game: rules.GameDefinition, state: Any) -> rules.HandState:
    """The hand of ours that a state of `universal_poker` shows, all cards included."""
    deck, cards = sorted(game.deck), []
    betting = rules.initial_betting(game)
    for each in state.full_history():
        if each.player < 0:
            cards.append(deck[each.action])
        else:
            betting = betting.apply(action_of(each.action, game.is_limit))
    size = game.num_hole_cards
    end = size * game.num_players
    holes = tuple([tuple(cards[first : first + size]) for first in range(0, end, size)])
    return rules.HandState(betting, 0, rules.Deal(holes, tuple(cards[end:])))


def action_of(number: int, is_limit: bool) -> rules.Action:
    """The action of ours that has a number of OpenSpiel's."""
    if number in (_FOLD, _CALL):
        return rules.FOLD if number == _FOLD else rules.CALL
    return rules.LIMIT_RAISE if is_limit else rules.raise_to(number)


def number_of(action: rules.Action) -> int:
    """OpenSpiel's number of an action of ours."""
    if action.kind is rules.ActionKind.RAISE:
        return _RAISE if action.raise_to is None else action.raise_to
    return _FOLD if action == rules.FOLD else _CALL
