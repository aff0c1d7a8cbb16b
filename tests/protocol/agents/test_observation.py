import json
import random
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from jsonschema import Draft202012Validator

from engine.poker import rules
from engine.poker.cards import parse_cards
from protocol import BadMatchState
from protocol.agents.observation import SCHEMA, observe, rules_in_words, view_of
from tests.support.hands.strategies import play
from tests.support.hands.views import view_after

VALID = Draft202012Validator(SCHEMA)


def random_views(game: rules.GameDefinition, hands: int) -> Iterator[tuple[rules.HandView, int]]:
    rng = random.Random(7)
    for hand in range(hands):
        states = play(game, hand, [rng.randrange(2**16) for _ in range(300)])
        for state in states:
            view = state.view(rng.randrange(game.num_players))
            yield attrs.evolve(view, hand_number=hand), (view.position + hand) % game.num_players


def replayed(seen: dict[str, Any]) -> str:
    """The betting's text by the observation's actions alone, each of which has the sizes that it says."""
    game = rules.parse_game(seen["game"]["definition"].replace(";", "\n"), "game")
    positions = {place["seat"]: place["position"] for place in seen["seats"]}
    node = rules.initial_betting(game)
    for each in seen["actions"]:
        assert positions[each["seat"]] == node.position_to_act
        sized = rules.LIMIT_RAISE if game.is_limit else rules.raise_to(each.get("to", 0))
        action = {"fold": rules.FOLD, "check": rules.CALL, "call": rules.CALL, "bet": sized, "raise": sized}[
            each["do"]
        ]
        after = node.apply(action)
        actor = positions[each["seat"]]
        assert each.get("put_in", 0) == max(0, after.spent[actor] - node.spent[actor])
        assert each.get("to", after.spent[actor]) == after.spent[actor]
        node = after
    for place in seen["seats"]:
        assert place["in_pot"] == node.spent[place["position"]]
        assert place["folded"] == node.folded[place["position"]]
    return node.text


@pytest.mark.parametrize("hands", [4, pytest.param(800, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", rules.game_names())
def test_an_observation_tells_the_whole_view_and_nothing_else(name: str, hands: int) -> None:
    for view, seat in random_views(rules.load_game(name), hands):
        seen = observe(view, seat, "1.2.3", 9.5)
        again = json.loads(json.dumps(seen))
        VALID.validate(again)
        assert len(json.dumps(seen)) < 8192

        back = view_of(again)
        assert (back.betting.text, back.game) == (view.betting.text, view.game)
        assert attrs.evolve(back, betting=view.betting) == view
        assert replayed(again) == view.betting.text
        assert parse_cards("".join(seen["you"]["cards"])) == view.own_cards
        assert seen["pot"] == view.pot
        by_seat = {place["seat"]: place for place in seen["seats"]}
        assert list(by_seat) == list(range(view.game.num_players))
        shown = [p["position"] for p in seen["seats"] if p["cards"]]
        assert shown == [
            p["position"] for p in seen["seats"]
            if view.is_finished and p["position"] != view.position and view.hole_cards[p["position"]]
        ]  # fmt: skip
        if view.is_finished:
            assert [seen["won"][str(each)] for each in by_seat] == [
                view.chips_won()[by_seat[each]["position"]] for each in by_seat
            ]


def test_the_example_of_the_guide_is_what_is_sent() -> None:
    seen = observe(view_after("nolimit-2p", "r300c/r600", hole="AsKd", board="Qh7c2d"), 0, "1.0.3", 9.8)

    assert (seen["street"], seen["pot"], seen["board"]) == ("flop", 900, ["Qh", "7c", "2d"])
    assert seen["legal"] == {
        "fold": True,
        "call": 300,
        "raise": {"word": "raise", "limit": False, "least": 900, "most": 20000, "half": 1200, "pot": 1800},
        "why_no_raise": "",
    }
    assert seen["actions"][0] == {"street": "preflop", "seat": 0, "do": "raise", "to": 300, "put_in": 250}
    assert [place["name"] for place in seen["seats"]] == ["BTN/SB", "BB"]
    assert seen["match_state"].startswith("MATCHSTATE:1:0:r300c/r600:|AsKd/")


@pytest.mark.parametrize("state", [{}, {"game": 3}, {"game": {"definition": "x"}, "match_state": "y"}])
def test_what_is_no_observation_is_refused(state: dict[str, Any]) -> None:
    with pytest.raises((BadMatchState, ValueError)):
        view_of(state)


def test_the_rules_are_told_in_words_without_advice() -> None:
    words = [rules_in_words(rules.load_game(name)) for name in ("nolimit-6p-ante", "limit-2p", "leduc")]

    assert "pays an ante" in words[0]
    assert "A raise adds 10, 10, 20, 20 chips by round; at most 3, 4, 4, 4 raises" in words[1]
    assert "6 cards (Qh Kh Ah Qs Ks As)" in words[2]
