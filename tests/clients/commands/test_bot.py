"""Bots by name with their options, and the commands, down to exit status and stderr."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import EntryPoint, PackageNotFoundError, metadata, version
from pathlib import Path
from typing import Literal

import pytest
from click.testing import CliRunner

from clients.bots.baselines import AlwaysCall, Random
from clients.commands.play import bot as cli
from clients.core import registry
from clients.core.agent import Agent
from clients.core.arena import Arena
from clients.core.options import OptionError, describe_options, make_agent, parse_settings
from clients.core.registry import UnknownBot, installed_bots, load_bot, make_bot
from engine.poker.rules import format_game, load_game, packaged_games, parse_game
from tests.support.asserting import refuses
from tests.support.cases import cases
from tests.support.commands import run_here
from tests.support.dealer_process import PATIENCE_S, ROOT, environment, players_environment, run_to_end
from tests.support.interpreter import imported_by
from tests.support.matches import bot

BASELINES = ("always-all-in", "always-call", "always-fold", "always-raise", "random")


class Choosy(Agent):
    """Has options of every type."""

    def __init__(
        self,
        trials: int = 100,
        speed: float = 1.0,
        loud: bool = False,
        mood: Literal["calm", "angry"] = "calm",
        model: Path | None = None,
        limit: int | None = 5,
        *,
        name_: str = "x",
        size: object = 3,
    ) -> None:
        self.values = (trials, speed, loud, mood, model, limit, name_, size)


def test_options_are_converted_as_they_are_annotated() -> None:
    settings = "trials=7 speed=1e-3 loud mood=angry model=a/b limit=none name= size=9"

    agent = make_agent("choosy", Choosy, parse_settings(settings.split()))

    assert isinstance(agent, Choosy)
    assert agent.values == (7, 0.001, True, "angry", Path("a/b"), None, "", "9")


@pytest.mark.parametrize(("setting", "message"), cases(__file__, "bad options"))
def test_a_bad_option_gives_one_clear_line(setting: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        make_agent("choosy", Choosy, parse_settings([setting]))

    assert str(caught.value) == message


def test_a_word_with_a_flag_is_a_bot() -> None:
    assert make_bot("simple:preflop-only")._preflop_only is True  # type: ignore[attr-defined]
    assert make_bot("simple:preflop-only=off")._preflop_only is False  # type: ignore[attr-defined]
    assert make_bot("simple")._preflop_only is False  # type: ignore[attr-defined]


def test_what_an_agent_refuses_is_an_option_error_too() -> None:
    refuses(OptionError, "random does not take these options: expected weights", make_bot, "random:call=-1")


def test_bots_are_made_of_one_word() -> None:
    agent = make_bot("random:raise=0,fold=0.5")

    assert isinstance(agent, Random)
    assert agent._weights == (0.5, 0.47, 0)
    assert isinstance(make_bot("always-call"), AlwaysCall)


def test_an_agent_without_options_says_so() -> None:
    refuses(OptionError, "always-call has no option 'x'; it has none", make_bot, "always-call:x=1")
    assert describe_options(AlwaysCall) == ""
    assert describe_options(Random) == "fold=0.06 call=0.47 raise=0.47"


@pytest.mark.parametrize("game", packaged_games())
@pytest.mark.parametrize("name", sorted(installed_bots()))
def test_a_bot_plays_a_game_or_refuses_it_in_one_line(name: str, game: str) -> None:
    """As `riverboat bot` shows it: an OptionError is one line and exit status 2."""
    definition = load_game(game)
    complaint = ""

    try:
        agents = [make_bot(name), *(AlwaysCall() for _ in range(definition.num_players - 1))]
        Arena(definition, agents, 1).play(3 if definition.num_players < 5 else 1)
    except OptionError as error:
        complaint = str(error)

    is_small = game in ("leduc", "kuhn-2p", "kuhn.limit.3p")
    is_heads_up_limit = game == "holdem.limit.2p.reverse_blinds"
    is_heads_up_no_limit = game in ("holdem.nolimit.2p.reverse_blinds", "nolimit-2p-100bb")
    if name == "equilibrium":
        assert bool(complaint) == (not is_small and not is_heads_up_limit and not is_heads_up_no_limit)
    elif name in ("decide", "llm", "openspiel", "pypokerengine", "rlcard", "skeleton"):
        assert "expected" in complaint or "needs" in complaint or "cannot be read" in complaint
    elif name == "portfolio":
        assert bool(complaint) == (game not in ("leduc", "kuhn-2p") and not is_heads_up_limit)
    elif name == "resolver":
        assert bool(complaint) != is_heads_up_no_limit
    elif name == "adaptive":
        assert bool(complaint) == (is_small or definition.num_players > 2)
    elif name in ("sampling", "street-learner") and any(definition.antes):
        assert "antes" in complaint
    else:
        assert bool(complaint) == (is_small and name not in BASELINES)
    assert len(complaint.splitlines()) <= 1


def test_an_unknown_bot_names_those_there_are() -> None:
    with pytest.raises(
        UnknownBot, match=r"there is no bot 'nosuch'; there are adaptive, always-all-in, always-call"
    ):
        load_bot("nosuch")


def test_bots_lists_names_and_descriptions() -> None:
    result = CliRunner().invoke(cli.bots)

    assert result.exit_code == 0
    assert re.search(
        r"^always-call .*\n    Calls or checks, whatever happens\.$", result.stdout, re.MULTILINE
    )
    assert "    fold=0.06\n    call=0.47" in CliRunner().invoke(cli.bots, ["random"]).stdout


def test_bots_as_json_is_one_object_and_survives_a_broken_package(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module:Bot", registry.GROUP)
    monkeypatch.setattr(registry, "installed_bots", lambda: {"broken": broken})

    listed = json.loads(CliRunner().invoke(cli.bots, ["--json"]).stdout)

    about = "cannot be loaded: No module named 'no_such_module'"
    assert listed == {
        "bots": [{"name": "broken", "about": about, "options": "", "from": "no_such_module:Bot"}]
    }


# --- as programs -----------------------------------------------------------------------------------------


def run(command: Sequence[str], **variables: str) -> tuple[int, str]:
    """Exit status and stderr of a program; nothing may be on stdout."""
    done = run_to_end(command, env=players_environment() | variables)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def scripted_port() -> Iterator[tuple[int, list[bytes], list[bytes]]]:
    """A port at which the first client is sent some bytes, after its own first ones, and closed on."""
    to_send: list[bytes] = []
    received: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(PATIENCE_S)

    def serve() -> None:
        client, _ = listener.accept()
        with client:
            received.append(client.recv(4096))
            for data in to_send:
                client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            while client.recv(4096):
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    yield listener.getsockname()[1], to_send, received
    listener.close()
    thread.join()


def test_nobody_at_the_port() -> None:
    port = closed_port()

    status, stderr = run([*bot("always-call"), "127.0.0.1", str(port)])

    assert status == 1
    seed, complaint = stderr.splitlines()
    assert re.fullmatch(r"always-call: seed \d+", seed)
    assert complaint == f"always-call: cannot connect to 127.0.0.1 port {port}: Connection refused"


def test_wait_goes_on_trying_until_somebody_listens() -> None:
    port = closed_port()
    command = [*bot("always-call", "--seed", "1", "--wait", "15"), "127.0.0.1", str(port)]
    player = subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True)
    time.sleep(0.7)
    with socket.create_server(("127.0.0.1", port)) as listener:
        listener.settimeout(PATIENCE_S)
        client, _ = listener.accept()
        with client:
            assert client.recv(100).startswith(b"VERSION:2.0.0\n")
            client.sendall(b"MATCHSTATE:0:0:crf:Ah|\r\n")
    assert player.wait(PATIENCE_S) == 0
    player.communicate()


@pytest.mark.parametrize(
    ("said", "game", "complaint"),
    [
        ("MATCHSTATE:0:3:c:Ah|", ["--game", "leduc"],
         "the dealer closed the connection in the middle of hand 3"),
        ("HTTP/1.1 400 Bad Request", [], ".*HTTP/1.1 400.*"),
    ],
    ids=["a dealer that leaves in mid-hand", "a server that is no dealer"],
)  # fmt: skip
def test_what_ends_a_match_is_told_in_one_line(
    said: str, game: list[str], complaint: str, scripted_port: tuple[int, list[bytes], list[bytes]]
) -> None:
    port, to_send, _ = scripted_port
    to_send.append(f"{said}\r\n".encode())

    status, stderr = run([*bot("always-call", "--seed", "1", *game), "127.0.0.1", str(port)])

    assert status == 1
    assert re.fullmatch(f"always-call: {complaint}\n", stderr)


def test_seed_and_game_come_from_the_environment(
    scripted_port: tuple[int, list[bytes], list[bytes]], tmp_path: Path
) -> None:
    port, to_send, received = scripted_port
    game = tmp_path / "mine.game"
    game.write_text(format_game(load_game("leduc")))
    to_send.append(b"MATCHSTATE:0:0:crf:Ah|\r\n")

    status, stderr = run(
        [*bot("always-call"), "127.0.0.1", str(port)],
        RIVERBOAT_SEED="5", RIVERBOAT_GAME=str(game), RIVERBOAT_TOKEN="s3cret",
    )  # fmt: skip

    assert (status, stderr) == (0, "")
    assert received == [
        b"VERSION:2.0.0\n#riverboat/1 seat names game stacks unrehearsed policy token=s3cret\r\n"
    ]


@pytest.mark.parametrize("text", ["abc", "-1", "1.5"])
@pytest.mark.slow
def test_a_users_bot_checks_its_environment(text: str, tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("from clients import Agent, run\nrun(Agent)\n")

    assert run([sys.executable, str(script), "127.0.0.1"]) == (2, "mine.py: usage: mine.py HOST PORT\n")
    status, stderr = run([sys.executable, str(script), "127.0.0.1", "1"], RIVERBOAT_SEED=text)
    assert status == 2
    assert stderr.startswith("mine.py: expected a seed")


@contextmanager
def connected(
    command: Sequence[str], **variables: str
) -> Iterator[tuple[subprocess.Popen[str], socket.socket]]:
    """A program, and our end of its connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        player = subprocess.Popen(
            [*command, "127.0.0.1", str(listener.getsockname()[1])],
            env=environment() | variables, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        client, _ = listener.accept()
        with client:
            yield player, client


ETERNAL_THINKER = """\
import sys
from clients import Agent, run

class Thinker(Agent):
    {keyword}def {method}(self, view):
        print("thinking", file=sys.stderr, flush=True)
        while True:
            pass

run(Thinker)
"""


@pytest.mark.parametrize(
    ("keyword", "method"), [("", "choose_action"), ("async ", "choose_action"), ("", "hand_started")]
)
def test_ctrl_c_ends_a_bot_in_the_midst_of_its_thoughts(keyword: str, method: str, tmp_path: Path) -> None:
    script = tmp_path / "thinker.py"
    script.write_text(ETERNAL_THINKER.format(keyword=keyword, method=method))
    with connected([sys.executable, str(script)], RIVERBOAT_GAME="leduc") as (player, client):
        client.sendall(b"MATCHSTATE:0:0::Ah|\r\n")
        assert player.stderr is not None
        assert player.stderr.readline() == "thinking\n"
        player.send_signal(signal.SIGINT)
        _, stderr = player.communicate(timeout=PATIENCE_S)
    assert (player.returncode, stderr) == (130, "")


def test_a_bot_without_numpy_starts_without_numpy() -> None:
    code = "import clients.core.program; from clients.core.registry import load_bot; load_bot('random')"
    assert not imported_by(code) & {"numpy", "numba", "rich", "click"}


# --- what is installed ------------------------------------------------------------------------------------


def test_what_is_said_of_a_bot_s_strength_is_what_the_documents_have_measured() -> None:
    text = (ROOT / "docs" / "exploitability.md").read_text("utf-8")
    found = {bot["name"]: bot for bot in json.loads(shown("bots", "--json"))["bots"]}
    strengths = {
        name: bot["best_response_wins"] for name, bot in found.items() if "best_response_wins" in bot
    }

    assert sum(map(bool, strengths.values())) >= 10
    for name, strength in strengths.items():
        if not strength:
            continue
        measured = re.findall(rf"^\| `{name}` \| ([^|]*)", text, re.MULTILINE)
        bounds = [re.sub(r" ± [\d.]+", "", row) for row in measured]  # the list has no room for more of two
        assert any(row.startswith(strength) for row in measured + bounds), name
    assert "731 ± 172" in text
    assert "not a near-equilibrium" in found["equilibrium"]["note"]


def test_bots_are_a_table_of_80_columns_and_one_bot_has_its_options() -> None:
    listed = shown("bots").splitlines()

    assert max(map(len, listed)) <= 80
    assert listed[0].split() == ["bot", "games", "best", "response", "wins", "v", "simple", "hands/s"]
    assert "    tightness=0.5" in shown("bots", "formula").splitlines()
    assert "did you mean formula?" in shown("bots", "formla", status=2)


def test_a_game_is_printed_as_a_file_that_is_the_game() -> None:
    assert parse_game(shown("games", "kuhn-2p")) == load_game("kuhn-2p")
    assert re.search(r"^nolimit-2p-100bb +2  2/1 +no limit +200 \(100 bb\)$", shown("games"), re.MULTILINE)
    assert "did you mean limit-2p" in shown("games", "limit-22p", status=2)


def test_the_doctor_says_what_is_there_and_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(shown("doctor", "--json"))

    assert found["riverboat"].startswith(version("riverboat"))
    assert f"numpy {version('numpy')}" in found["libraries"]
    assert found["riverboat[plot]"] == f"matplotlib {version('matplotlib')} (pictures)"
    assert f"mcp {version('mcp')}" in found["riverboat[mcp]"]
    extras = {*metadata("riverboat").get_all("Provides-Extra", ())} - {"all", "axe", "bench", "dev"}
    assert extras == {label[10:-1] for label in found if label.startswith("riverboat[")}
    assert shown("--version", "--verbose").endswith(f"kernels: {found['kernels']}\n")
    assert found["ports"].startswith("IPv4 works")
    monkeypatch.setattr("server.commands.operate.doctor.version", without_jinja)
    assert "no jinja2" in json.loads(shown("doctor", "--json"))["riverboat[report]"]


def without_jinja(name: str) -> str:
    if name == "jinja2":
        raise PackageNotFoundError(name)
    return version(name)


def shown(*words: str, status: int = 0) -> str:
    done = run_here(*words)
    assert done.exit_code == status, done.output
    return done.output
