from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from clients.bots.baselines import Random
from clients.core.registry import make_bot
from clients.core.session import SessionError
from clients.lab.adapters.pypokerengine import PyPokerEngine
from engine.poker.rules import HandView, load_game
from tests.support.observers import log_of

HAS_LIBRARY = find_spec("pypokerengine") is not None
needs_library = pytest.mark.skipif(not HAS_LIBRARY, reason="needs PyPokerEngine")
GAMES = ("nolimit-2p-100bb", "limit-2p", "nolimit-3p", "nolimit-6p-ante")

PLAYER = '''\
"""A player of our own that adds up what it is told, as that engine's emulator does."""
import random

from pypokerengine.players import BasePokerPlayer

HEARD = []


class Player(BasePokerPlayer):
    def receive_game_start_message(self, info):
        HEARD.append("game")
        self.stack = info["rule"]["initial_stack"]
        assert len(info["seats"]) == info["player_num"]

    def receive_round_start_message(self, count, cards, seats):
        HEARD.append("round")
        self.cards, self.streets, self.updates = cards, [], 0
        assert len(cards) == 2 and all(card[0] in "CDHS" and card[1] in "23456789TJQKA" for card in cards)

    def receive_street_start_message(self, street, state):
        self.streets.append(street)
        assert state["street"] == street and not state["action_histories"].get(street) or street == "preflop"
        assert len(state["community_card"]) == {"preflop": 0, "flop": 3, "turn": 4, "river": 5}[street]

    def receive_game_update_message(self, action, state):
        self.updates += 1
        assert action["action"] in ("fold", "call", "raise")

    def declare_action(self, offered, cards, state):
        assert cards == self.cards and state["street"] == self.streets[-1]
        paid = self.added_up(state)
        mine = next(seat for seat in state["seats"] if seat["uuid"] == self.uuid)
        assert state["next_player"] == state["seats"].index(mine)
        kind = random.choice(["fold", "call", "call", "raise"])
        low, high = offered[2]["amount"]["min"], offered[2]["amount"]["max"]
        if kind == "raise" and low > 0:
            assert high - self.on_street(state) <= mine["stack"], (high, paid, mine)
            return "raise", random.choice([low, high, random.randint(low, high)])
        return ("call", offered[1]["amount"]) if kind == "raise" else (kind, 0)

    def receive_round_result_message(self, winners, shown, state):
        HEARD.append("result")
        assert winners and state["street"] == "showdown"
        entries = sum(state["action_histories"].values(), [])
        posts = ("ANTE", "SMALLBLIND", "BIGBLIND")
        assert self.updates == sum(entry["action"] not in posts for entry in entries)

    def on_street(self, state):
        own = [e for e in state["action_histories"][state["street"]] if e["uuid"] == self.uuid]
        return next((e["amount"] for e in reversed(own) if e["action"] not in ("FOLD", "ANTE")), 0)

    def added_up(self, state):
        paid = {}
        for entry in sum(state["action_histories"].values(), []):
            if entry["action"] != "FOLD":
                chips = entry["paid"] if "paid" in entry else entry["amount"]
                paid[entry["uuid"]] = paid.get(entry["uuid"], 0) + chips
        for seat in state["seats"]:
            assert paid.get(seat["uuid"], 0) + seat["stack"] == self.stack, seat
        pots = [state["pot"]["main"], *state["pot"]["side"]]
        assert sum(pot["amount"] for pot in pots) == sum(paid.values()), pots
        return paid
'''


class Watched(PyPokerEngine):
    """Counts decisions; an illegal one would end the bot."""

    decisions = 0

    def _answer(self, view: HandView) -> dict[str, Any]:
        self.decisions += 1
        return super()._answer(view)


async def played(file: Path, class_: str, game: str, hands: int) -> tuple[Watched, list[str]]:
    agent = Watched(file, class_)
    others = [Random() for _ in range(load_game(game).num_players - 1)]
    return agent, await log_of(game, [agent, *others], hands)


@pytest.mark.parametrize(
    "hands", [60, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])]
)
@pytest.mark.parametrize("game", GAMES)
async def test_a_player_plays_legal_hands_and_what_it_is_told_adds_up(
    game: str, hands: int, tmp_path: Path
) -> None:
    file = tmp_path / "player.py"
    file.write_text(PLAYER)

    agent, log = await played(file, "Player", game, hands)
    heard = _heard(agent)

    assert heard == ["game", *["round", "result"] * hands]
    assert agent.decisions > hands / 3
    assert (await played(file, "Player", game, hands))[1] == log  # the same match again


def _heard(agent: PyPokerEngine) -> list[str]:
    found: list[str] = type(agent._player).receive_game_start_message.__globals__["HEARD"]
    return found


