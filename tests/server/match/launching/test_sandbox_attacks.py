"""What a player in a sandbox tries in order to see what is not its own: one test for each way."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

import pytest
import trio

from engine.poker.rules import format_game, load_game
from server.match.launching.confinement import (
    Grants,
    Sandbox,
    check_addresses,
    program_of,
    relay,
    sandboxed,
    why_there_are_none,
)
from server.match.launching.players import Player, format_bot_file, parse_players, players_environment
from server.records.review.sources import how_to_repeat, open_source
from tests.server.match.launching.test_confinement import CALLER
from tests.support.dealer_process import environment, program
from tests.support.matches import raw_program, run_match
from tests.support.tables import free_ports

NO_SANDBOX: Final = why_there_are_none()
pytestmark = pytest.mark.skipif(NO_SANDBOX is not None, reason=f"{NO_SANDBOX}")
CANARY: Final = "canary-7f3a"
LOOK: Final = """\
import os, sys
def files(place):
    for folder, below, names in os.walk(place):
        below[:] = [name for name in below if name not in ("usr", "proc", "lib", ".pyenv", "site-packages")]
        yield from [os.path.join(folder, name) for name in names]
found = []
for each in sys.argv[1:]:
    for path in files(each) if os.path.isdir(each) else [each]:
        try:
            if os.path.isfile(path) and CANARY[::-1] in open(path, "rb").read(10_000):
                found.append(path)
        except OSError:
            pass
print(found)
""".replace("CANARY", repr(CANARY.encode()[::-1]))


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Students Ann, who pries, and Bob, who has a secret, in a course that has secrets, too."""
    for name in ("ann", "bob"):
        folder = tmp_path / "students" / name
        folder.mkdir(parents=True)
        (folder / "bot.toml").write_text(format_bot_file(name, "", "python my_bot.py"))
        (folder / "my_bot.py").write_text(LOOK)
    (tmp_path / "students/bob/secret").write_text(CANARY)
    (tmp_path / "match").mkdir()
    (tmp_path / "match/match.log").write_text(CANARY)
    return tmp_path


def seen(player: Player, private: Path, *looks: Path | str, starts: bool = True) -> list[str]:
    """The files with the canary that a player finds in its sandbox, where it looks."""
    sandbox = Sandbox((private,))
    variables = players_environment(player.command or (), environment())
    ours, theirs = socket.socketpair()
    with ours, theirs:
        line = [*(player.command or ()), *map(str, looks)]
        done = subprocess.run(
            sandbox.command_line(player, line, 1234, theirs.fileno()), pass_fds=(theirs.fileno(),),
            cwd=player.folder, env=sandboxed(variables), capture_output=True, text=True, check=False,
        )  # fmt: skip
    if not starts:
        assert "my_bot.py': [Errno 2]" in done.stderr
        return []
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout.splitlines()[-1].replace("'", '"'))
    return found


def player_of(text: str) -> Player:
    (player,) = parse_players([text], ["decide", "skeleton"])
    return player


def with_command(course: Path, command: str) -> Player:
    (course / "students/ann/bot.toml").write_text(format_bot_file("ann", "", command))
    return player_of(str(course / "students/ann"))


WORDS: Final = ("/", "{course}", "../bob", "../bob/secret", "--data={course}/students/bob", "~")


@pytest.mark.parametrize("word", WORDS)
def test_a_path_in_a_students_command_shows_nothing(course: Path, word: str) -> None:
    player = with_command(course, f"python my_bot.py {word.format(course=course)}")

    assert seen(player, course / "match", course, Path.home() / ".ssh", "/root", "/home") == []


def test_a_command_that_runs_another_students_program_finds_none(course: Path) -> None:
    for command in ("python ../bob/my_bot.py", f"python {course}/students/bob/my_bot.py"):
        assert not seen(with_command(course, command), course / "match", course, starts=False)


