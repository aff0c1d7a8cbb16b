"""What a person is shown, as text: pure functions of the view.

A `Scene` is a view with what lies around it: names, results so far.  Its cards are the view's, and a view
holds only what its position may know, so nothing here can give a hidden card away.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Final

import attrs

from clients.human.style import Style
from engine.poker.rules import Action, BettingState, GameDefinition, HandView
from engine.poker.rules.hand_words import (
    format_chips,
    listed,
    name_shown_hands,
    round_name,
    tell_action,
    tell_posts,
    tell_winnings,
)

_MAX_NAME: Final = 16
_MAX_STACK_THAT_MATTERS: Final = 1000
"""In big blinds; deeper stacks than that stand in limit games only because the format wants a number."""

HELP: Final = Path(__file__).with_name("help.txt").read_text("utf-8").splitlines()
"""What a person may type."""


@attrs.frozen
class Scene:
    """A view, and what a player knows beside it."""

    view: HandView
    seat: int
    """The viewer's, from 0."""
    names: tuple[str, ...]
    """Players by seat."""
    chips: tuple[float, ...]
    """Chips won by each seat in the hands before this one, as far as they were seen."""
    hands_played: int
    """How many those were."""
    hands: int | None = None
    """Hands of the match; None where nobody has said."""

    def seat_of(self, position: int) -> int:
        """The seat of the player in a position of this hand."""
        return self.view.seat_of(position, self.seat)

    def name_of(self, position: int) -> str:
        """The player in a position: ``You``, or a name that fits a table."""
        return "You" if position == self.view.position else short_name(self.names[self.seat_of(position)])

    @property
    def names_by_position(self) -> list[str]:
        """`name_of` everybody."""
        return [self.name_of(position) for position in range(self.view.game.num_players)]


def short_name(name: str) -> str:
    """A player's name, printable and not too long."""
    safe = "".join([character if character.isprintable() else "?" for character in name])
    return safe if len(safe) <= _MAX_NAME else safe[: _MAX_NAME - 1] + "~"


# --- the table -------------------------------------------------------------------------------------------


def render_welcome(game: GameDefinition, seat: int, style: Style) -> list[str]:
    """The game, and the viewer's seat."""
    sizes = f", bets of {listed(sorted(set(game.raise_sizes)))}" if game.is_limit else ""
    blinds = sorted(blind for blind in game.blinds if blind)
    ante = len(blinds) == game.num_players and len(set(blinds)) == 1
    posts = f"antes of {blinds[0]}" if ante else f"blinds of {listed(blinds)}" if blinds else "no blinds"
    if game.has_antes:
        posts += f", antes of {listed(sorted({posted for posted in game.antes if posted}))}"
    place = f"You are in seat {seat + 1} of {game.num_players}."
    return _wrapped(f"{place} The game is {game.kind}, {posts}{sizes}. Type ? for help.", style)


def render_hand_start(scene: Scene, style: Style) -> list[str]:
    """A new hand: its number, the table, the viewer's cards."""
    of = f" of {scene.hands}" if scene.hands else ""
    title = f"{style.rule * 2} Hand {scene.view.hand_number + 1}{of} "
    lines = ["", style.strong(title + style.rule * (min(style.width, 60) - len(title)))]
    lines += render_table(scene, style)
    lines.append(f"Your cards: {style.cards(scene.view.own_cards)}")
    return lines


def render_table(scene: Scene, style: Style) -> list[str]:
    """Seats, chips won so far, chips in the pot, stacks where they matter, button, player to act."""
    view = scene.view
    betting, game = view.betting, view.game
    deepest = _MAX_STACK_THAT_MATTERS * max(1, game.big_blind)
    with_stacks = not game.is_limit or min(game.stacks) <= deepest
    head = f"  seat  {'player':<{_MAX_NAME}}  {'won so far':>10}  {'in the pot':>10}"
    rows = [style.faint(head + (f"  {'stack':>8}" if with_stacks else ""))]
    for seat, position in sorted((scene.seat_of(position), position) for position in range(game.num_players)):
        mark = "*" if betting.position_to_act == position else " "
        chips = f"{format_chips(scene.chips[seat], sign=True):>10}  {betting.spent[position]:>10}"
        row = f"{mark} {seat + 1:>4}  {scene.name_of(position):<{_MAX_NAME}}  {chips}"
        if with_stacks:
            row += f"  {game.betting_stacks[position] - betting.spent[position]:>8}"
        notes = ["button"] if position == game.num_players - 1 else []
        if betting.folded[position]:
            notes.append("folded")
        elif betting.spent[position] >= game.betting_stacks[position]:
            notes.append("all in")
        elif betting.position_to_act == position:
            notes.append("to act")
        rows.append((row + "  " + ", ".join(notes)).rstrip())
    return rows


# --- what happens ----------------------------------------------------------------------------------------


def render_action(scene: Scene, style: Style) -> list[str]:
    """The last action in words, and the board cards that it has brought."""
    betting = scene.view.betting
    if betting.last_step is None:
        return []
    before, position, action = betting.last_step
    lines = [describe_action(scene, before, position, action)]
    for betting_round in range(before.betting_round + 1, betting.betting_round + 1):
        new = style.cards(_cards_of(scene.view, betting_round))
        text = f"{round_name(scene.view.game, betting_round)}: {new}".rstrip(": ")
        lines.append(f"{style.rule * 2} {text} {style.faint(f'(pot {betting.pot})')}")
    return lines


