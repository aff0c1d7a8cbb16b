"""FILE.toml: mistakes are told with their line, what was expected, and the nearest name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from engine.poker.match_key import parse_match_seed
from server.league.formats.round_robin import ROUND_ROBIN
from server.league.match import match_cards
from server.league.plan import Match, Rule, RunOff
from server.league.plan_file import parse_plan
from server.support.toml_text import FileMistake
from tests.server.league.houses import plan_of

ISSUE: Final = Path(__file__).with_name("least.toml").read_text("utf-8")


def test_the_least_file_is_a_duplicate_round_robin() -> None:
    plan = plan_of(ISSUE)

    assert (plan.name, plan.format, plan.seed) == ("cup", ROUND_ROBIN, "7")
    assert plan.names == ("call", "Ann")
    assert plan.entrants[1].text == "python bots/ann.py --fast"
    assert plan.entrants[1].members == ("Ann", "Bo")
    (event,) = plan.events
    assert (event.hands, event.duplicate, event.matches, event.passes) == (200, True, 1, 2)
    assert plan.failures.rule is Rule.FOLD
    assert plan.run_off is RunOff.BANKROLL


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("name = \"call\"", "nmae = \"call\"", ":9:1: [[players]] has no key 'nmae' (did you mean name?)"),
        ('"round-robin"', '"round-robbin"', "cup.toml:3:1: format: expected \"round-robin\" or"),
        ('"round-robin"', '"round-robbin"', "(did you mean round-robin?)"),
        ('"limit-2p"', '"limit-2q"', "cup.toml:6:1: there is no game 'limit-2q': "),
        ('"limit-2p"', '"limit-2q"', "(did you mean limit-2p"),
        ('"always-call"', '"allways-call"', ":10:1: there is neither a bot nor a program 'allways-call'"),
        ('"always-call"', '"allways-call"', "(did you mean always-call"),
        ("hands = 200", "hands = 0", ":7:1: hands: expected a whole number from 1 to 4294967295, got 0"),
        ("hands = 200", 'hands = "many"', "cup.toml:7:1: hands: expected a whole number"),
        ("hands = 200", "hands = ", "cup.toml:7:27: not TOML: "),
        ('name = "call"', 'name = "Ann"', "cup.toml:12:1: two players are named 'Ann', the first in line 9"),
        ('name = "call"', 'name = "a|b"', "cup.toml:9:1: invalid player name 'a|b'"),
        ("[game]", "[gmae]", "cup.toml:1:1: the file has no game: expected a table [game]"),
        ("seed = 7", "seed = -7", "cup.toml:4:1: seed: expected a seed"),
        ("seed = 7", "rounds = 3", 'cup.toml:4:1: rounds goes with format = "swiss"'),
        ("seed = 7", "in_process = true", "cup.toml:4:1: in_process is for installed bots, and Ann is none"),
        ('"limit-2p"', '"limit-3p"', "cup.toml:6:1: limit-3p is for 3 players, the file has 2"),
        ('"round-robin"', '"gauntlet"\nchallengers = ["Anne"]', "no player 'Anne' (did you mean Ann?)"),
        ("[game]", "[failures]\nrule = \"fold\"\nrestarts = 3\n[game]", "cup.toml:7:1: restarts goes with"),
        ("[game]", "[budget]\nspend = \"halving\"\n[game]", "cup.toml:6:1: spend = \"halving\" needs hands"),
        ("[game]", "[limits]\nresponse_time = nan\n[game]", "cup.toml:6:1: response_time: expected a number"),
        ("hands = 200", 'until = "decidd"', 'cup.toml:7:1: until: expected "decided"'),
        ("hands = 200", "until = 0", "cup.toml:7:1: until: expected a number above 0, got 0"),
        ("hands = 200", "until = true", "cup.toml:7:1: until: expected a number"),
        ("always-call", "wait", "cup.toml:10:1: nobody can be waited for in a tournament"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(old: str, new: str, complaint: str) -> None:
    assert old in ISSUE

    with pytest.raises(FileMistake, match=r"^cup\.toml:[^\n]*\Z") as caught:
        parse_plan(ISSUE.replace(old, new, 1), Path("cup.toml"))

    assert complaint in str(caught.value)


def test_a_match_has_a_folder_of_its_own_whatever_its_players_are_called() -> None:
    matches = [
        Match(0, 1, ("a", "b")),
        Match(0, 2, ("a", "b")),
        Match(1, 1, ("a", "b")),
        Match(0, 1, ("a", "b"), "final"),
        Match(0, 1, ("a-v-b", "c")),
        Match(0, 1, ("a", "b-v-c")),
        Match(0, 1, ("ä", "b")),
        Match(0, 1, ("ö", "b")),
        Match(0, 1, ("x" * 100, "b")),
        Match(0, 1, ("x" * 100, "c")),
    ]

    assert matches[0].id == "a-v-b-001"
    assert len({match.id for match in matches}) == len(matches)
    assert all(len(match.id) < 120 and match.id.isascii() for match in matches)


def test_matches_of_a_number_have_the_same_cards_unless_the_file_says_otherwise() -> None:
    for text in ("7", "ab" * 32):
        seed = parse_match_seed(text)
        one, other, third = Match(0, 1, ("a", "b")), Match(0, 1, ("a", "c")), Match(0, 2, ("a", "b"))
        assert match_cards(seed, one, common=True) == match_cards(seed, other, common=True)
        assert match_cards(seed, one, common=True) != match_cards(seed, third, common=True)
        assert match_cards(seed, one, common=False) != match_cards(seed, other, common=False)
        assert match_cards(seed, one, common=True) != match_cards(seed, Match(1, 1, ("a", "b")), common=True)
