"""Two public dialects of benchmarks, as translations: what they ask becomes an answer of ours, and back.

Both write a hand as ``b200c/kk/kb300``: ``f`` fold, ``k`` check, ``c`` call, ``bN`` bet or raise to a total
of the *street*; a mark after each street, all that are left after a call that ends the betting.
"""

from collections.abc import Mapping
from typing import Any, Final

from engine.poker.rules import BettingState, HandView
from engine.poker.rules.hand_words import deeds
from protocol.agents.observation import street, texts
from protocol.agents.turns import SeatError

_DO: Final = {"f": "fold", "k": "check", "c": "call"}
_WRITTEN: Final = {word: letter for letter, word in _DO.items()}
_MOST_DIGITS: Final = 9


def tokens(betting: BettingState, mark: str = "/") -> list[str]:
    """The actions of a hand, with a mark after each street."""
    told = []
    for deed in deeds(betting):
        told.append(_WRITTEN.get(deed.word) or f"b{deed.total}")
        told += [mark] * (deed.after.betting_round - deed.before.betting_round)
    return told


def answer_to(text: object, view: HandView) -> dict[str, Any]:
    """The answer that ``f``, ``k``, ``c`` or ``bN`` means in a hand.

    Raises:
        SeatError: it is none of them, or is written where the other word is right.
    """
    word = text if isinstance(text, str) else ""
    size = word[1:]
    if word[:1] == "b" and size.isascii() and size.isdecimal() and len(size) <= _MOST_DIGITS:
        return {"do": "raise", "to": int(size) + max(view.betting.spent_before_round())}
    if word not in _DO:
        raise SeatError("format", "expected f, k, c, or b with the total of the street")
    if word == "c" and view.amount_to_call <= 0:
        raise SeatError("illegal", "Illegal call: there is nothing to call.")
    return {"do": _DO[word]}


def fault_of(text: object, view: HandView | None, error: SeatError) -> str:
    """The first dialect's words for an error."""
    if error.code != "illegal" or view is None or not isinstance(text, str):
        return str(error)
    if text[:1] != "b":
        return f"Illegal {_DO[text[:1]]}"
    legal = view.legal_actions()
    total = int(text[1:]) + max(view.betting.spent_before_round())
    return "Bet too big" if legal.max_raise_to is not None and total > legal.max_raise_to else "Bet too small"


def session_answer(view: HandView, old: str, token: str, turn: str) -> dict[str, Any]:
    """The first dialect's object for a hand.

    Args:
        view: of the client.
        old: the hand before the client's action.
        token: of the session.
        turn: the open one; empty when the hand is over.
    """
    told: dict[str, Any] = {
        "old_action": old, "action": "".join(tokens(view.betting)), "client_pos": view.position,
        "hole_cards": texts(view.own_cards), "board": texts(view.board), "token": token,
    }  # fmt: skip
    if not view.is_finished:
        return {**told, "turn": turn}
    won = view.chips_won()[view.position]
    pot = view.pot if won > 0 else -view.pot if won < 0 else 0
    return {**told, "bot_hole_cards": _shown(view), "winnings": _whole(won), "won_pot": pot}


def hand_answer(view: HandView, game_name: str, hand: int, turn: str) -> dict[str, Any]:
    """The second dialect's object for a hand."""
    game, betting, position = view.game, view.betting, view.position
    start = betting.spent_before_round()
    legal, raises = [], None
    if view.is_our_turn:
        allowed = betting.legal_actions()
        legal = ["f", "c"] if allowed.can_fold else ["k"]
        if allowed.min_raise_to is not None and allowed.max_raise_to is not None:
            legal.append("b")
            before = max(start)
            raises = {"min": allowed.min_raise_to - before, "max": allowed.max_raise_to - before}
    cards = {position: "".join(texts(view.own_cards)), 1 - position: "".join(_shown(view)) or None}
    players = [
        {
            "name": "client" if each == position else "house",
            "stack": game.betting_stacks[each] - betting.spent[each],
            "position": "BB" if each == 0 else "SB", "hole_cards": cards[each],
        }
        for each in range(2)
    ]  # fmt: skip
    state = {
        "street": street(game, betting.betting_round),
        "common_pot": sum(start) if not view.is_finished else view.pot, "total_pot": view.pot,
        "board_cards": "".join(texts(view.board)), "is_hand_over": view.is_finished, "legal_actions": legal,
        "raise_range": raises, "action_history": tokens(betting, "_"),
        "has_gto_wizard_folded": betting.folded[1 - position],
        "winnings": _whole(view.chips_won()[position]) if view.is_finished else None, "aivat_score": None,
        "players": players,
    }  # fmt: skip
    played = {
        "game_id": 1, "game_name": game_name, "game_format": "heads-up", "starting_stack": game.stacks[0],
        "blinds": sorted(game.blinds, reverse=True), "stack_reset_per_hand": True,
    }  # fmt: skip
    return {"hand_id": hand, "turn": turn, "game": played, "game_state": state}


def action_text(body: Mapping[str, Any]) -> str:
    """The action of the second dialect, ``{"action": "b", "amount": 300}``, as one word.

    Raises:
        SeatError: it is none.
    """
    action, amount = body.get("action"), body.get("amount")
    if action == "b" and type(amount) is int and 0 <= amount < 10**_MOST_DIGITS:
        return f"b{amount}"
    if action not in _DO:
        raise SeatError("format", "expected action: f, k or c, or b with an amount, the total of the street")
    return str(action)


def _shown(view: HandView) -> list[str]:
    """The other player's cards, if a showdown has shown them."""
    return texts(view.hole_cards[1 - view.position])


def _whole(chips: float) -> float:
    """Chips as people write them: a split pot can leave halves."""
    return int(chips) if chips == int(chips) else chips
