"""What a seat sees, ready for JSON: every string in it is ours, none was chosen by another player.

Seats are numbers, and a seat's ``name`` is that of its position.  ``to`` is the total of the hand, as in all
of Riverboat; ``call`` is what calling puts in, 0 for a check.  Cards of others are there after a showdown
only.  Numbers are whole, except what a finished hand has ``won``: a split pot can leave fractions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from engine.poker.cards import CARD_TEXTS
from engine.poker.rules import ActionKind, BettingState, GameDefinition, HandView
from engine.poker.rules.game_definition import UNLIMITED_STACK
from engine.poker.rules.hand_words import deeds
from protocol.errors import BadMatchState
from protocol.extension import format_game_line, parse_game_line
from protocol.match_state import format_match_state, parse_match_state

Observation = dict[str, Any]
"""JSON; see `SCHEMA`."""

VERSION: Final = 1
_STREETS: Final = ("preflop", "flop", "turn", "river")


def observe(view: HandView, seat: int, turn: str = "", seconds: float | None = None) -> Observation:
    """What a player sees of a hand.

    Args:
        view: of the player.
        seat: the player's place at the table for the whole match.
        turn: the id of the decision, if there is one to make.
        seconds: how long it may take; None for as long as one likes.
    """
    game, betting = view.game, view.betting
    status = "hand_over" if view.is_finished else "your_turn" if view.is_our_turn else "waiting"
    seen: Observation = {"v": VERSION, "turn": turn, "status": status, "hand": view.hand_number}
    seen["street"] = street(game, view.betting_round)
    kind, definition = "limit" if game.is_limit else "no-limit", format_game_line(game)
    posts = {"blinds": list(game.blinds), "antes": list(game.antes)}
    seen["game"] = {"betting": kind, "players": game.num_players, **posts, "definition": definition}
    seen["you"] = {"seat": seat, "position": view.position, "cards": texts(view.own_cards)}
    seen["board"], seen["pot"] = texts(view.board), view.pot
    places = [_place(view, seat, each, name) for each, name in enumerate(game.position_names)]
    seen["seats"] = sorted(places, key=itemgetter("seat"))
    seen["actions"] = actions(view, seat)
    if view.is_our_turn:
        seen["legal"] = legal(betting)
    if view.is_finished:
        seen["won"] = {str(view.seat_of(each, seat)): chips for each, chips in enumerate(view.chips_won())}
    seen["seconds"] = seconds
    seen["match_state"] = format_match_state(view)
    return seen


def view_of(seen: Mapping[str, Any]) -> HandView:
    """The view that an observation shows: the inverse of `observe`.

    Raises:
        BadMatchState, GameDefinitionError: it shows none.
    """
    try:
        definition, state = seen["game"]["definition"], seen["match_state"]
    except (KeyError, TypeError):
        raise BadMatchState("expected an observation with game.definition and match_state") from None
    return parse_match_state(state, parse_game_line(definition, "the observation's game"))


def street(game: GameDefinition, betting_round: int) -> str:
    """``flop``; in games without one ``round 2``."""
    return _STREETS[betting_round] if game.is_holdem else f"round {betting_round + 1}"


def texts(cards: Sequence[int]) -> list[str]:
    """Cards as ``["As", "Kd"]``."""
    return [CARD_TEXTS[card] for card in cards]


def legal(betting: BettingState) -> dict[str, Any]:
    """The actions of the player to act: fold, call and its price, raise and its totals.

    Raises:
        IllegalActionError: the hand is over.
    """
    allowed = betting.legal_actions()
    position = betting.position_to_act
    assert position is not None  # legal_actions refuses a finished hand
    low, high = allowed.min_raise_to, allowed.max_raise_to
    raises = None
    if low is not None and high is not None:
        half, pot = (min(max(int(betting.total_of_pots(share)), low), high) for share in (0.5, 1.0))
        word = "bet" if betting.bets_in_round == 0 else "raise"
        sizes = {"least": low, "most": high, "half": half, "pot": pot}
        raises = {"word": word, "limit": allowed.is_limit, **sizes}
    call, why = max(0, betting.amount_to_call(position)), allowed.why_no_raise
    return {"fold": allowed.can_fold, "call": call, "raise": raises, "why_no_raise": why}


def actions(view: HandView, seat: int) -> list[dict[str, Any]]:
    """The actions of a hand so far, oldest first."""
    told = []
    for deed in deeds(view.betting):
        name, word = street(view.game, deed.before.betting_round), deed.word
        entry = {"street": name, "seat": view.seat_of(deed.position, seat), "do": word}
        if deed.action.kind is ActionKind.RAISE:
            entry["to"] = deed.after.spent[deed.position]
        told.append({**entry, "put_in": deed.paid} if word not in ("fold", "check") else entry)
    return told


def _place(view: HandView, seat: int, position: int, name: str) -> dict[str, Any]:
    betting, spent = view.betting, view.betting.spent[position]
    place = {"seat": view.seat_of(position, seat), "position": position, "name": name}
    chips = {"left": view.game.betting_stacks[position] - spent, "in_pot": spent}
    cards = [] if position == view.position else texts(view.hole_cards[position])
    return {**place, **chips, "folded": betting.folded[position], "cards": cards}


def rules_in_words(game: GameDefinition) -> str:
    """The rules of a game in one paragraph, without advice."""
    kind = "limit" if game.is_limit else "no-limit"
    what = f"Texas hold'em, {kind}" if game.is_holdem else f"a {kind} poker game of {game.num_rounds} rounds"
    names = game.position_names
    posts = [f"{names[p]} posts {chips}" for p, chips in enumerate(game.blinds) if chips]
    posts += [f"{names[p]} pays an ante of {chips}" for p, chips in enumerate(game.antes) if chips]
    lines = [f"You play {what}, with {game.num_players} players."]
    if not game.is_holdem:
        boards = ", ".join(map(str, game.num_board_cards))
        deck = f"The deck has {len(game.deck)} cards ({' '.join(texts(game.deck))})"
        dealt = f"the board gets {boards} cards at the start of the rounds"
        lines.append(f"{deck}; everybody gets {game.num_hole_cards}; {dealt}.")
    lines.append(f"{'; '.join(posts) or 'Nobody posts anything'}.")
    if game.is_limit:
        sizes = ", ".join(map(str, game.raise_sizes))
        caps = ", ".join(map(str, game.max_raises))
        lines.append(f"A raise adds {sizes} chips by round; at most {caps} raises are allowed by round.")
    if game.stacks[0] < UNLIMITED_STACK and len(set(game.stacks)) == 1:
        lines.append(f"Everybody begins every hand with {game.stacks[0]} chips.")
    if game.has_rake:
        lines.append(f"The house takes {game.rake} of a pot.")
    return " ".join(lines)


# --- schemas -----------------------------------------------------------------------------------------------

Schema = dict[str, Any]


def closed(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """The schema of an object with these members and no others."""
    members = {**required, **(optional or {})}
    names = list(required)
    return {"type": "object", "properties": members, "required": names, "additionalProperties": False}


SCHEMA: Final[Schema] = json.loads(Path(__file__).with_name("observation.json").read_text("utf-8"))
"""The JSON schema of an observation."""