def test_symbolic_links_lead_nowhere(course: Path) -> None:
    ann = course / "students/ann"
    (ann / "file").symlink_to(course / "students/bob/secret")
    (ann / "folder").symlink_to(course)
    player = with_command(course, "python my_bot.py file folder")
    assert seen(player, course / "match", ann, ann / "file", ann / "folder/match", ann / "folder") == []

    (ann / "my_bot.py").unlink()
    (ann / "my_bot.py").symlink_to(course / "students/bob/my_bot.py")
    assert not seen(player, course / "match", course, starts=False)
    assert not seen(player_of(f"python {ann}/my_bot.py"), course / "match", course, starts=False)


def test_the_folder_above_is_empty_but_for_ones_own(course: Path) -> None:
    player = with_command(course, "python my_bot.py ../bob")

    assert seen(player, course / "match", "../bob", "..", "../../match", "../..") == []


def test_a_hard_link_shows_nothing(course: Path) -> None:
    os.link(course / "students/bob/secret", course / "students/ann/mine")
    (course / "students/ann/own").write_text(CANARY)
    os.link(course / "students/ann/own", course / "students/ann/own-too")
    player = with_command(course, "python my_bot.py")

    own = [str(course / "students/ann" / name) for name in ("own", "own-too")]
    assert sorted(seen(player, course / "match", course)) == own


@pytest.mark.parametrize("place", ["match", "bots/matches/m", "bots"])
def test_a_match_folder_below_the_scripts_folder_is_not_seen(tmp_path: Path, place: str) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/my_bot.py").write_text(LOOK)
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / place / "match.log").write_text(CANARY)
    player = player_of(f"{sys.executable} {tmp_path}/bots/my_bot.py")

    assert seen(player, tmp_path / place, tmp_path) == []


