"""What an agent does in every situation of a small game: asked for its triple, one after another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from clients.agent import Agent, ProbabilityTriple, begin_decision
from clients.options import OptionError
from engine.rules import GameDefinition, HandView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.equilibrium.game_tree import GameTree
    from engine.equilibrium.strategy_file import SavedStrategy

__all__ = ["policy_of_agent", "policy_of_player", "strategy_or_bot"]


def policy_of_player(player: str, game: str | None) -> tuple[GameTree, NDArray[np.float64], str]:
    """What a bot or a strategy file does in a small game.

    Args:
        player: the path of a strategy file, or ``BOT[:KEY=VALUE,...]``.
        game: what is played, as users type it; None for a file, which knows it.

    Returns:
        The game's tree, the policy by slot, and what to call the game.

    Raises:
        OptionError: there is no such player or game, or the player says too little.
    """
    from engine.equilibrium.strategies import Strategy

    saved, definition, name = strategy_or_bot(player, game)
    if saved is None:
        return (*_policy_of_bot(player, definition), name)
    strategy = saved.strategy
    if not isinstance(strategy, Strategy):
        raise OptionError(f"{player} plays a game that is too large to be measured exactly")
    return strategy.tree, strategy.policy, name


def strategy_or_bot(player: str, game: str | None) -> tuple[SavedStrategy | None, GameDefinition, str]:
    """The strategy file that is meant, None for a bot; what is played, and what to call it.

    Args:
        player: the path of a strategy file, or ``BOT[:KEY=VALUE,...]``.
        game: what is played, as users type it; None for a file, which knows it.

    Raises:
        OptionError: there is no such file or game, or a bot's game is missing.
    """
    from clients.program import ProgramError, read_game
    from clients.registry import installed_bots
    from engine.equilibrium.strategy_file import StrategyFileError, read_strategy

    try:
        definition = None if game is None else read_game(game)
    except ProgramError as error:
        raise OptionError(str(error)) from error
    path = Path(player)
    is_bot = player.partition(":")[0] in installed_bots()
    if path.is_file() or (not is_bot and (path.suffix == ".npz" or "/" in player)):
        try:
            saved = read_strategy(path, definition)
        except StrategyFileError as error:
            raise OptionError(str(error)) from error
        return saved, saved.game, game or str(saved.notes.get("game") or "its own game")
    if game is None or definition is None:
        raise OptionError(f"--game GAME is missing: expected what {player} plays, such as leduc")
    return None, definition, game


def _policy_of_bot(player: str, definition: GameDefinition) -> tuple[GameTree, NDArray[np.float64]]:
    from clients.registry import make_bot
    from engine.equilibrium.game_tree import game_tree
    from engine.equilibrium.sizes import TooLarge

    try:
        agent = make_bot(player)
    except (ImportError, AttributeError) as error:
        raise OptionError(f"{player} cannot be loaded: {error}") from error
    try:
        tree = game_tree(definition)
    except TooLarge as error:
        raise OptionError(str(error)) from error
    return tree, policy_of_agent(player, agent, tree)


class _SaysTriple(Protocol):
    def probability_triple(self, view: HandView) -> ProbabilityTriple: ...


def policy_of_agent(name: str, agent: Agent, tree: GameTree) -> NDArray[np.float64]:
    """An agent's chances of all actions at all information sets, by slot.

    Before each question the agent sees the hand as far as it goes, its own actions included, as an agent does
    that joins in mid-hand.  What it learns from that stays with it: no bot is at a table here.

    Args:
        name: what to call the agent in messages.
        agent: one of its own, with no match behind it.
        tree: what is played.

    Raises:
        OptionError: it does not play the game, says no probabilities, or says too little.
    """
    from engine.equilibrium.strategies import policy_of_triples

    if not hasattr(agent, "probability_triple"):
        raise OptionError(
            f"{name} does not say how likely it folds, calls and raises (`probability_triple`): expected a "
            "bot that does, or a strategy file"
        )
    _sit_down(agent, tree.game)
    seat = -1
    hand_number = -1

    def triple(view: HandView) -> ProbabilityTriple:
        nonlocal seat, hand_number
        if view.position != seat:
            seat = view.position
            agent.seat = seat
            agent.match_started(tree.game, seat)
        hand_number += 1
        _show(agent, view, hand_number * tree.game.num_players)
        return cast("_SaysTriple", agent).probability_triple(view)

    try:
        return policy_of_triples(tree, triple)
    except OptionError:
        raise
    except ValueError as error:
        raise OptionError(f"{name}: {error}") from error


def _sit_down(agent: Agent, game: GameDefinition) -> None:
    agent.game, agent.seat, agent.names, agent.seeded = game, 0, None, True
    agent.prepare(game)


def _show(agent: Agent, view: HandView, hand_number: int) -> None:
    """Tell an agent all that has happened in a hand up to its turn."""
    ends = view.game.board_ends
    steps = view.betting.steps()
    states = [before for before, _, _ in steps] + [view.betting]

    def at(number: int) -> HandView:
        betting = states[number]
        board = view.board[: ends[betting.betting_round]]
        return HandView(betting, view.position, hand_number, view.hole_cards, board)

    agent.hand_started(at(0))
    for number, (_, position, action) in enumerate(steps, 1):
        agent.action_seen(at(number), position, action)
    begin_decision(agent, at(len(steps)))
