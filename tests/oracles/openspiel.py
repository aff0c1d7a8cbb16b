"""Games in OpenSpiel's `universal_poker`, whose rules are the ACPC's own C code."""

from __future__ import annotations

import pyspiel

from engine.poker.rules import GameDefinition


def openspiel_game(game: GameDefinition) -> pyspiel.Game:
    """The same game as OpenSpiel's `universal_poker`."""

    def numbers(values: tuple[int, ...]) -> str:
        return " ".join(map(str, values))

    parameters: dict[str, str | int] = {
        "numPlayers": game.num_players,
        "numRounds": game.num_rounds,
        "blind": numbers(game.blinds),
        "firstPlayer": numbers(tuple(first + 1 for first in game.first_positions)),
        "maxRaises": numbers(game.max_raises),
        "numSuits": game.num_suits,
        "numRanks": game.num_ranks,
        "numHoleCards": game.num_hole_cards,
        "numBoardCards": numbers(game.num_board_cards),
    }
    if game.is_limit:
        # OpenSpiel pastes these texts into an ACPC game file, but in limit games leaves the parameter
        # `stack` out; the file is to have one (five players and more need it).
        raise_sizes = f"{numbers(game.raise_sizes)}\nstack = {numbers(game.stacks)}"
        parameters |= {"betting": "limit", "raiseSize": raise_sizes}
    else:
        parameters |= {"betting": "nolimit", "bettingAbstraction": "fullgame", "stack": numbers(game.stacks)}
    return pyspiel.load_game("universal_poker", parameters)
