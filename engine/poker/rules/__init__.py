"""The rules of poker as the ACPC plays it: games, dealing, betting, showdowns.  Pure Python.

Read `hand_state` for the two ways to see a hand and how a hand is driven, `betting` for the
rules proper.
"""

from engine.poker.rules.action import CALL, FOLD, LIMIT_RAISE, Action, ActionKind, raise_to
from engine.poker.rules.betting import (
    BettingState,
    LegalActions,
    initial_betting,
    parse_betting,
    passing_betting,
)
from engine.poker.rules.dealing import CardDealer, Deal, KeyedDealer, StackedDealer, acpc_generator
from engine.poker.rules.errors import GameDefinitionError, IllegalActionError, InvalidActionError, RulesError
from engine.poker.rules.game_definition import GameDefinition, Rake
from engine.poker.rules.game_file import (
    ALIASES,
    format_game,
    game_names,
    game_path,
    load_game,
    no_such_game,
    packaged_games,
    parse_game,
)
from engine.poker.rules.hand_rank import hand_rank
from engine.poker.rules.hand_state import HandState, HandView, initial_hand, play_hand
from engine.poker.rules.showdown import called_chips, chips_won, rake_taken

__all__ = [
    "ALIASES", "CALL", "FOLD", "LIMIT_RAISE", "Action", "ActionKind", "BettingState", "CardDealer",
    "Deal", "GameDefinition", "GameDefinitionError", "HandState", "HandView", "IllegalActionError",
    "InvalidActionError", "KeyedDealer", "LegalActions", "Rake", "RulesError", "StackedDealer",
    "acpc_generator", "called_chips", "chips_won", "format_game", "game_names", "game_path", "hand_rank",
    "initial_betting", "initial_hand", "load_game", "no_such_game", "packaged_games", "parse_betting",
    "parse_game", "passing_betting", "play_hand", "raise_to", "rake_taken",
]  # fmt: skip
