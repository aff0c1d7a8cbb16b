"""The compose files, as they are, on a docker engine: a part of ``make image-check``.

Builds the images, opens the room, and comes to it from this machine by the published ports: a bot, a person
at a terminal, one in a browser where there is a Chromium.  The ledger has to balance after that, after the
room has been closed, and after it has been killed.  Then the match is played, somebody sits down alone, and a
Dask cluster plays a tournament that must come out as it does here.
"""

import json
import shlex
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs
import trio
import yaml

from tests.support.chromium import PROGRAM, chromium
from tests.support.dealer_process import ROOT, environment, program, run_to_end

_ROOM: Final = "docker-compose.yml"
_CLUSTER: Final = "docker-compose.cluster.yml"
_PLAYERS: Final = "127.0.0.1:4000"
_PEOPLE: Final = "http://127.0.0.1:8000/"
_BOTS: Final = ("formula", "sampling", "learner")
_PATIENCE_S: Final = 600.0
_CLICKS: Final = 10
_CUP: Final = """\
[tournament]
name = "Containers"
format = "round-robin"
seed = 7
in_process = true

[game]
game = "limit-2p"
hands = 200
matches = 2

[[players]]
player = "always-call"

[[players]]
player = "random"

[[players]]
player = "hand-strength"
"""


class Failed(Exception):
    """Something is not as it has to be; the message is one line."""


def _say(text: str) -> None:
    print(f"== {text}", flush=True)


def _must(holds: object, what: str) -> None:
    if not holds:
        raise Failed(what)