@needs_library
@pytest.mark.parametrize(
    "hands", [30, pytest.param(10_000, marks=[pytest.mark.slow, pytest.mark.timeout(900)])]
)
@pytest.mark.parametrize("game", GAMES)
async def test_the_library_s_own_engine_reads_the_same_hands(game: str, hands: int, tmp_path: Path) -> None:
    """It restores its table from each state, and offers what we offer."""
    file = tmp_path / "player.py"
    file.write_text(
        PLAYER
        + """

from pypokerengine.engine.action_checker import ActionChecker
from pypokerengine.engine.data_encoder import DataEncoder
from pypokerengine.utils.game_state_utils import restore_game_state


class Restoring(Player):
    def declare_action(self, offered, cards, state):
        table = restore_game_state(state)["table"]
        players = table.seats.players
        theirs = ActionChecker.legal_actions(players, state["next_player"], state["small_blind_amount"])
        assert theirs[1]["amount"] == offered[1]["amount"], (theirs, offered)
        ours, theirs = offered[2]["amount"], theirs[2]["amount"]
        if 0 < ours["min"] < ours["max"]:
            assert theirs["max"] == ours["max"] and theirs["min"] <= ours["min"]
            if len(state["community_card"]) and all(seat["state"] != "allin" for seat in state["seats"]):
                assert theirs["min"] == ours["min"]
        assert DataEncoder.encode_pot(players)["main"]["amount"] == state["pot"]["main"]["amount"]
        return super().declare_action(offered, cards, state)

    def receive_round_result_message(self, winners, shown, state):
        super().receive_round_result_message(winners, shown, state)
        assert all(each["hand"]["hand"]["strength"] for each in shown)
"""
    )
    agent, _ = await played(file, "Restoring", game, hands)

    assert agent.decisions > hands / 3


@needs_library
async def test_bots_of_the_library_play(tmp_path: Path) -> None:
    file = tmp_path / "honest.py"
    file.write_text("""
from pypokerengine.players import BasePokerPlayer
from pypokerengine.utils.card_utils import estimate_hole_card_win_rate, gen_cards

class Honest(BasePokerPlayer):
    def receive_game_start_message(self, info):
        self.players = info["player_num"]

    def declare_action(self, offered, cards, state):
        board = gen_cards(state["community_card"])
        rate = estimate_hole_card_win_rate(20, self.players, gen_cards(cards), board)
        chosen = offered[1] if rate >= 1 / self.players else offered[0]
        return chosen["action"], chosen["amount"]

    def ignored(self, *told):
        pass

    receive_round_start_message = receive_street_start_message = ignored
    receive_game_update_message = receive_round_result_message = ignored
""")
    agent, log = await played(file, "Honest", "nolimit-3p", 20)

    assert len(log) == 20
    assert agent.decisions > 10


BASE = "from pypokerengine.players import BasePokerPlayer\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BASE, "has no Bot"),
        ("def Bot(x): pass", "Bot of .* cannot be made: TypeError"),
        ("raise ValueError('no')", "cannot be run"),
        pytest.param(
            "from pypokerengine.utils.card_utils import gen_cards", "pip install PyPokerEngine",
            marks=pytest.mark.skipif(HAS_LIBRARY, reason="PyPokerEngine is installed"),
        ),
    ],
)  # fmt: skip
def test_a_file_without_a_player_is_refused_in_one_line(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(text)

    with pytest.raises(ValueError, match=why):
        make_bot(f"pypokerengine:file={tmp_path / 'bot.py'},class=Bot")


ANSWERING = f"""{BASE}class Bot(BasePokerPlayer):
    def declare_action(self, *told): return ANSWER
    def ignored(self, *told): ...
    receive_game_start_message = receive_round_start_message = receive_street_start_message = ignored
    receive_game_update_message = receive_round_result_message = ignored
"""


@pytest.mark.parametrize(
    ("answer", "why"),
    [("'dance', 0", "expected fold, call or raise"), ("1 / 0", "line 3, in hand 0: ZeroDivisionError")],
)
async def test_a_player_that_fails_ends_its_bot_in_one_line(answer: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(ANSWERING.replace("ANSWER", answer))
    with pytest.raises(SessionError, match=why):
        await played(tmp_path / "bot.py", "Bot", "nolimit-2p-100bb", 1)


@pytest.mark.parametrize("answer", [("raise", -1), ("raise", 7.0), ("fold", 0)])
async def test_what_is_illegal_there_is_a_fold_or_a_check_here(
    answer: tuple[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text(ANSWERING.replace("ANSWER", str(answer)))
    _, log = await played(tmp_path / "bot.py", "Bot", "nolimit-2p", 20)  # big blind 100: 7 is no raise

    assert len(log) == 20
