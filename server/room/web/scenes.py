"""A hand as somebody may see it, ready for JSON: what every page of a table draws.

A scene is made from the public half of a hand (`engine.poker.rules.BettingState`, which knows no cards), the
board cards dealt so far and the hole cards that its reader has been shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from engine.poker.rules import Action, ActionKind, BettingState, HandView
from engine.poker.rules.game_definition import UNLIMITED_STACK
from engine.poker.rules.hand_words import name_shown_hands, round_name, tell_action, tell_posts, tell_winnings
from protocol.agents.observation import legal, texts
from server.room.tables.place import Place
from server.room.tables.spectating import Shown

_SIZES: Final = {"third": 1 / 3, "half": 1 / 2, "two-thirds": 2 / 3, "pot": 1.0}
# Of a raise, in pots.
Scene = dict[str, Any]
"""Has hand, board, pot, players by seat and story; and what its reader is asked, if anything."""


def seen_by_player(view: HandView, names: Sequence[str]) -> Shown:
    """What a player has been shown.

    Args:
        view: of the hand.
        names: in the order of ``#names``: position and hand number give the place in it.
    """
    players = view.game.num_players
    seats = tuple([(position + view.hand_number) % players for position in range(players)])
    known = names if len(names) == players else [f"seat {seat + 1}" for seat in range(players)]
    return Shown(
        betting=view.betting,
        hand=view.hand_number,
        board=view.board,
        names=tuple([known[seat] for seat in seats]),
        seats=seats,
        holes=view.hole_cards,
        button=seats[-1],
        reader=view.position,
        chips=view.chips_won() if view.is_finished else (),
    )


def company(places: Sequence[Place | None], is_late: bool = False) -> list[dict[str, Any] | None]:
    """The company at a table, by seat; None for a free seat.  Without stacks if those are told later."""
    return [
        None
        if place is None
        else {
            "name": place.player.name,
            "house": place.is_house,
            "kind": place.player.kind,
            **({} if is_late else {"stack": _stack(place.stack, place.stack)}),
            "there": place.is_there and not place.sits_out,
        }
        for place in places
    ]


def draw(shown: Shown, seats: Sequence[Mapping[str, Any] | None] = ()) -> Scene:
    """The scene.

    Args:
        shown: the hand.
        seats: everybody who sits at the table, as `company` says it.
    """
    betting, game = shown.betting, shown.game
    names = dict(name_shown_hands(betting, shown.holes, shown.board))
    before, last = _spent_before(betting), _last_actions(betting)
    players = []
    for position in sorted(range(game.num_players), key=lambda each: shown.seats[each]):
        left = game.betting_stacks[position] - betting.spent[position]
        players.append(
            {
                "name": shown.names[position],
                "seat": shown.seats[position],
                "stack": _stack(left, game.stacks[position]),
                "bet": betting.spent[position],
                "street": betting.spent[position] - before[position],
                "did": last.get(position, ""),
                "cards": texts(shown.holes[position]),
                "hidden": 0 if shown.holes[position] or betting.folded[position] else game.num_hole_cards,
                "folded": betting.folded[position],
                "all_in": left == 0 and not betting.folded[position],
                "acts": betting.position_to_act == position,
                "button": shown.seats[position] == shown.button,
                "you": position == shown.reader,
                "shows": names.get(position, ""),
                "won": shown.chips[position] if shown.chips else None,
            }
        )
    scene: Scene = {
        "kind": "scene",
        "hand": shown.hand,
        "round": round_name(game, betting.betting_round),
        "board": texts(shown.board),
        "pot": betting.pot,
        "blind": game.big_blind,
        "seats": list(seats),
        "over": betting.is_finished,
        "players": players,
        "story": list(_story(shown)),
    }
    if shown.reader is not None and betting.position_to_act == shown.reader:
        scene["ask"] = {**legal(betting), "sizes": _sizes(betting)}
    return scene


def _stack(chips: int, of: int) -> int | None:
    """Chips in front of somebody; None in a game without stacks."""
    return None if of >= UNLIMITED_STACK else chips


def _sizes(betting: BettingState) -> dict[str, int]:
    """Totals of raises by shares of the pot, as far as they are legal; none where no raise is."""
    allowed = betting.legal_actions()
    low, high = allowed.min_raise_to, allowed.max_raise_to
    if low is None or high is None:
        return {}
    totals = {name: int(betting.total_of_pots(share)) for name, share in _SIZES.items()}
    return {name: min(max(total, low), high) for name, total in totals.items()} | {"most": high}


def _spent_before(betting: BettingState) -> tuple[int, ...]:
    """Chips by position that are in the middle: those of earlier rounds and, at the end, all."""
    if betting.is_finished:
        return betting.spent
    if not betting.betting_round:
        return (0,) * len(betting.spent)
    spent = betting.spent
    for state, _, _ in betting.steps_back():
        if state.betting_round < betting.betting_round:
            break
        spent = state.spent
    return spent


def _last_actions(betting: BettingState) -> dict[int, str]:
    """Actions by position, in a word or two: the round's last, and the hand's in any case."""
    found: dict[int, str] = {}
    latest = betting.betting_round
    for state, position, action in betting.steps_back():
        if not found and betting.is_finished:
            latest = state.betting_round
        if found and state.betting_round < latest:
            break
        found.setdefault(position, _in_short(state, position, action))
    return found


def _in_short(before: BettingState, position: int, action: Action) -> str:
    """``Raise 60``."""
    total = before.apply(action).spent[position]
    paid = total - before.spent[position]
    if action.kind is ActionKind.FOLD:
        return "Fold"
    if paid and total >= before.game.betting_stacks[position]:
        return f"All in {total}"
    if action.kind is ActionKind.CALL:
        return f"Call {paid}" if paid > 0 else "Check"
    return f"Raise {total}" if before.bets_in_round else f"Bet {paid}"


def _story(shown: Shown) -> Iterator[dict[str, Any]]:
    """The events so far, line by line: the text, and the cards that belong to it."""
    betting, game, board = shown.betting, shown.game, shown.board
    posts = tell_posts(game, shown.names)
    if posts:
        yield _line(posts)
    yield from _street(shown, 0)
    for before, position, action in betting.steps():
        after = before.apply(action)
        yield _line(tell_action(before, position, action, shown.names[position]))
        for betting_round in range(before.betting_round + 1, after.betting_round + 1):
            yield from _street(shown, betting_round)
    if betting.is_finished:
        for position, words in name_shown_hands(betting, shown.holes, board):
            yield _line(f"{shown.names[position]} shows {words}", shown.holes[position])
        if shown.chips:
            yield _line(tell_winnings(shown.chips, shown.names))


def _street(shown: Shown, betting_round: int) -> Iterator[dict[str, Any]]:
    """The board cards dealt for a betting round, if any."""
    cards = shown.game.round_board(shown.board, betting_round)
    if cards:
        yield _line(round_name(shown.game, betting_round), cards)


def _line(text: str, cards: Sequence[int] = ()) -> dict[str, Any]:
    return {"text": text, "cards": texts(cards)}


def steps(shown: Shown) -> list[Scene]:
    """A finished hand as scenes, one for each action; cards shown at the end are shown from the start."""
    betting = shown.betting
    ends = shown.game.board_ends
    path = [before for before, _, _ in betting.steps()]
    scenes = [
        draw(attrs.evolve(shown, betting=each, board=shown.board[: ends[each.betting_round]], chips=()))
        for each in path
    ]
    return [*scenes, draw(shown)]
