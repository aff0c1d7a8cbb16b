"""Bots written for PyPokerEngine: the bot `pypokerengine`.

Their callbacks get what that engine would send: cards as ``SA``, players as ``seat-K``, amounts of calls and
raises as totals of the *street*.  What is illegal there is a fold, here as there; a fold for nothing is a
check, and a raise that is large enough only there is the least one.  The module `random` is seeded before
each decision, so that a match can be repeated.

The library is needed by bots that import more of it than the base class of players.
"""

import random
import sys
import types
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from clients.bots.decide import Decide
from clients.core.agent import view_at
from clients.core.options import require_holdem
from engine.poker.cards import CARD_TEXTS
from engine.poker.rules import ActionKind, BettingState, GameDefinition, HandView, initial_betting
from engine.poker.rules.hand_words import deeds
from engine.support.user_input import fault_text, quoted
from protocol.agents.answers import BadFormat
from protocol.agents.observation import street

_LIBRARY: Final = "pypokerengine"
_IS_INSTALLED: Final = find_spec(_LIBRARY) is not None
_NEEDED: Final = "needs PyPokerEngine: pip install PyPokerEngine"
_MOST_ROUNDS: Final = 1_000_000  # nobody says how many hands there will be
_Json = dict[str, Any]


class PyPokerEngine(Decide):
    """Plays as a player of PyPokerEngine's.

    Args:
        file: a Python file.
        class_: the player's class in it, which is made without arguments.

    Raises:
        ValueError: the file cannot be run, or has no such class.
    """

    wants_clock = False

    def __init__(self, file: Path, class_: str) -> None:
        if not _IS_INSTALLED:
            _lend_base_class()
        try:
            super().__init__(file, class_)
        except ValueError as error:
            is_missing = isinstance(error.__cause__, ModuleNotFoundError) and _LIBRARY in str(error.__cause__)
            raise ValueError(f"{file} {_NEEDED}") if is_missing else error from None
        kind: Any = self._decide
        try:
            self._player = kind()
        except Exception as error:
            raise ValueError(f"{class_} of {file} cannot be made: {fault_text(error)}") from error
        self._decide, self._hand_over = self._answer, self._end
        self._told: BettingState | None = None  # how far the player has been told of a hand

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Tell the player about the game.

        Raises:
            OptionError: it is not hold'em.
        """
        require_holdem(_LIBRARY, game)
        self._player.set_uuid(_uuid(seat))

    def hand_started(self, view: HandView) -> None:
        """A new hand, of which the player is told with the first question."""
        self._told = None

    def _shown(self, view: HandView) -> HandView:
        return view

    def _answer(self, view: HandView) -> _Json:
        """The player's answer to a question."""
        self._tell(view)
        random.seed(self.decision_seed)
        legal, start = view.legal_actions(), view.betting.spent_before_round()
        least, most = legal.min_raise_to, legal.max_raise_to
        before, call = start[view.position], view.betting.max_spent - max(start)
        low, high = (-1, -1) if least is None or most is None else (least - before, most - before)
        limits = {"fold": 0, "call": call, "raise": {"min": low, "max": high}}
        offered = [{"action": name, "amount": amount} for name, amount in limits.items()]
        answer = self._player.declare_action(offered, suits_first(view.own_cards), self._round_state(view))
        match answer:
            case ("raise", int() | float() as amount) if call < amount <= high:
                return {"do": "raise", "to": max(low, int(amount)) + before}
            case ("call", _):
                return {"do": "call"}
            case ("fold" | "raise", _):
                return {"do": "fold" if legal.can_fold else "check"}
        raise BadFormat(f"expected fold, call or raise with an amount, got {quoted(repr(answer))}")

    def _end(self, view: HandView) -> None:
        """Tell the player how a hand has ended."""
        self._tell(view)
        won, seats = view.chips_won(), self._seats(view)
        is_split = max(won) <= 0  # nobody has gained anything
        winners = [
            seats[self.seat_of(view, position)]
            for position, chips in enumerate(won)
            if chips > 0 or (is_split and not view.betting.folded[position])
        ]
        state = {**self._round_state(view), "street": "showdown"}
        self._player.receive_round_result_message(winners, self._shown_hands(view), state)

    # --- what is told --------------------------------------------------------------------------------------

    def _tell(self, view: HandView) -> None:
        """Call the player back for everything that is new in a hand."""
        player, told = self._player, self._told
        if told is None:
            start = view_at(view, initial_betting(view.game))
            if not hasattr(self, "_game_info"):
                self._game_info = self._information(start)
                player.receive_game_start_message(self._game_info)
            cards, seats = suits_first(view.own_cards), self._seats(start)
            player.receive_round_start_message(view.hand_number + 1, cards, seats)
            player.receive_street_start_message("preflop", self._round_state(start))
        for deed in deeds(view.betting)[len(told.steps()) if told is not None else 0 :]:
            after = view_at(view, deed.after)
            amount = 0 if deed.word == "fold" else deed.total
            uuid = _uuid(self.seat_of(view, deed.position))
            update = {"player_uuid": uuid, "action": deed.action.kind.name.lower(), "amount": amount}
            player.receive_game_update_message(update, self._round_state(after))
            for number in range(deed.before.betting_round + 1, after.betting_round + 1):
                name = street(view.game, number)
                board = view.board[: view.game.board_ends[number]]
                state = {**self._round_state(after), "street": name, "community_card": suits_first(board)}
                player.receive_street_start_message(name, state)
        self._told = view.betting

    def _information(self, start: HandView) -> _Json:
        game = start.game
        rule = {"initial_stack": max(game.stacks), "max_round": _MOST_ROUNDS, "blind_structure": {}}
        rule |= {"small_blind_amount": game.big_blind // 2, "ante": max(game.antes)}
        return {"player_num": game.num_players, "rule": rule, "seats": self._seats(start)}

    def _round_state(self, view: HandView) -> _Json:
        game, betting = view.game, view.betting
        seats = [self.seat_of(view, position) for position in range(game.num_players)]
        big = max(range(game.num_players), key=game.blinds.__getitem__)
        small = min((p for p in range(game.num_players) if game.blinds[p]), key=game.blinds.__getitem__)
        to_act = betting.position_to_act
        pots = _pots(betting, [_uuid(seat) for seat in seats])
        return {
            "street": street(game, betting.betting_round),
            "pot": {"main": {"amount": pots[0]["amount"]}, "side": pots[1:]},
            "community_card": suits_first(view.board), "dealer_btn": seats[game.first_positions[-1] - 1],
            "next_player": "not_found" if to_act is None else seats[to_act], "small_blind_pos": seats[small],
            "big_blind_pos": seats[big], "round_count": view.hand_number + 1,
            "small_blind_amount": game.big_blind // 2, "seats": self._seats(view),
            "action_histories": self._histories(view),
        }  # fmt: skip

    def _seats(self, view: HandView) -> list[_Json]:
        """The players, in the order of seats; after a hand with what they have won."""
        betting, game = view.betting, view.game
        won = view.chips_won() if view.is_finished else ()
        found: dict[int, _Json] = {}
        for position in range(game.num_players):
            left = game.betting_stacks[position] - betting.spent[position]
            state = "folded" if betting.folded[position] else "participating" if left else "allin"
            chips = int(game.stacks[position] + won[position]) if won else left
            uuid = _uuid(seat := self.seat_of(view, position))
            found[seat] = {"name": uuid, "uuid": uuid, "stack": chips, "state": state}
        return [found[seat] for seat in sorted(found)]

    def _histories(self, view: HandView) -> dict[str, list[_Json]]:
        """All actions by street, blinds and antes among them."""
        game = view.game
        uuids = [_uuid(self.seat_of(view, position)) for position in range(game.num_players)]
        antes = [(chips, uuid) for chips, uuid in zip(game.antes_posted, uuids, strict=True) if chips]
        posts: list[_Json] = [{"action": "ANTE", "amount": chips, "uuid": uuid} for chips, uuid in antes]
        for position, chips in sorted(enumerate(initial_betting(game).spent), key=lambda post: post[1]):
            if chips:
                word = "BIGBLIND" if chips == game.big_blind else "SMALLBLIND"
                post = {"action": word, "amount": chips, "add_amount": game.big_blind // 2}
                posts.append({**post, "uuid": uuids[position]})
        told: dict[str, list[_Json]] = {street(game, n): [] for n in range(view.betting_round + 1)}
        told[street(game, 0)] = posts
        for deed in deeds(view.betting):
            entry: _Json = {"action": deed.action.kind.name, "uuid": uuids[deed.position]}
            if deed.word != "fold":
                entry |= {"amount": deed.total, "paid": deed.paid}
            if deed.action.kind is ActionKind.RAISE:
                entry["add_amount"] = deed.after.max_spent - deed.before.max_spent
            told[street(game, deed.before.betting_round)].append(entry)
        return told

    def _shown_hands(self, view: HandView) -> list[_Json]:
        """The hands of a showdown in the library's own words; none without it."""
        if not view.betting.is_showdown or not _IS_INSTALLED:
            return []
        from pypokerengine.engine.hand_evaluator import HandEvaluator
        from pypokerengine.utils.card_utils import gen_cards

        board, shown = gen_cards(suits_first(view.board)), []
        for position, cards in enumerate(view.hole_cards):
            if cards and not view.betting.folded[position]:
                hand = HandEvaluator.gen_hand_rank_info(gen_cards(suits_first(cards)), board)
                shown.append({"uuid": _uuid(self.seat_of(view, position)), "hand": hand})
        return shown


def _lend_base_class() -> None:
    """Stand in for the library: for bots that need nothing but its class of players."""

    class BasePokerPlayer:
        def set_uuid(self, uuid: str) -> None:
            self.uuid = uuid

        def __getattr__(self, name: str) -> Any:
            if name.startswith("receive_"):
                return lambda *told: None
            raise AttributeError(name)

    players = types.ModuleType(f"{_LIBRARY}.players")
    players.BasePokerPlayer = BasePokerPlayer  # type: ignore[attr-defined]
    sys.modules.setdefault(_LIBRARY, types.ModuleType(_LIBRARY))
    sys.modules.setdefault(players.__name__, players)


def _uuid(seat: int) -> str:
    return f"seat-{seat}"


def suits_first(cards: tuple[int, ...]) -> list[str]:
    """Cards as ``SA``."""
    return [CARD_TEXTS[card][1].upper() + CARD_TEXTS[card][0] for card in cards]


def _pots(betting: BettingState, uuids: list[str]) -> list[_Json]:
    """The pots so far, from the lowest: one for each amount that somebody is all in with, and a last."""
    game, folded = betting.game, betting.folded
    put = [ante + chips for ante, chips in zip(game.antes_posted, betting.spent, strict=True)]
    all_in = {p for p in range(game.num_players) if not folded[p] and not betting.can_act(p)}
    pots: list[_Json] = []
    for level in [*sorted({put[p] for p in all_in}), max(put)]:
        amount = sum(min(chips, level) for chips in put) - sum(pot["amount"] for pot in pots)
        eligible = [uuids[p] for p, chips in enumerate(put) if not folded[p] and chips >= level]
        pots.append({"amount": amount, "eligibles": eligible})
    return pots
