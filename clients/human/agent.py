"""A person as an agent: sees what happens, is asked when it is their turn, cannot do anything illegal.

It knows lines and text, and neither a terminal nor a socket: a shell (`clients.human.terminal`,
`clients.human.telnet`) hands it every line with `Human.hear` and shows what it writes.

What is typed before a question is asked is never taken for its answer.  So a pasted heap of lines plays at
most the hand's present decision, and a key pressed too late does not act in the next one.
"""

from __future__ import annotations

from typing import Final, Protocol

import trio

from clients.core.agent import Agent
from clients.core.mailbox import Pending
from clients.human import rendering
from clients.human.input_line import Query, parse_line
from clients.human.odds import describe_odds
from clients.human.style import Style
from engine.poker.rules import Action, GameDefinition, HandView
from engine.poker.rules.hand_words import format_chips
from engine.poker.rules.intentions import Move, Nonsense, RaiseBy, RaiseTo, action_of

NO_CLOCK_S: Final = 86_400.0
"""A table that grants a day or more for a decision has no clock worth showing."""
_WARNING_S: Final = 10.0
"""Before the end of the time for a decision; a third of it where there is less than half a minute."""


class Screen(Protocol):
    """A place for text that a person reads."""

    @property
    def style(self) -> Style:
        """All text that can be shown now."""

    def write(self, text: str) -> None:
        """Show text at once or soon; never waits, never fails."""


