"""Agents of RLCard's, and of PettingZoo's hold'em, which is the same: the bot `rlcard`.  It is lossy.

What they see is little: in limit games the cards and the raises of each street, in no-limit games the cards
and two numbers of chips.  Their betting is not the ACPC's: the order after the flop and the most raises of a
street are others, and a raise puts in half the pot, the pot, or everything.  So chips are told in their unit,
half a big blind, what they put in becomes the nearest legal raise, and a fold for nothing is a check.
"""

import random
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from clients.bots.decide import Decide
from clients.core.options import OptionError, require_holdem
from clients.lab.adapters.pypokerengine import suits_first
from engine.poker.rules import GameDefinition, HandView
from engine.support.user_input import fault_text, quoted
from protocol.agents.answers import BadFormat, as_answer

_LIBRARY: Final = "rlcard"
_SUITS, _RANKS = "SHDC", "A23456789TJQK"
_LIMIT: Final = ("call", "raise", "fold", "check")
_NO_LIMIT: Final = ("fold", "call", "half", "pot", "all in")
_MOST_RAISES: Final = 4
_PYTHON: Final = ".py"


class Rlcard(Decide):
    """Plays as an agent of RLCard's; lossy: it sees and bets less than others.

    Args:
        checkpoint: what its trainer saved (which runs whatever is in it, and needs torch), or a Python file.
        function: in a Python file, returns the agent.

    Raises:
        ValueError: RLCard is missing, or the file cannot be read.
    """

    wants_clock = False

    def __init__(self, checkpoint: Path, function: str = "agent") -> None:
        if find_spec(_LIBRARY) is None:
            raise ValueError("needs RLCard: pip install rlcard")
        if checkpoint.suffix == _PYTHON:
            super().__init__(checkpoint, function)
            made: Any = self._decide
        else:
            self._file, self._hand_over, self._reading = checkpoint, None, "strict"
            made = self._restored
        try:
            self._agent = made()
        except Exception as error:
            raise ValueError(f"{checkpoint} makes no agent of RLCard's: {fault_text(error)}") from error
        self._decide = self._answer

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Refuse what RLCard does not play.

        Raises:
            OptionError: not hold'em for two.
        """
        require_holdem(_LIBRARY, game)
        if game.num_players != 2:
            raise OptionError("rlcard plays heads-up games")

    def _restored(self) -> Any:
        from importlib import import_module

        import torch

        saved = torch.load(self._file, weights_only=False)
        kind = saved["agent_type"]
        module = import_module(f"rlcard.agents.{'nfsp' if kind == 'NFSPAgent' else 'dqn'}_agent")
        return getattr(module, kind).from_checkpoint(checkpoint=saved)

    def _shown(self, view: HandView) -> HandView:
        return view

    def _answer(self, view: HandView) -> dict[str, Any]:
        state = limit_state(view) if view.game.is_limit else no_limit_state(view)
        random.seed(self.decision_seed)
        np.random.seed(self.decision_seed % 2**32)  # noqa: NPY002  # theirs is the generator of all
        chosen, _ = self._agent.eval_step(state)
        names, raw = _LIMIT if view.game.is_limit else _NO_LIMIT, state["raw_legal_actions"]
        number = chosen
        if getattr(self._agent, "use_raw", False):
            if chosen not in (*raw, *names):
                raise BadFormat(f"expected one of {', '.join(map(str, raw))}, got {quoted(repr(chosen))}")
            number = dict(zip(raw, state["legal_actions"], strict=True)).get(chosen)
        # What is illegal there is a fold, here as there.
        return self._meant(names[int(number)] if number in state["legal_actions"] else "fold", view)

    def _meant(self, name: str, view: HandView) -> dict[str, Any]:
        legal = view.legal_actions()
        if name == "fold":
            return {"do": "fold" if legal.can_fold else "check"}
        if name in ("call", "check"):
            return {"do": "call"}
        puts_in = {"half": view.pot // 2, "pot": view.pot}.get(name)
        spent = view.betting.spent[view.position]
        return as_answer(legal.raising_to(legal.max_raise_to if puts_in is None else spent + puts_in))


def limit_state(view: HandView) -> dict[str, Any]:
    """A hand of a limit game as RLCard's agents see it: 52 cards, and the raises of each street, 0 to 4."""
    raises = [0, 0, 0, 0]
    for before, _, action in view.betting.steps():
        raises[before.betting_round] += action.kind.name == "RAISE"
    legal = view.legal_actions()
    offered = [0 if view.amount_to_call > 0 else 3, *([1] if legal.can_raise else []), 2]
    seen = np.zeros(72)
    for street, number in enumerate(raises):
        seen[52 + 5 * street + min(number, _MOST_RAISES)] = 1
    raw = {"raise_nums": raises, **_raw(view)}
    return _state(view, seen, raw, sorted(offered), [_LIMIT[each] for each in sorted(offered)])


def no_limit_state(view: HandView) -> dict[str, Any]:
    """A hand of a no-limit game as RLCard's agents see it: 52 cards, our chips in the pot, and the most."""
    from rlcard.games.nolimitholdem.round import Action as Theirs

    raw, betting, position = _raw(view), view.betting, view.position
    left = view.game.betting_stacks[position] - betting.spent[position]
    offered = [0, 1]
    if view.legal_actions().can_raise:
        half = view.pot // 2
        offered += [2] if max(0, view.amount_to_call) < half <= left else []
        offered += [3] if view.pot <= left else []
        offered.append(4)
    seen = np.zeros(54)
    seen[52], seen[53] = raw["my_chips"], max(raw["all_chips"])
    raw["stakes"] = _told(view, [view.game.betting_stacks[p] - betting.spent[p] for p in range(2)])
    raw |= {"current_player": 0, "pot": sum(raw["all_chips"]), "stage": view.betting_round}
    return _state(view, seen, raw, offered, [Theirs(each) for each in offered])


def _state(
    view: HandView, seen: Any, raw: dict[str, Any], offered: list[int], names: list[Any]
) -> dict[str, Any]:
    for text in suits_first((*view.own_cards, *view.board)):
        seen[13 * _SUITS.index(text[0]) + _RANKS.index(text[1])] = 1
    legal = OrderedDict.fromkeys(offered)
    told = {"raw_obs": {**raw, "legal_actions": names}, "raw_legal_actions": names, "action_record": []}
    return {"legal_actions": legal, "obs": seen, **told}


def _raw(view: HandView) -> dict[str, Any]:
    chips = _told(view, list(view.betting.spent))
    shown = {"hand": suits_first(view.own_cards), "public_cards": suits_first(view.board)}
    return {**shown, "all_chips": chips, "my_chips": chips[0]}


def _told(view: HandView, chips: list[int]) -> list[float]:
    """Chips by position in RLCard's unit, ours first."""
    ours = [chips[view.position], chips[1 - view.position]]
    return [2 * each / view.game.big_blind for each in ours]