def _run(command: Sequence[str], folder: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """A program whose complaints are shown as they come."""
    return run_to_end(
        command, folder, input=typed, capture_output=False, stdout=subprocess.PIPE, timeout=_PATIENCE_S
    )


# --- compose -----------------------------------------------------------------------------------------------


@attrs.frozen
class Project:
    """One compose file's services, under a name of their own beside what else is there."""

    file: str

    @property
    def name(self) -> str:
        """Of the project."""
        return f"check-{yaml.safe_load((ROOT / self.file).read_text())['name']}"

    def words(self, *words: str) -> list[str]:
        """A command line."""
        return ["docker", "compose", "-f", self.file, "-p", self.name, *words]

    def do(self, *words: str) -> None:
        """Run a command; its output is shown where it fails."""
        done = run_to_end(self.words(*words), ROOT, timeout=None)
        if done.returncode:
            print(done.stdout, done.stderr, sep="", file=sys.stderr)
            raise Failed(f"docker compose {shlex.join(words)} ended with {done.returncode}")

    def ask(self, *words: str, stdin: str = "") -> str:
        """What a command says."""
        done = _run(self.words(*words), ROOT, stdin)
        if done.returncode:
            print(done.stdout, file=sys.stderr)
            raise Failed(f"docker compose {shlex.join(words)} ended with {done.returncode}")
        return done.stdout

    def status(self, service: str) -> int:
        """The exit status of a service that has ended."""
        container = self.ask("ps", "--all", "--quiet", service).strip()
        return int(_run(["docker", "wait", container], ROOT).stdout)


@contextmanager
def _project(file: str, *profiles: str) -> Iterator[Project]:
    project = Project(file)
    away = [word for profile in profiles for word in ("--profile", profile)]
    project.do(*away, "down", "--volumes", "--remove-orphans")
    try:
        yield project
    finally:
        project.do(*away, "down", "--volumes", "--remove-orphans")


# --- the room ----------------------------------------------------------------------------------------------


def _ledger(room: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        room.ask("exec", "-T", "room", "riverboat", "ledger", "check", "--data", "/logs/room", "--json")
    )
    _must(found["balanced"], f"the ledger does not balance: {found['faults']}")
    return found


async def _click_through(folder: Path) -> None:
    """A person in a browser sits down and answers some questions."""
    async with chromium(folder) as tab:
        await tab.open(f"{_PEOPLE}tables/nolimit-6p")
        await tab.value("document.querySelector('[name=name]').value = 'Ann'")
        await tab.click("#join button")
        await tab.until("!document.getElementById('seated').hidden")
        for _ in range(_CLICKS):
            await tab.until("!document.getElementById('act').hidden")
            story = "document.getElementById('story').children.length"
            before = await tab.value(story)
            await tab.click("#call")
            await tab.until(f"document.getElementById('act').hidden || {story} !== {before}")
        await tab.open(f"{_PEOPLE}standings")
        _must(await tab.value("document.querySelectorAll('tbody tr').length"), "nobody is in the standings")
        _must(not tab.complaints, f"the pages complain: {tab.complaints}")


def _figures(room: Project) -> None:
    """The operator's, who has the token."""
    token = room.ask("exec", "-T", "room", "cat", "/logs/room/operator.token").strip()
    asked = urllib.request.Request(f"{_PEOPLE}metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=30) as answer:
        _must(b"riverboat_hands_total{" in answer.read(), "there are no figures")


def _play(folder: Path) -> None:
    """A bot, a terminal and a browser, through the published ports."""
    with urllib.request.urlopen(f"{_PEOPLE}healthz", timeout=30) as answer:
        state = json.load(answer)
    _must(state["state"] == "open", f"the room says that it is {state}")
    bot = subprocess.Popen(program("bot", "simple", f"{_PLAYERS}/limit-6p"), cwd=folder, env=environment())
    try:
        person = _run(program("play", f"{_PLAYERS}/limit-2p"), folder, "c\nc\nc\nhistory\nquit\n")
        _must(
            "You leave the table." in person.stdout,
            f"the person did not leave in good order: {person.stdout[-200:]}",
        )
        if PROGRAM is None:
            _say("there is no Chromium: nobody opens the pages")
        else:
            trio.run(_click_through, folder / "profile")
            _say(f"a person has clicked {_CLICKS} times")
        _must(bot.poll() is None, "the bot has gone")
    finally:
        bot.terminate()
        bot.wait()


def _room(room: Project, folder: Path) -> None:
    _say(f"{_ROOM}: building, and opening the room")
    room.do("up", "--build", "--detach", "--wait")
    _play(folder)
    _figures(room)
    played = _ledger(room)
    _say(f"{played['hands']} hands, the ledger balances")
    _must(played["hands"] > 0, "no hand was played")
    room.do("stop", "room")
    _must(room.status("room") == 0, "the room was not closed in good order")
    room.do("up", "--detach", "--wait")
    closed = _ledger(room)
    _must(closed["hands"] >= played["hands"], "hands are lost")
    _must(closed["tables"] == 0, "chips are left at tables that have closed")
    room.do("kill", "--signal", "KILL", "room")
    room.do("up", "--detach", "--wait")
    _must(_ledger(room) == closed, "the ledger is another one after a kill")
    room.do("down")
    _say("closed in good order, and killed: nothing is lost")


def _match(room: Project) -> None:
    _say("the match of three bots")
    room.do("--profile", "match", "up", "--detach", "dealer", *_BOTS)
    for service in ("dealer", *_BOTS):
        status = room.status(service)
        _must(status == 0, f"{service} ended with {status}: {room.ask('logs', service)[-2000:]}")
    print(room.ask("logs", "--no-log-prefix", "dealer")[-600:])
    _say("one person at a table of their own")
    said = room.ask("run", "--rm", "--no-TTY", "human", stdin="c\nc\nhistory\nquit\n")
    _must("You leave the table." in said, f"the person did not leave in good order: {said[-200:]}")


# --- the cluster -------------------------------------------------------------------------------------------


def _table(text: str) -> Any:
    """Who is where in a tournament, and by how much."""
    found = json.loads(text)
    return found["players"], found["pairs"]


def _cluster(cluster: Project, folder: Path) -> None:
    _say(f"{_CLUSTER}: building, two workers")
    cluster.do("up", "--build", "--detach", "--scale", "worker=2")
    cup = folder / "cup.toml"
    cup.write_text(_CUP)
    folder.chmod(0o755)
    far = cluster.ask(
        "run", "--rm", "--no-TTY", "--volume", f"{cup}:/home/riverboat/cup.toml:ro", "house",
        "riverboat", "tournament", "cup.toml", "--out", "/logs/cup",
        "--scheduler", "tcp://scheduler:8786", "--json",
    )  # fmt: skip
    near = _run(program("tournament", "cup.toml", "--out", "cup", "--json"), folder)
    _must(_table(far) == _table(near.stdout), "the cluster's table is not the one that is played here")
    _say("the cluster's table is the one that is played here")


def main() -> int:
    """Check everything; the exit status."""
    try:
        with tempfile.TemporaryDirectory(prefix="riverboat-compose-") as name:
            with _project(_ROOM, "match", "human") as room:
                _room(room, Path(name))
                _match(room)
            with _project(_CLUSTER, "house") as cluster:
                _cluster(cluster, Path(name))
    except Failed as failure:
        print(f"image-check: {failure}", file=sys.stderr)
        return 1
    _say("image-check passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