class Human(Agent):
    """A person; decisions are typed.

    Args:
        screen: shows what is written.
        hands: number of hands in the match, where it is known.
    """

    wants_clock = True
    is_person = True

    def __init__(self, screen: Screen, hands: int | None = None) -> None:
        self._screen = screen
        self._hands = hands
        self._scene: rendering.Scene | None = None  # of the hand that is on, or was last seen
        self._last_scene: rendering.Scene | None = None  # of the hand before that, at its end
        self._chips: tuple[float, ...] = ()
        self._hands_played = 0
        self._question: Pending | None = None
        self._was_cut_off = False
        self._is_at_prompt = False
        self._unheard = 0  # lines typed out of turn, after the first, which is answered
        self._spots, self._spots_to_do = trio.open_memory_channel[HandView](1)
        self._has_odds = False
        self.has_question = trio.Event()
        """Set while a question is open; replaced by another when it is answered."""
        self.has_quit = trio.Event()
        """The person wants to leave the match."""

    # --- what the table tells --------------------------------------------------------------------------

    def match_started(self, game: GameDefinition, seat: int) -> None:
        """Says what is being played."""
        self._chips = (0.0,) * game.num_players
        self._hands_played = 0
        self._scene = self._last_scene = None
        self._show(rendering.render_welcome(game, seat, self._style))

    def hand_started(self, view: HandView) -> None:
        """Shows the table and our cards."""
        self._last_scene = self._scene or self._last_scene
        self._show(rendering.render_hand_start(self._at(view), self._style))

    def action_seen(self, view: HandView, position: int, action: Action) -> None:
        """Puts an action in words, and the cards that have come."""
        if self._was_cut_off and position == view.position:
            self._was_cut_off = False
            self._show(["Too late: the dealer has acted for you."])
        self._show(rendering.render_action(self._at(view), self._style))

    def hand_finished(self, view: HandView) -> None:
        """Shows the showdown, and what everybody has won."""
        scene = self._at(view)
        self._show(rendering.render_result(scene, self._style))
        won = list(self._chips)
        for position, chips in enumerate(view.chips_won()):
            won[scene.seat_of(position)] += chips
        self._chips = tuple(won)
        self._hands_played += 1

    async def choose_action(self, view: HandView) -> Action:
        """Asks until the answer is a legal action."""
        for _ in range(3):  # the task that reads lines gets a turn: what is typed by now is no answer
            await trio.lowlevel.checkpoint()
        question = Pending.of(self, view)
        seconds = question.deadline - trio.current_time()
        self._question = question
        self._at(view)
        self._was_cut_off = True
        try:
            self._ask()
            self.has_question.set()
            with trio.move_on_at(question.deadline - min(_WARNING_S, seconds / 3)):
                await question.answered.wait()
            if question.action is None:
                left = max(0.0, question.deadline - trio.current_time())
                self._show([f"Hurry: {rendering.format_clock(left)} left, then the dealer acts for you."])
                self._prompt()
                await question.answered.wait()
        finally:
            self._question = None
            self._close_question()
        assert question.action is not None  # that is what `answered` means
        self._was_cut_off = False
        return question.action

    # --- what the person types -------------------------------------------------------------------------

    def hear(self, line: str) -> None:
        """Take one line the person has typed, in turn or out of turn."""
        self._is_at_prompt = False  # Enter has moved the cursor on
        intention = parse_line(line)
        question = self._question
        if question is not None and question.action is not None:
            question = None  # answered already; the table has not noticed yet
        if isinstance(intention, Query):
            self._answer_query(intention)
        elif question is None:
            self._decline(intention)
            return
        elif isinstance(intention, Nonsense):
            self._show([f"{intention.text} ? helps.", rendering.describe_options(question.view)])
        else:
            self._decide(question, intention)
        self._prompt_again()

    def _decide(self, question: Pending, intention: Move | RaiseTo | RaiseBy) -> None:
        action = action_of(intention, question.view)
        if isinstance(action, Nonsense):
            self._show([action.text, rendering.describe_options(question.view)])
            return
        assert action in question.view.legal_actions()  # whatever was typed
        question.action = action
        question.answered.set()
        self._close_question()

    def _close_question(self) -> None:
        if self.has_question.is_set():
            self.has_question = trio.Event()

    def _decline(self, intention: Move | RaiseTo | RaiseBy | Nonsense) -> None:
        """Say, once until the next question, that it is not the person's turn."""
        self._unheard += 1
        if self._unheard == 1:
            whose = self._whose_turn()
            if isinstance(intention, Nonsense):
                self._show([f"{intention.text} {whose} either; ? helps."])
            else:
                self._show([f"{whose}: what you typed is not played."])

    def _whose_turn(self) -> str:
        scene = self._scene
        acting = None if scene is None else scene.view.betting.position_to_act
        if scene is None or acting is None or acting == scene.view.position:
            return "It is not your turn"
        return f"It is not your turn but {scene.name_of(acting)}'s"

    def _answer_query(self, query: Query) -> None:
        scene, style = self._scene, self._style
        match query:
            case Query.HELP:
                self._show(rendering.HELP)
            case Query.QUIT:
                self.has_quit.set()
            case Query.LAST:
                last = self._last_scene
                none = ["There is no hand before this one."]
                self._show(none if last is None else rendering.render_history(last, style))
            case _ if scene is None:
                self._show(["No hand has been dealt yet."])
            case Query.HISTORY:
                self._show(rendering.render_history(scene, style))
            case Query.TABLE:
                self._show(rendering.render_table(scene, style))
            case Query.ODDS:
                self._ask_for_odds(scene.view)
            case Query.NOTHING:
                if self._question is not None:
                    self._show(rendering.render_table(scene, style) + rendering.render_question(scene, style))

    # --- odds, which take time ---------------------------------------------------------------------------

    def _ask_for_odds(self, view: HandView) -> None:
        try:
            self._spots.send_nowait(view)
        except trio.WouldBlock:
            self._show(["The last odds are still being worked out."])
            return
        if view.game.is_holdem and not self._has_odds:
            self._show(["The odds are being worked out; the first time takes a few seconds."])

    async def work_out_odds(self) -> None:
        """Answer the questions for odds, one after the other, in a thread; for ever.  The shell starts it."""
        async for view in self._spots_to_do:
            self._has_odds = True
            lines = await trio.to_thread.run_sync(_odds_or_excuse, view, self._style, abandon_on_cancel=True)
            self._show(lines)
            self._prompt_again()

    # --- text ------------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Show a line that is not about the hand; a question that is open is still open after it."""
        self._show([text])
        self._prompt_again()

    def show_state(self) -> None:
        """Show everything, to a person who has come back."""
        self._is_at_prompt = False
        if self._scene is None:
            self._show(["You are at the table; no hand has been dealt yet."])
            return
        self._show(rendering.render_welcome(self.game, self.seat, self._style))
        self._show(rendering.render_state(self._scene, self._style))
        if self._question is not None and self._question.action is None:
            self._ask()

    def summary(self) -> str:
        """The result of the match so far, for this player."""
        if not self._hands_played:
            return "No hand was finished."
        hands = "1 hand" if self._hands_played == 1 else f"{self._hands_played} hands"
        return f"Your result: {format_chips(self._chips[self.seat], sign=True)} chips in {hands}."

    def _ask(self) -> None:
        assert self._question is not None
        assert self._scene is not None
        if self._unheard > 1:
            self._show([f"({self._unheard} lines typed before your turn were not played.)"])
        self._unheard = 0
        self._show(rendering.render_question(self._scene, self._style))
        self._prompt()

    def _prompt(self) -> None:
        assert self._question is not None
        left = self._question.deadline - trio.current_time()
        clock = f"[{rendering.format_clock(max(left, 0))}] " if left < NO_CLOCK_S else ""
        self._write(f"{clock}> ")
        self._is_at_prompt = True

    def _prompt_again(self) -> None:
        question = self._question
        if question is not None and question.action is None and not self.has_quit.is_set():
            self._prompt()

    def _show(self, lines: list[str]) -> None:
        if lines:
            self._write("\n".join(lines) + "\n")

    def _write(self, text: str) -> None:
        if self._is_at_prompt:  # something happens while the person is typing
            text = "\n" + text
            self._is_at_prompt = False
        self._screen.write(text)

    @property
    def _style(self) -> Style:
        return self._screen.style

    def _at(self, view: HandView) -> rendering.Scene:
        """The scene of a view, which becomes the present one."""
        names = self.names
        if names is None or len(names) != self.game.num_players:
            names = tuple(f"seat {seat + 1}" for seat in range(self.game.num_players))
        self._scene = rendering.Scene(view, self.seat, names, self._chips, self._hands_played, self._hands)
        return self._scene


def _odds_or_excuse(view: HandView, style: Style) -> list[str]:
    """The odds; a line instead where the engine cannot be had, for a table must not end over that."""
    try:
        return describe_odds(view, style)
    except (ImportError, ValueError, OSError) as error:
        return [f"The odds cannot be worked out: {error}."]