def test_scripts_in_one_folder_do_not_see_each_other(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text(LOOK)
    (tmp_path / "other.py").write_text(f"# {CANARY}")
    player = player_of(f"{sys.executable} {tmp_path}/my_bot.py")

    assert seen(player, tmp_path / "other.py", tmp_path) == []


def test_a_script_at_home_shows_itself_and_not_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann/key").write_text(CANARY)
    for place in (tmp_path, tmp_path / "ann"):
        (place / "my_bot.py").write_text(LOOK)
        player = player_of(f"{sys.executable} {place}/my_bot.py")
        assert seen(player, tmp_path / "m", tmp_path) == []


def test_nothing_can_be_filled_but_a_bounded_tmp(course: Path) -> None:
    (course / "students/ann/my_bot.py").write_text(
        "import os, resource\n"
        "for place in ('/', '/dev', os.getcwd(), '/etc', '/usr'):\n"
        "    try:\n"
        "        open(os.path.join(place, 'x'), 'w')\n"
        "        print('wrote to', place)\n"
        "    except OSError:\n"
        "        pass\n"
        "sizes = [os.statvfs(place) for place in ('/tmp', '/dev/shm')]\n"
        "sizes = [each.f_blocks * each.f_frsize // 2 for each in sizes] + [*resource.getrlimit(1)]\n"
        "print([0 < each <= 2**30 for each in sizes].count(False) * ['unbounded'])\n"
    )

    assert seen(with_command(course, "python my_bot.py"), course / "match") == []


SPY: Final = """\
import ctypes, json, os, signal, socket, sys
own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "targets")
house, other_port, elsewhere, abstract, canary, folder = json.load(open(own))
def attempt(what, *arguments):
    try:
        return repr(what(*arguments))
    except Exception as error:
        return type(error).__name__
def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(2)
        client.connect(address)
def everywhere(name):
    hits = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        for path in ([f"/proc/{number}/fd/{fd}" for fd in listed(f"/proc/{number}/fd")] if name == "fd"
                     else [f"/proc/{number}/{name}"]):
            try:
                if canary.encode() in open(path, "rb").read(100_000):
                    hits.append(path)
            except OSError:
                pass
    return hits
def listed(path):
    try:
        return os.listdir(path)
    except OSError:
        return []
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
found = {
    "descriptors": everywhere("fd"),
    "environments": everywhere("environ"),
    "argument lists": everywhere("cmdline"),
    "parent": [os.path.exists(f"/proc/{os.getppid()}/root{folder}"), os.path.exists(f"/proc/1/cwd{folder}"),
               os.path.exists(f"/proc/{house}")],
    "match": attempt(os.listdir, folder),
    "own folder": attempt(open, own, "a"),
    "processes": [name for name in os.listdir("/proc") if name.isdigit() and int(name) > 2],
    "ptrace": [ptrace(16, house, 0, 0), ctypes.get_errno()],
    "signal": attempt(os.kill, house, 0),
    "signal to all": attempt(os.kill, -1, 0),
    "shared memory": [os.listdir("/dev/shm"), open("/proc/sysvipc/shm").read().count("\\n")],
    "abstract socket": attempt(connect, socket.AF_UNIX, "\\0" + abstract),
    "other's port": attempt(connect, socket.AF_INET, ("127.0.0.1", other_port)),
    "elsewhere": attempt(connect, socket.AF_INET, ("127.0.0.1", elsewhere)),
    "name": attempt(socket.getaddrinfo, "example.com", 80),
    "outside": attempt(connect, socket.AF_INET, ("1.1.1.1", 53)),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "variables": sorted(os.environ),
}
print(json.dumps(found), file=sys.stderr, flush=True)
"""


@pytest.fixture(scope="module")
def spied(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a bot in a match with a sandbox has found out about everything outside of it."""
    folder = tmp_path_factory.mktemp("spied")
    (folder / "spy").mkdir()
    (folder / "spy/bot.py").write_text(SPY + CALLER)
    ports = free_ports(2)
    abstract = f"riverboat-test-{os.getpid()}"
    shared = Path(f"/dev/shm/{abstract}")
    shared.write_text(CANARY)
    variables = {"OPENAI_API_KEY": CANARY, "HOUSE": CANARY, "db_password": CANARY}
    with (
        socket.create_server(("127.0.0.1", 0)) as elsewhere,
        socket.socket(socket.AF_UNIX) as unix,
        open(folder / "inherited", "w+") as inherited,
    ):
        unix.bind(f"\0{abstract}")
        unix.listen()
        inherited.write(CANARY)
        inherited.flush()
        process = subprocess.Popen(
            program("match", "leduc", f"Spy={sys.executable} spy/bot.py", "always-call", "--hands", "3",
                    "--ports", f"{ports[0]},{ports[1]}", "--seat-token", f"2={CANARY}",
                    "--sandbox", "--out", "m", "--json"),
            cwd=folder, env=environment() | variables, pass_fds=(inherited.fileno(),), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        targets = [process.pid, ports[1], elsewhere.getsockname()[1], abstract, CANARY, str(folder / "m")]
        (folder / "spy/targets").write_text(json.dumps(targets))
        try:
            _, stderr = process.communicate(timeout=90)
        finally:
            shared.unlink()
    assert process.returncode == 0, stderr
    found: dict[str, Any] = json.loads((folder / "m/players/Spy.err").read_text())
    return found


NOTHING: Final = {
    "descriptors": [],
    "environments": [],
    "argument lists": [],
    "parent": [False, False, False],
    "match": "FileNotFoundError",
    "own folder": "OSError",
    "processes": [],
    "ptrace": [-1, 3],
    "signal": "ProcessLookupError",
    "signal to all": "ProcessLookupError",
    "shared memory": [[], 1],
    "abstract socket": "ConnectionRefusedError",
    "other's port": "ConnectionRefusedError",
    "elsewhere": "ConnectionRefusedError",
    "name": "gaierror",
    "outside": "OSError",
    "interfaces": ["lo"],
}


@pytest.mark.parametrize("way", NOTHING)
def test_a_bot_in_a_match_finds_nothing_by_way_of(spied: dict[str, Any], way: str) -> None:
    assert spied[way] == NOTHING[way]


def test_the_environment_in_a_sandbox_is_a_list_of_what_is_passed_on(spied: dict[str, Any]) -> None:
    ours = {"RIVERBOAT_SEED", "RIVERBOAT_GAME", "RIVERBOAT_TOKEN", "RIVERBOAT_CACHE_DIR", "RIVERBOAT_SIDE"}

    assert {name for name in spied["variables"] if not name.startswith(("LC_", "PYTHON", "NUMBA_"))} <= {
        "PATH", "LANG", "TZ", "HOME", "PWD", *ours,
    }  # fmt: skip


def test_a_player_in_a_sandbox_is_started_again_and_finds_its_table(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    crashing = raw_program("assert number < 9, 'enough'")
    (tmp_path / "bots/bot.py").write_text(crashing)
    words = (
        "leduc",
        "python bots/bot.py",
        "always-call",
        "--hands",
        "12",
        "--recover",
        "20",
        "--grace",
        "30",
    )
    done = match(tmp_path, *words, "--on-failure", "fold")

    assert done.returncode == 3, done.stderr
    result = json.loads(done.stdout)
    assert result["hands"] == 12
    assert "started again, 2 of 20 times" in (tmp_path / "m/dealer.err").read_text() + done.stderr
    assert (tmp_path / "m/match.log").read_text().count(" is taken again") > 1


GRANTED: Final = """\
import os, sys
from pathlib import Path
def attempt(path):
    try:
        Path(path).write_text("mine")
        return "written"
    except OSError:
        return "read" if Path(path).exists() else "absent"
here = Path(__file__).resolve().parents[1]
print(attempt(here / "shown/file"), attempt(here / "memory/Ann/file"), attempt(here / "memory/Bob/file"),
      os.environ.get("AGENT_KEY"), os.environ.get("OTHER_KEY"),
      len(open(os.environ["RIVERBOAT_GAME"]).read()) > 99, file=sys.stderr, flush=True)
"""


def match(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_match(folder, *words, "--sandbox", "--out", "m", "--json", variables=variables)


def test_the_operator_grants_what_is_shown_written_and_passed_on(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    (tmp_path / "my.game").write_text(format_game(load_game("leduc")))
    (tmp_path / "shown/file").touch()
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(f"{GRANTED}{CALLER}")
    done = match(
        tmp_path, "my.game", "Ann=python ann/bot.py", "Bob=python bob/bot.py", "--hands", "2",
        "--show", "Ann=shown", "--write", "memory/{name}", "--pass-env", "Bob=AGENT_KEY",
        AGENT_KEY=CANARY, OTHER_KEY=CANARY,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    told = {name: (tmp_path / f"m/players/{name}.err").read_text().strip() for name in ("Ann", "Bob")}
    assert told == {
        "Ann": "read written absent None None True",
        "Bob": f"absent absent written {CANARY} None True",
    }
    options = json.loads((tmp_path / "m/result.json").read_text())["options"]
    granted = {"show": ["Ann=shown"], "write": ["memory/{name}"], "pass_env": ["Bob=AGENT_KEY"]}
    assert {name: options[name] for name in granted} == granted
    assert "--write=memory/{name}" in shlex.split(
        how_to_repeat(open_source([tmp_path / "m"], None))["commands"][0]
    )
    assert (tmp_path / "memory/Ann/file").read_text() == "mine"


@pytest.mark.parametrize("option", ["--show", "--write"])
def test_the_house_stays_hidden_in_a_folder_that_is_granted(tmp_path: Path, option: str) -> None:
    for name in ("all", "all/ann", "all/bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "my_bot.py").write_text(f"{LOOK}sys.argv[1:-2] = []\n{CALLER}")
    with (tmp_path / "all/bob/my_bot.py").open("a") as program_of_bob:
        program_of_bob.write(f"# {CANARY}")
    (tmp_path / "all/key").write_text(CANARY)
    words = ("leduc", "Ann=python all/ann/my_bot.py all", "Bob=python all/bob/my_bot.py", "--hands", "2")
    done = run_match(tmp_path, *words, "--sandbox", option, "Ann=all", "--out", "all/m")

    assert done.returncode == 0, done.stderr
    told = (tmp_path / "all/m/players/Ann.err").read_text() + (tmp_path / "all/m/players/Ann.out").read_text()
    assert told == "['all/key']\n"


def test_an_installed_bot_that_runs_somebody_else_s_file_is_in_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    text = f"from os.path import exists\ndef decide(state): assert not exists({str(tmp_path / 'key')!r})"
    (tmp_path / "bot/my_bot.py").write_text(f"{text}; return {{'do': 'call'}}")
    (tmp_path / "key").write_text(CANARY)
    words = ("nolimit-2p", "decide:file=bot/my_bot.py", "random", "--hands", "2", "--out", "m")
    done = run_match(tmp_path, *words, "--sandbox")
    refused = run_match(tmp_path, *words, "--in-process")  # the house's processes know the cards to come

    assert done.returncode == 0, done.stderr
    assert "--in-process is for bots of ours: 'decide:file=bot/my_bot.py' is none" in refused.stderr
    assert program_of(player_of(f"skeleton:folder={tmp_path}/bot")) == tmp_path / "bot"


@pytest.mark.parametrize(
    ("value", "found"),
    [("/a", ["/a"]), ("Ann=/a", ["/a"]), ("Bob=/a", []), ("/a=b", ["/a=b"]), ("m/{name}", ["m/Ann"])],
)
def test_what_is_granted_to_whom(value: str, found: list[str]) -> None:
    assert Grants((value,)).to(player_of("Ann=./bot")).show == tuple(found)


def test_a_name_that_a_program_gives_itself_gets_it_nothing(course: Path) -> None:
    (course / "students/ann/bot.toml").write_text(format_bot_file("Agent", "", "python my_bot.py"))
    folder = str(course / "students/ann")
    thief, agent = parse_players([folder, "Agent=./bot"], [])
    named = player_of(f"Agent={folder}")

    assert (thief.name, agent.name) == ("Agent", "Agent-2")
    assert [Grants(pass_env=("Agent=A_KEY",)).to(each).pass_env for each in (thief, named)] == [
        (),
        ("A_KEY",),
    ]


def test_what_a_player_may_miss_is_said_with_the_setting_that_shows_it(course: Path) -> None:
    os.link(course / "students/bob/secret", course / "students/ann/mine")
    player = with_command(
        course, f"python my_bot.py {course}/students/bob ../bob/secret my_bot.py {'x' * 300}"
    )
    way = 'show = ["PATH"] in the tournament\'s file or --show ann=PATH shows it'

    assert Sandbox((course / "match",)).remarks(player) == [
        f"ann: in its sandbox {course}/students/{what}; {way}"
        for what in (
            "ann/mine is not shown: it has a name elsewhere, too (a hard link)",
            "bob is not shown",
            "bob/secret is not shown",
        )
    ]


AGENT: Final = """\
import os, socket, sys
print([(name, socket.gethostbyname(name)) for name in ("localhost", "model.invalid")], file=sys.stderr)
for name, port in (("localhost", PORT), ("localhost", OTHER), ("127.0.0.2", PORT), ("other.invalid", PORT)):
    try:
        with socket.create_connection((name, port), timeout=5) as model:
            model.sendall(b"what now?")
            model.shutdown(socket.SHUT_WR)
            print(model.recv(100).decode(), file=sys.stderr)
    except OSError as error:
        print(type(error).__name__, file=sys.stderr)
"""


def test_a_program_reaches_the_addresses_that_the_operator_grants_and_no_others(tmp_path: Path) -> None:
    def answer() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = model.accept()
                with connection:
                    while question := connection.recv(100):
                        heard.append(question)
                    connection.sendall(b"call")

    heard: list[bytes] = []
    (tmp_path / "agent").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as model:
        port, (other,) = model.getsockname()[1], free_ports(1)
        threading.Thread(target=answer, daemon=True).start()
        text = AGENT.replace("PORT", str(port)).replace("OTHER", str(other))
        (tmp_path / "agent/bot.py").write_text(text + CALLER)
        done = match(
            tmp_path, "leduc", "Ann=python agent/bot.py", "always-call", "--hands", "2",
            "--network", f"Ann=localhost:{port}", "--network", "model.invalid:443",
        )  # fmt: skip
        model.shutdown(socket.SHUT_RDWR)

    assert done.returncode == 0, done.stderr
    first, *told = (tmp_path / "m/players/Ann.err").read_text().splitlines()
    assert first == "[('localhost', '127.0.0.1'), ('model.invalid', '127.0.1.2')]"
    assert told == ["call", "ConnectionRefusedError", "ConnectionRefusedError", "gaierror"]
    assert heard == [b"what now?"]


async def test_a_relay_goes_by_name_and_survives_an_address_that_is_not_there() -> None:
    outside = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = outside[0].socket.getsockname()[1]
    async with trio.open_nursery() as nursery:
        for target in (port, free_ports(1)[0]):
            inside = socket.create_server(("127.0.0.1", 0))
            nursery.start_soon(relay, inside, "localhost", target)
            async with await trio.open_tcp_stream("127.0.0.1", inside.getsockname()[1]) as client:
                await client.send_all(b"question")
                await client.send_eof()
                if target == port:
                    async with await outside[0].accept() as server:
                        assert await server.receive_some() == b"question"
                        await server.send_all(b"answer")
                    assert await client.receive_some() == b"answer"
                with contextlib.suppress(trio.BrokenResourceError):  # hung up on
                    assert await client.receive_some() == b""
        nursery.cancel_scope.cancel()
    await outside[0].aclose()


@pytest.mark.parametrize(
    "text", ["host", "host:0", "host:x", ":1", "10.0.0.1:80", "[::1]:80", "a b:1", "x:70000", f"{'x' * 64}:1"]
)
def test_an_address_that_cannot_be_granted_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a host's name and a port"):
        check_addresses([f"Ann={text}"])


def test_a_folder_behind_a_link_is_shown_under_both_names_and_its_hard_links_under_none(course: Path) -> None:
    (course / "students/ann").rename(course / "checkout")
    (course / "students/ann").symlink_to("../checkout")
    os.link(course / "students/bob/secret", course / "checkout/mine")
    (course / "checkout/own").write_text(CANARY)
    player = with_command(course, "python my_bot.py")

    names = [course / "students/ann/own", course / "checkout/own"]
    assert seen(player, course / "match", *names, course / "students/ann/", course / "checkout") == [
        *map(str, names),
        *[f"{course}/students/ann/own", f"{course}/checkout/own"],
    ]


@pytest.mark.parametrize("word", ["loop/x.py", "x" * 300, "x" * 300 + "/y.py", "fifo", "gone/../x.py"])
def test_words_that_lead_nowhere_are_the_players_own_fault(course: Path, word: str) -> None:
    (course / "students/ann/loop").symlink_to("loop")
    os.mkfifo(course / "students/ann/fifo")
    player = with_command(course, f"python {word}")
    sandbox = Sandbox((course / "match", course / "students/ann/bot.toml"))

    assert f"{course}/students/ann holds" in sandbox.remarks(player)[0]
    assert "bwrap" in sandbox.command_line(player, ["x"], 1, 2)
