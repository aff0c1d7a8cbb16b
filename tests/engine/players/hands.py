"""Hands for tests of models: cards as they are written, random hands, and readers of tables."""

import random
from collections.abc import Sequence

from engine.players.models.generic import GenericModel
from engine.players.models.model import OpponentModel
from engine.players.table_reader import TableReader
from engine.poker.cards import parse_written_cards
from engine.poker.rules import HandState, load_game, parse_betting
from tests.support.hands.strategies import play


def cards(text: str) -> tuple[int, ...]:
    """Cards as they are written; none of an empty text."""
    return tuple(parse_written_cards(text)) if text else ()


def reader_after(
    betting: str,
    board: str = "",
    game: str = "limit-2p",
    models: Sequence[OpponentModel] | None = None,
    noise: float = 0.0,
) -> TableReader:
    """A reader that has followed a hand; all players are the generic one unless models are given."""
    rules = load_game(game)
    reader = TableReader(models or [GenericModel() for _ in range(rules.num_players)], noise)
    reader.follow(parse_betting(rules, betting), cards(board))
    return reader


def random_hand(game_name: str, seed: int) -> list[HandState]:
    """All states of a hand whose players act at random, the deal first."""
    rng = random.Random(seed)
    return play(load_game(game_name), seed, [rng.randrange(2**16) for _ in range(300)])
