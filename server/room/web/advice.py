"""The trainer: what a bot would do in the place of a person who plays against the house's bots alone.

Pages do not know how players think: the bot is asked by ``riverboat ask``, in a process of its own, and knows
nothing but what the person has been shown.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import trio

from engine.poker.cards import format_cards
from engine.poker.rules import HandView, format_game
from server.match.launching.players import players_environment
from server.support.console import Console

WORD: Final = "#advice "
"""Begins what a page says to ask for it; the bot's name follows."""
_PATIENCE_S: Final = 30.0
_COMMAND: Final = ("-P", "-m", "server", "ask")


class Trainer:
    """Asks bots, one at a time.

    Args:
        console: for the operator, who is told what goes wrong with a bot.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
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
        asked = {"turn": f"{view.hand_number}:{view.betting.text}", "bot": bot}
        async with self._alone:
            with tempfile.TemporaryDirectory() as folder, trio.move_on_after(_PATIENCE_S):
                command = _question(bot, view, Path(folder, "game"))
                environment = players_environment(command, dict(os.environ))
                done = await trio.run_process(
                    command, env=environment, capture_stdout=True, capture_stderr=True, check=False
                )
                if done.returncode == 0:
                    return _shown(json.loads(done.stdout)) | asked
                self._console.err(f"riverboat: advice of {bot}: {_last_line(done)}\n")
        return {"rows": [["", f"{bot} has no answer here."]], **asked}


def _question(bot: str, view: HandView, game: Path) -> list[str]:
    """The command that asks a bot; writes the file of the game, whose stacks may be those of one hand."""
    game.write_text(format_game(view.game), "utf-8")
    spot = {"game": str(game), "betting": view.betting.text, "board": format_cards(view.board)}
    spot |= {"hole": format_cards(view.own_cards), "trials": "0"}
    return [sys.executable, *_COMMAND, bot, "--json", *[f"--{key}={text}" for key, text in spot.items()]]


def _last_line(done: subprocess.CompletedProcess[bytes]) -> str:
    return (done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"status {done.returncode}"])[-1]


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
