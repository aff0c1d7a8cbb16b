"""A spot's solution as one page without network: the tree to walk through, grids, hands and runouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from clients.core.one_line import CommandError
from engine.poker.cards import CARD_TEXTS
from engine.poker.combos import STARTING_HAND_NAMES, format_combo
from engine.solving.subgames.solver import Place, Subgame
from engine.solving.subgames.spots import BoardAnswer, answers
from engine.support.arrays import Floats
from engine.support.palette import ACTIONS, LIGHT, style_of_pages
from engine.support.user_input import told_as

_MOST_LETTERS: Final = 2_500_000
"""Weights and chances that a page may hold; with more, it leaves out what comes after the first street."""
_LEVELS: Final = 89
"""Weights and chances are written as one letter each, from `#` on; none of them needs an escape in JSON."""
_TEMPLATE: Final = Path(__file__).with_name("spots.html")


def write_page(path: Path, game: Subgame, report: dict[str, Any]) -> None:
    """Write the page of a solution.

    Args:
        path: where.
        game: what was solved.
        report: as it stands in the JSON.

    Raises:
        CommandError: the file cannot be written.
    """
    root: Place = (0, 0, 0)
    boards = game.levels[1][0].boards if len(game.levels) > 1 else ()
    below: list[Place] = [(1, 0, number) for number in range(len(boards))]
    found = answers(game, [root, *below])
    size = sum(len(row) * (row.shape[1] + 1) for place in below for row in found[place].strategies)
    kept = found if size <= _MOST_LETTERS else {root: found[root]}
    names = ("board", "pot", "stack", "iterations", "ev", "equity", "exploitability")
    shown = {name: report[name] for name in names}
    data = shown | {
        "nodes": [node for place, answer in kept.items() for node in _nodes(answer, place[0])],
        "names": {_dealt(answer, place[0]): _names(answer) for place, answer in kept.items()},
        "runouts": _runouts(found, below), "equities": report["equities"], "kinds": STARTING_HAND_NAMES,
        "whole": len(kept) == len(found), "colours": {**ACTIONS, "largest": LIGHT["loss"]},
    }  # fmt: skip
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    with told_as(CommandError, OSError, what=f"{path} cannot be written: "):
        page = _TEMPLATE.read_text("utf-8").replace("STYLE", style_of_pages())
        path.write_text(page.replace("DATA", text), "utf-8")


def _nodes(answer: BoardAnswer, depth: int) -> Iterator[dict[str, Any]]:
    """The decisions on a board; on the first, values as well."""
    for node, actions in enumerate(answer.tree.actions):
        if actions:
            player = answer.player(node)
            yield {
                "path": _path(answer, node, depth), "player": player, "actions": list(actions),
                "frequencies": _rounded(answer.frequencies(node), 4), "dealt": _dealt(answer, depth),
                "ev": [round(answer.worth(node, each), 3) for each in range(2)],
                "weights": _letters(answer.reaches[node][player]),
                "chances": _letters(answer.strategies[node].ravel()),
                "values": [] if depth else _rounded(answer.action_values(node), 2),
            }  # fmt: skip


def _letters(shares: Floats) -> str:
    """Numbers from 0 to 1 as letters; a backslash, which JSON would double, gives way to a blank."""
    return bytes((np.rint(_LEVELS * shares) + ord("#")).astype(np.uint8)).decode("ascii").replace("\\", " ")


def _names(answer: BoardAnswer) -> list[str]:
    """Both players' hands, four letters each."""
    return ["".join(format_combo(combo) for combo in combos.tolist()) for combos in answer.combos]


def _dealt(answer: BoardAnswer, depth: int) -> str:
    return "".join(CARD_TEXTS[card] for card in answer.board[len(answer.board) - depth :] if depth)


def _path(answer: BoardAnswer, node: int, depth: int) -> list[str]:
    """The actions so far, with the card dealt where a street began."""
    cards = iter([CARD_TEXTS[card] for card in answer.board[len(answer.board) - depth :]])
    return [next(cards) if each == "/" else each for each in answer.tree.points[node].actions]


def _runouts(found: dict[Place, BoardAnswer], below: list[Place]) -> dict[str, dict[str, list[float]]]:
    """The first player's EV and how often it bets, by the actions of the first street and the next card."""
    runouts: dict[str, dict[str, list[float]]] = {}
    for place in below:
        answer = found[place]
        for start in range(answer.tree.forest.roots):
            *before, card = _path(answer, start, 1)
            bets = 1 - float(answer.frequencies(start)[0]) if answer.tree.actions[start] else 0.0
            row = [round(answer.worth(start, 0), 2), round(bets, 3)]
            runouts.setdefault("/".join(before), {})[card] = row
    return runouts


def _rounded(numbers: Any, digits: int) -> list[float]:
    return np.round(np.asarray(numbers, np.float64), digits).tolist()
