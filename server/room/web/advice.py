"""The trainer of a person who plays against the house's bots alone: what a bot would do, what a hand lost.

Pages do not know how players think: a bot is asked by ``riverboat ask``, in a process of its own, and knows
nothing but what the person has been shown; a hand that is over is reviewed by ``riverboat review``.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import trio

from engine.poker.cards import format_cards
from engine.poker.rules import HandView, format_game
from server.match.launching.players import own_command, players_environment
from server.room.tables.log import FOLDER
from server.support.console import Console

WORD: Final = "#advice "
"""Begins what a page says to ask for it; a bot's name follows, or ``review`` and the number of a hand."""
_PATIENCE_S: Final = 30.0


class Trainer:
    """Asks bots and solvers, one at a time.

    Args:
        console: for the operator, who is told what goes wrong.
        data: the folder of the room's data.
    """

    def __init__(self, console: Console, data: Path) -> None:
        self._console, self._data = console, data
        self._alone = trio.CapacityLimiter(1)

    async def ask(self, bot: str, view: HandView) -> dict[str, Any]:
        """What a bot would do in a state, and why, as the page shows it.

        Args:
            bot: an installed bot, perhaps with options.
            view: what its player sees, who is to act.

        Returns:
            ``turn``, hand and betting as on the wire; ``bot``; ``chances`` by kind of action; ``does``, an
            action on the wire; ``rows``, pairs of a name and a text.
        """
        with tempfile.TemporaryDirectory() as folder:
            told = await self._told(_question(bot, view, Path(folder, "game")))
        found = {"rows": [["", f"{bot} has no answer here."]]} if told is None else _shown(told)
        return {"turn": f"{view.hand_number}:{view.betting.text}", "bot": bot, **found}

    async def review(self, table: str, name: str, hand: int) -> dict[str, Any]:
        """What a player's decisions in a hand lost that is over, of no-limit hold'em for two.

        Returns:
            ``hand`` and ``rows``.
        """
        log = self._data / FOLDER / f"{table}.log"
        told = await self._told(["review", str(log), "--hand", str(hand), "--json"])
        rows = [["", "This hand cannot be reviewed."]] if told is None else _losses(told, name)
        return {"hand": hand, "rows": rows}

    async def _told(self, words: Sequence[str]) -> dict[str, Any] | None:
        """Run a command of ours; returns what it prints as JSON, None where it fails."""
        command = own_command(*words)
        environment = players_environment(command, dict(os.environ))
        async with self._alone:
            with trio.move_on_after(_PATIENCE_S):
                done = await trio.run_process(
                    command, env=environment, capture_stdout=True, capture_stderr=True, check=False
                )
                if done.returncode == 0:
                    return json.loads(done.stdout)
                said = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"{done.returncode}"]
                self._console.err(f"riverboat: advice: {said[-1]}\n")
        return None


def _question(bot: str, view: HandView, game: Path) -> list[str]:
    """The command that asks a bot; writes the file of the game, whose stacks may be those of one hand."""
    game.write_text(format_game(view.game), "utf-8")
    spot = {"game": str(game), "betting": view.betting.text, "board": format_cards(view.board)}
    spot |= {"hole": format_cards(view.own_cards), "trials": "0"}
    return ["ask", bot, "--json", *[f"--{key}={text}" for key, text in spot.items()]]


def _losses(told: dict[str, Any], name: str) -> list[list[str]]:
    """The decisions of a player in what ``riverboat review --json`` tells, the worst first."""
    own = [each for each in told["worst"] if each["name"] == name and each["loss"] > 0]
    rows = [
        [each["street"], f"{each['taken']}, where {each['best']} wins {each['loss'] / 1000:.1f} bb more"]
        for each in own
    ]
    if rows:
        return rows
    decided = any(each["name"] == name and each["decisions"] for each in told["players"])
    nothing = "lost anything that the solution is sure of" if decided else "was asked for"
    return [["", f"No decision of yours on turn and river {nothing}."]]


def _shown(told: dict[str, Any]) -> dict[str, Any]:
    """The part of what ``riverboat ask --json`` tells that a page shows."""
    why = told.get("why") or {}
    rows = list((told.get("decided_by") or {}).items())
    if "hand_strength" in why:
        rows.append(("your hand", f"ahead of {100 * why['hand_strength']:.0f} % of what they may hold"))
    later = [
        100 * part["1"] for part in (why.get("positive_potential"), why.get("negative_potential")) if part
    ]
    if len(later) == 2 and any(later):
        rows.append(
            ("the next card", f"{later[0]:.0f} % to come from behind, {later[1]:.0f} % to fall behind")
        )
    return {"chances": told["triple"], "does": told["action"], "rows": rows}