def describe_action(scene: Scene, before: BettingState, position: int, action: Action) -> str:
    """An action as a sentence: ``formula raises to 40 (20 more).``"""
    is_viewer = position == scene.view.position
    return tell_action(before, position, action, scene.name_of(position), is_reader=is_viewer)


def _cards_of(view: HandView, betting_round: int) -> tuple[int, ...]:
    """The board cards that come with a round."""
    ends = (0, *view.game.board_ends)
    return view.board[ends[betting_round] : ends[betting_round + 1]]


# --- the question ----------------------------------------------------------------------------------------


def render_question(scene: Scene, style: Style) -> list[str]:
    """The view of a player who is to act, and the possible actions."""
    view = scene.view
    facts = [f"Your cards {style.cards(view.own_cards)}"]
    if view.board:
        facts.append(f"board {style.cards(view.board)}")
    facts.append(f"pot {view.pot}")
    if view.amount_to_call > 0:
        facts.append(style.strong(f"{view.amount_to_call} to call"))
    if not view.game.is_limit:
        facts.append(f"in so far {view.betting.spent[view.position]}")
    return [", ".join(facts), describe_options(view)]


def describe_options(view: HandView) -> str:
    """The legal actions of the player to act, with their amounts and what to type for them."""
    legal = view.legal_actions()
    options = ["f fold"] if legal.can_fold else []
    to_call = view.amount_to_call
    options.append(f"c call {to_call}" if to_call > 0 else "c check")
    if legal.min_raise_to is not None and legal.max_raise_to is not None:
        word = "raise" if view.betting.bets_in_round else "bet"  # blinds count as bets
        low, high = legal.min_raise_to, legal.max_raise_to
        if legal.is_limit and word == "bet":
            options.append(f"r bet {low - view.betting.spent[view.position]}")
        elif legal.is_limit:
            options.append(f"r {word} to {low} ({low - view.betting.spent[view.position]} more)")
        elif low == high:
            options.append(f"r all in, to {high}")
        else:
            options.append(f"r N {word} to {low}..{high} (+N, half, pot, all in)")
    return "  |  ".join(options)


def format_clock(seconds: float) -> str:
    """Time left as people say it: ``8 s``, ``2 min``."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


# --- the end of a hand -----------------------------------------------------------------------------------


def render_result(scene: Scene, style: Style) -> list[str]:
    """The showdown with named hands, what everybody has won, and the running result, this hand included."""
    view = scene.view
    lines = render_showdown(scene, style)
    won = view.chips_won()
    ours = scene.chips[scene.seat] + won[view.position]
    played = scene.hands_played + 1
    hands = "hand" if played == 1 else "hands"
    lines += _wrapped(tell_winnings(won, scene.names_by_position, reader=view.position), style)
    lines.append(style.strong(f"You are at {format_chips(ours, sign=True)} after {played} {hands}."))
    return lines


def render_showdown(scene: Scene, style: Style) -> list[str]:
    """The cards that were shown, named; nothing where there was no showdown."""
    view = scene.view
    if not view.betting.is_showdown:
        return []
    lines = [f"{style.rule * 2} Showdown"]
    for position, name in name_shown_hands(view.betting, view.hole_cards, view.board):
        cards = style.cards(view.hole_cards[position])
        lines.append(f"  {scene.name_of(position):<{_MAX_NAME}}  {cards}  {name}")
    return lines


# --- looking back ----------------------------------------------------------------------------------------


def render_history(scene: Scene, style: Style) -> list[str]:
    """A hand from its blinds to where it stands."""
    view = scene.view
    game = view.game
    lines = [style.strong(f"Hand {view.hand_number + 1}: your cards {style.cards(view.own_cards)}")]
    posted = tell_posts(game, scene.names_by_position)
    if posted:
        lines += _wrapped(posted, style)
    actions: dict[int, list[str]] = {}
    for before, position, action in view.betting.steps():
        told = describe_action(scene, before, position, action).rstrip(".")
        actions.setdefault(before.betting_round, []).append(told)
    for betting_round in range(view.betting_round + 1):
        cards = _cards_of(view, betting_round)
        heading = round_name(game, betting_round) + (f", {style.cards(cards)}" if cards else "")
        done = "; ".join(actions.get(betting_round, ()))
        lines += _wrapped(f"{heading}: {done}." if done else f"{heading}.", style)
    if view.is_finished:
        lines += render_showdown(scene, style)
        told = tell_winnings(view.chips_won(), scene.names_by_position, reader=view.position)
        lines += _wrapped(told, style)
    return lines


def render_state(scene: Scene, style: Style) -> list[str]:
    """Everything about a hand, for somebody who has just come, or come back."""
    return ["", *render_table(scene, style), *render_history(scene, style)]


def _wrapped(text: str, style: Style) -> list[str]:
    """A sentence broken into lines; escape sequences are few and short enough not to matter."""
    return textwrap.wrap(text, style.width, subsequent_indent="  ", break_on_hyphens=False) or [""]
