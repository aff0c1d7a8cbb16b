"""Hands told again: in the words of those who sat there, with all that is known and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from clients.human.rendering import Scene, render_action
from clients.human.style import PLAIN
from engine.poker.rules import HandState
from engine.poker.rules.hand_words import tell_posts, tell_winnings
from server.commands.look_back.replay import replay, step_through
from server.records.formats.acpc import read_acpc
from server.records.formats.hands import PlayedHand
from server.records.telling import replay_page, tell_hand
from tests.server.records.formats.test_formats import golden_hands, phh
from tests.support.hands.golden_files import GOLDEN

THREE = GOLDEN / "random.holdem.nolimit.3p.0.log.gz"


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(replay, list(map(str, words)))
    return result.exit_code, result.output


def test_a_hand_from_its_deal_to_its_end() -> None:
    status, output = run(GOLDEN / "random.leduc.0.log.gz", "--hand", "0")

    assert (status, output) == (
        0,
        f"""\
-- Hand 0 ({GOLDEN / "random.leduc.0.log.gz"}:5): limit poker, 2 players
  1st   p0  Ah
  2nd   p1  Ks
Posted: p0 1, p1 1.
p0 bets 2.
p1 calls 2.
-- Round 2: Kh (pot 6)
p0 checks.
p1 bets 4.
p0 raises to 11 (8 more).
p1 calls 4.
-- Showdown
  p0  Ah  high card, ace and king
  p1  Ks  pair of kings
p1 wins 11; p0 loses 11.

""",
    )


@pytest.mark.parametrize("name", ["random.holdem.nolimit.6p.0", "random.holdem.limit.3p.0", "random.leduc.0"])
def test_actions_are_told_as_to_those_who_play(name: str) -> None:
    """Whoever looks on from a seat reads the same sentences, but for what they do themselves."""
    for hand in golden_hands(name, 10):
        _, *moments, _ = tell_hand(hand)
        befores = [before for before, _, _ in hand.state.betting.steps()]
        for after, (sentence, *cards) in zip([*befores[1:], hand.state.betting], moments, strict=True):
            view = HandState(after, hand.number, hand.state.deal).view(0)
            said, *dealt = render_action(Scene(view, 0, hand.names, (0.0,) * len(hand.names), 0), PLAIN)
            assert dealt == cards
            assert said == sentence or said.startswith("You ")


def test_antes_and_cards_that_nobody_knows(tmp_path: Path) -> None:
    path = tmp_path / "a.phh"
    path.write_text(phh())

    status, output = run(path)

    assert status == 0
    assert "Posted: p1 50, p2 60 and an ante of 100." in output
    assert re.search(r"BTN   p3  \?  +2000 chips", output)
    assert "p3  ?" not in output.partition("-- Showdown")[2]
    assert output.endswith("p1 wins 460; p2 loses 160; p3 loses 300.\n\n")


def test_a_log_that_has_not_such_a_hand() -> None:
    status, output = run(THREE, "--hand", "1000")

    assert (status, output) == (1, f"Error: {THREE}: there is no hand 1000: it has hands 0 to 999\n")


def test_posts_and_results_of_nobody() -> None:
    game = golden_hands("random.leduc.0", 1)[0].game
    assert tell_posts(game, ("a", "b")) == "Posted: a 1, b 1."
    assert tell_winnings((0.0, 0.0), ("a", "b")) == "The pot is split: nobody wins anything."
    assert tell_winnings((0.5, -0.5), ("You", "b"), reader=0) == "You win 0.5; b loses 0.5."


def test_a_page_tells_the_same(tmp_path: Path) -> None:
    page = tmp_path / "a.html"

    status, output = run(THREE, "--hand", "3", "--html", page)

    assert (status, output) == (0, f"written to {page}\n")
    text = page.read_text("utf-8")
    (hand,) = [each for each in golden_hands("random.holdem.nolimit.3p.0", 4) if each.number == 3]
    for sentence, *_ in list(tell_hand(hand))[1:-1]:
        assert f"<li>{sentence}</li>" in text
    assert re.search(r'<span class="[cdhs]">[2-9TJQKA][♣♦♥♠]</span>', text)
    assert not re.search(r"(?:src|href)=|<script|url\(", text)
    assert run(THREE, "--html", page) == (1, f"Error: {page} would be overwritten; --force does it\n")
    assert run(THREE, "--hand", "3", "--html", page, "--force")[0] == 0


def test_names_cannot_forge_a_page_or_a_line(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("STATE:0:crf:Ah|Ks:-1|1:<b>x|\x1b[2Jy\n")
    (hand,) = [each for each in read_acpc(log, "leduc") if isinstance(each, PlayedHand)]

    text = replay_page([hand], "<i>")

    assert "<b>" not in text
    assert "<i>" not in text
    assert "&lt;b&gt;x" in text
    status, output = run(log, "--game", "leduc")
    assert (status, "\x1b" in output) == (0, False)


@pytest.mark.parametrize(("keys", "told"), [("\r\r q", 4), ("hq", 2), ("xq", 1), ("", 1)])
def test_in_a_terminal_each_action_waits_for_a_key(
    keys: str, told: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(keys)

    def getchar() -> str:
        key = next(typed, None)
        if key is None:
            raise EOFError
        return key

    monkeypatch.setattr(click, "getchar", getchar)

    step_through(iter(golden_hands("random.holdem.nolimit.3p.0", 3)))

    text = capsys.readouterr().out
    sentences = re.findall(r"^p\d (?:calls|raises|bets|checks|folds)", text, re.MULTILINE)
    assert text.count("-- Hand ") + len(sentences) == told
