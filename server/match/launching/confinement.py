"""What a player's processes may use and see: resource limits, and a sandbox.

**Limits** of processor time, memory, processes and file sizes are set with ``setrlimit`` in a program of ours
that then becomes the player (`entry`), so that there is no moment without them; core files are never left.
They apply to each process separately, except the number of processes, which Linux counts for the whole user
(in a sandbox: for the user there), and does not limit for root.

**A sandbox** is a list of what is shown.  `bwrap` (bubblewrap) makes it from Linux's namespaces, without any
privilege.  Inside there are, all of it read-only,

* the system's programs and libraries, a few files of ``/etc``, this Python, our packages, the game and the
  compiled kernels;
* the player's own folder: that of its ``bot.toml``, or of the script or program that it is run by.  A folder
  that holds more than its own, such as a home, the match or another player's program, is not shown: then
  there is the file alone.  Files that have names elsewhere, too (hard links), are not its own;
* what the operator adds (``--show``; to be written, ``--write``).  A path is not shown because a command, a
  link or a variable names it;

and a ``/tmp`` of bounded size that vanishes with the player, as a current folder does that is not its own.
There is a cache that only this player writes to, since code compiled there is run by whatever loads it; no
other process; no network but a loopback of its own; and of the environment what `sandboxed` lists.

Before the player starts, `entry` opens a port on that loopback and passes the listening socket out to us: a
socket stays in the namespace where it was made, so we accept from outside the clients that connect inside,
without a relay, and a decision takes no longer than without a sandbox.

What a sandbox does not stop is in ``server/README.md``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs
import trio

from engine.support.files.cache import CACHE_VARIABLE, cache_directory
from engine.support.user_input import did_you_mean, parse_whole, printable
from protocol import variables
from server.match.launching.players import OURS, Player, own_place

UNCONFINED: Final = "no sandbox: programs that run as one user can read each other's files and the house's"
HOST: Final = "127.0.0.1"
"""Where a player in a sandbox finds its table."""
_ENTRY: Final = (sys.executable, "-I", "-S", str(Path(__file__).with_name("entry.py")))
# -I -S: nothing from the environment, and no packages, so that it takes a hundredth of a second.
_MEGABYTE: Final = 2**20
_OUR_PACKAGES: Final = ("engine", "protocol", "server", "clients")
_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
_ETC: Final = (
    "alternatives", "ca-certificates", "fonts", "group", "hosts", "java*", "ld.so.cache", "ld.so.conf",
    "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "passwd", "pki/tls/certs", "protocols",
    "services", "ssl/certs", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
_OF_PYTHON: Final = ("bin", "include", "lib", "lib32", "lib64", "pyvenv.cfg", "share", "ssl")
# Not all of its folder, which may be that of somebody's project.
_PASSED_ON: Final = re.compile(r"PATH|LANG|LANGUAGE|LC_\w+|TZ|PYTHON\w+|NUMBA_CPU_NAME|\w+_NUM_THREADS")
_WIDE: Final = ("~", "/tmp", "/var/tmp")
_MOST_LINKS: Final = 1000
_MOST_ADDRESSES: Final = 200
_MOST_RELAYED: Final = 64
# Connections of a player to an address at a time.
_LOW_PORTS: Final = ("--uid", "0", "--gid", "0", "--cap-add", "CAP_NET_BIND_SERVICE")
# The first user: otherwise bwrap makes the network in a namespace where the player has no say.
_HOST_NAME: Final = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*")
_SIZE: Final = ("--size", str(256 * _MEGABYTE), "--tmpfs")
_ALONE: Final = (
    "--unshare-all", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", *_SIZE, "/dev/shm",
    "--remount-ro", "/dev", *_SIZE, "/tmp",
)  # fmt: skip
_CACHE: Final = "/tmp/riverboat-cache"
# Not --die-with-parent: the parent is a thread, which ends long before the match.
_TRIAL_S: Final = 10.0


@attrs.frozen
class ProcessLimits:
    """The limits of a process; None for no limit."""

    cpu: int | None = None
    """Seconds of processor time, over its whole life."""
    memory: int | None = None
    """Megabytes of its own memory: data, heap, private mappings; not programs or memory only reserved."""
    processes: int | None = None
    """Processes and threads of the user."""
    file_size: int | None = None
    """Megabytes of a file that it writes."""

    def as_argument(self) -> str:
        """The text that `parse_limits` reads back."""
        known = attrs.asdict(self).items()
        return ",".join(f"{name.replace('_', '-')}={value}" for name, value in known if value is not None)

    def command_line(self, line: Sequence[str]) -> list[str]:
        """The command line to execute in place of another."""
        items = [
            f"{name}={value * (_MEGABYTE if name in ('memory', 'file_size') else 1)}"
            for name, value in attrs.asdict(self).items()
            if value is not None
        ]
        return [*_ENTRY, "limits", ",".join(items), *line]


_NAMES: Final = {field.name.replace("_", "-"): field.name for field in attrs.fields(ProcessLimits)}


def parse_limits(text: str) -> ProcessLimits:
    """The limits of a text such as ``cpu=600,memory=1024,processes=64,file-size=100``.

    Raises:
        ValueError: it means none; the message is part of a line for people.
    """
    found: dict[str, int] = {}
    for item in text.split(","):
        name, equals, value = (part.strip() for part in item.partition("="))
        if name not in _NAMES or not equals:
            known = ", ".join(f"{each}=N" for each in _NAMES)
            raise ValueError(f"expected {known}, got {item!r}{did_you_mean(name, _NAMES)}")
        number = parse_whole(value)
        if number == 0:
            raise ValueError(f"expected a number above 0, got {item!r}")
        found[_NAMES[name]] = number
    return ProcessLimits(**found)


def why_there_are_none() -> str | None:
    """Why there can be no sandboxes here, in one line; None if they work."""
    program = shutil.which("bwrap")
    if program is None:
        return "there is no program bwrap (bubblewrap)"
    try:
        trial = subprocess.run(
            [program, *_ALONE, "--ro-bind", "/", "/", sys.executable, "-c", ""],
            capture_output=True, text=True, errors="replace", timeout=_TRIAL_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not work: {error}"
    complaint = " ".join(trial.stderr.split())
    return None if trial.returncode == 0 else f"bwrap does not work: {complaint or trial.returncode}"


@attrs.frozen
class Grants:
    """The operator's grants to players beyond their own folder: texts ``[PLAYER=]VALUE``."""

    show: tuple[str, ...] = ()
    """Paths that they may read in a sandbox."""
    write: tuple[str, ...] = ()
    """Paths that they may write to there; missing folders are made."""
    network: tuple[str, ...] = ()
    """``HOST:PORT`` that they may reach from there: through the house, by name."""
    pass_env: tuple[str, ...] = ()
    """Variables of the environment that they get although they look like secrets, by name."""

    def to(self, player: Player) -> Grants:
        """What is granted to a player, without its name: in the values ``{name}`` is that.

        A name that it has given itself, in its ``bot.toml``, does not make it somebody.
        """
        is_named = player.folder is None or player.text.startswith(f"{player.name}=")

        def own(values: Iterable[str]) -> Iterator[str]:
            for text in values:
                owner, equals, value = text.partition("=")
                if not equals or "/" in owner or (is_named and owner == player.name):
                    yield (text if not equals or "/" in owner else value).replace("{name}", player.name)

        return Grants(*(tuple(own(values)) for values in attrs.astuple(self)))

    def check_names(self, names: Collection[str]) -> None:
        """Refuse a grant to nobody.

        Raises:
            ValueError: the line that says so.
        """
        for option, values in attrs.asdict(self).items():
            for text in values:
                owner, equals, _ = text.partition("=")
                if equals and "/" not in owner and owner not in names:
                    near = did_you_mean(owner, names)
                    raise ValueError(f"{option}: there is no player {owner!r}, got {text!r}{near}")

    def as_words(self, *, is_confined: bool) -> list[str]:
        """The options of ``riverboat match``, of which some are for sandboxes only."""
        options = attrs.asdict(self) if is_confined else {"pass_env": self.pass_env}
        pairs = [
            (f"--{name.replace('_', '-')}", value) for name, values in options.items() for value in values
        ]
        return [word for pair in pairs for word in pair]


NO_GRANTS: Final = Grants()


@attrs.frozen
class Sandbox:
    """How the players of a match are confined."""

    house: tuple[Path, ...]
    """Folders and files of the house: a folder that holds one is shown to nobody."""
    programs: tuple[Path, ...] = ()
    """The players' own folders and files: a folder that holds another's is not shown, either."""
    grants: Grants = NO_GRANTS

    @classmethod
    def of(cls, players: Iterable[Player], house: Iterable[Path], grants: Grants) -> Sandbox:
        """The sandbox of some players in a house that has some folders and files."""
        others = [path for path in (Path("matches"), Path("tournaments")) if path.exists()]
        programs = [path for path in map(program_of, players) if path is not None]
        return cls(tuple([path.resolve() for path in (*house, *others)]), tuple(programs), grants)

    def command_line(
        self,
        player: Player,
        line: Sequence[str],
        port: int,
        descriptor: int,
        game: str | None = None,
        hosts: Path | None = None,
    ) -> list[str]:
        """What to execute.

        Args:
            player: whose command the line is.
            line: to be executed inside.
            port: to be opened inside.
            descriptor: the unix socket that the listening socket is sent through, inherited.
            game: the path of a game file, which is shown.
            hosts: the path of a file to be made for the names of what is reached outside.

        Raises:
            OSError: that file, or a folder to write to, cannot be made.
        """
        own, _, links = self._own(player)
        hidden = [path for path in (*self.house, *self.programs) if path not in (own, program_of(player))]
        granted = self.grants.to(player)
        show, write = ([os.path.abspath(path) for path in each] for each in (granted.show, granted.write))
        for path in write:
            os.makedirs(path, mode=0o700, exist_ok=True)
        shown = [*show, *([] if game is None else [os.path.abspath(game)])]
        mine = [] if own is None else [str(own)]
        words = shut_in(_folder_of(player), shown, hidden, mine, links, write)
        reached = self.reached(player)
        if reached and hosts is not None:
            names = dict.fromkeys([(HOST, "localhost"), *[(at, name) for at, name, _ in reached]])
            hosts.write_text("".join([f"{at} {name}\n" for at, name in names]))
            words += [*_LOW_PORTS, "--ro-bind", str(hosts), "/etc/hosts"]
        addresses = [f"{HOST}:{port}", *[f"{at}:{number}" for at, _, number in reached]]
        ports = ("ports", str(descriptor), ",".join(addresses), str(_kernels()), f"{_CACHE}/kernels")
        return [*words, "--", *_ENTRY, *ports, *line]

    def reached(self, player: Player) -> list[tuple[str, str, int]]:
        """The addresses that a player reaches: each in its sandbox, with the host and port behind it."""
        split = [text.rpartition(":") for text in self.grants.to(player).network]
        names = list(dict.fromkeys(host for host, _, _ in split))
        places = {name: f"127.0.1.{number}" for number, name in enumerate(names, 1)} | {"localhost": HOST}
        return [(places[host], host, int(port)) for host, _, port in split]

    def remarks(self, player: Player) -> list[str]:
        """Lines about what a player may miss in its sandbox."""
        if not player.is_program:
            return []
        own, why, links = self._own(player)
        ways = f'show = ["PATH"] in the tournament\'s file or --show {player.name}=PATH shows it'
        lines = []
        if why is not None:
            lines.append(f"{own or 'nothing'} is shown, not its folder: {why}")
        if links:
            lines.append(f"{links[0]} is not shown: it has a name elsewhere, too (a hard link)")
        granted = self.grants.to(player)
        seen = [*_everybodys(), *granted.show, *granted.write, str(own or os.devnull)]
        seen = [os.path.realpath(path) for path in seen]
        program, *words = player.command or ("",)
        for word in (player.located_program() or program, *(player.settings or words)):
            path = os.path.abspath(os.path.join(_folder_of(player), word.partition("=")[2] or word))
            link = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            if os.path.exists(path) and not (_is_in(link, seen) and _is_in(os.path.realpath(path), seen)):
                lines.append(f"{path} is not shown")
        return [printable(f"{player.name}: in its sandbox {line}; {ways}") for line in dict.fromkeys(lines)]

    def _own(self, player: Player) -> tuple[Path | None, str | None, list[str]]:
        """A player's own folder or, if that would show more, file; why; files in it that are others', too."""
        folder, file = own_place(player)
        if folder is None:
            return None, None, []
        others = [path for path in self.programs if path != program_of(player)]
        wide: list[str | Path] = [*map(os.path.expanduser, _WIDE), *self.house, *others]
        held = next((path for path in wide if _is_in(os.path.realpath(path), [folder])), None)
        links = _hard_links(folder) if held is None else []
        if held is None and len(links) <= _MOST_LINKS:
            return folder, None, links
        what = held or f"{len(links)} files that have names elsewhere, too (hard links)"
        is_own = file and os.path.isfile(file) and not file.is_symlink() and file.stat().st_nlink == 1
        return file if is_own else None, f"{folder} holds {what}", []


def sandboxed(environment: Mapping[str, str], granted: Collection[str] = ()) -> dict[str, str]:
    """The part of an environment that a sandbox gets, with the variables granted by name."""
    kept = {
        name: value
        for name, value in environment.items()
        if _PASSED_ON.fullmatch(name) or variables.is_handed_out(name) or name in granted
    }
    return {**kept, "HOME": "/tmp", CACHE_VARIABLE: _CACHE}


def program_of(player: Player) -> Path | None:
    """The path that surely is a player's own: the folder of its ``bot.toml``, or its script or program."""
    folder, file = own_place(player)
    return folder if player.folder is not None else file


def shut_in(
    folder: str,
    show: Iterable[str] = (),
    hidden: Sequence[Path] = (),
    own: Iterable[str] = (),
    links: Iterable[str] = (),
    write: Sequence[str] = (),
) -> list[str]:  # many parameters, in the order in which they cover what comes before
    """The words that begin a command line in a sandbox, up to ``--``.

    Args:
        folder: the current one; a link may be in the way to it.
        show: what is shown beside what everybody sees.
        hidden: what is not seen in what is shown or can be written to.
        own: what is shown in any case.
        links: files that are not seen there.
        write: what can be written to.
    """
    here = os.path.realpath(folder)
    words = ["bwrap", *_ALONE, *([] if here == "/" else [*_SIZE, here])]
    base = list(_everybodys())
    words += [*_bound("--ro-bind-try", base), *_bound("--ro-bind", show), *_covers(hidden, [*base, *show])]
    words += _bound("--ro-bind", own)
    words += [word for link in links for word in ("--ro-bind", os.devnull, link)]
    words += [*_bound("--bind", write), *_covers(hidden, write)]
    words += [] if here == folder else ["--symlink", here, folder]
    return [*words, "--remount-ro", "/", "--chdir", here]


def _bound(how: str, paths: Iterable[str]) -> list[str]:
    return [word for path in paths for word in (how, path, path)]


def _covers(hidden: Iterable[Path], shown: Iterable[str]) -> Iterator[str]:
    """Options of bwrap that hide files and folders inside others that are shown."""
    places = [os.path.realpath(path) for path in shown]
    for path in hidden:
        if path.exists() and _is_in(str(path), places):
            yield from ("--tmpfs", str(path)) if path.is_dir() else ("--ro-bind", os.devnull, str(path))


def _everybodys() -> Iterator[str]:
    """The system's, Python's and our own files."""
    yield from _SYSTEM
    yield from (str(path) for name in _ETC for path in Path("/etc").glob(name))
    yield from (os.path.join(prefix, name) for prefix in (sys.base_prefix, sys.prefix) for name in _OF_PYTHON)
    yield from (path for path in sys.path if Path(path).name in ("site-packages", "dist-packages"))
    yield from (str(OURS / package) for package in _OUR_PACKAGES)
    yield str(_kernels())


def is_ours(path: str) -> bool:
    """Whether a file is everybody's: not a player's own."""
    return path.startswith("<") or _is_in(path, _everybodys())


def _kernels() -> Path:
    return cache_directory().absolute() / "kernels"


def _folder_of(player: Player) -> str:
    return os.getcwd() if player.folder is None else str(player.folder)


def _is_in(path: str, folders: Iterable[str | Path]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _hard_links(folder: Path) -> list[str]:
    """Files below a folder that have names elsewhere, too."""
    found: dict[tuple[int, int, int], list[str]] = {}
    for place, _, names in os.walk(folder):
        for path in [os.path.join(place, name) for name in names]:
            with contextlib.suppress(OSError):  # it has gone
                facts = os.lstat(path)
                if facts.st_nlink > 1 and not stat.S_ISLNK(facts.st_mode):
                    found.setdefault((facts.st_nlink, facts.st_dev, facts.st_ino), []).append(path)
    return [path for (links, _, _), paths in found.items() if len(paths) < links for path in paths]


def check_addresses(values: Iterable[str]) -> None:
    """Refuse what is no ``[PLAYER=]HOST:PORT``.

    Raises:
        ValueError: the line that says so.
    """
    for text in values:
        host, _, port = text.rpartition("=")[2].rpartition(":")
        if not (_HOST_NAME.fullmatch(host) and port.isdecimal() and 0 < int(port) < 2**16):
            raise ValueError(f"expected a host's name and a port, NAME:PORT, got {text!r}")


async def relay(listener: socket.socket, host: str, port: int) -> None:
    """Connect those who connect to a socket inside a sandbox to an address outside, until cancelled."""
    free = trio.Semaphore(_MOST_RELAYED)

    async def serve(inside: trio.SocketStream) -> None:
        with contextlib.suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            async with (
                inside,
                await trio.open_tcp_stream(host, port) as outside,
                trio.open_nursery() as copying,
            ):
                copying.start_soon(_copy, inside, outside)
                copying.start_soon(_copy, outside, inside)
        free.release()

    with trio.socket.from_stdlib_socket(listener) as listening:
        async with trio.open_nursery() as connections:
            while True:
                await free.acquire()
                connection, _ = await listening.accept()
                connections.start_soon(serve, trio.SocketStream(connection))


async def _copy(source: trio.SocketStream, target: trio.SocketStream) -> None:
    with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        async for chunk in source:
            await target.send_all(chunk)
        await target.send_eof()


async def receive_listeners(connection: socket.socket) -> list[socket.socket]:
    """The listening sockets that a sandbox passes out: the table's, and those for `Sandbox.reached`.

    None if it could not be made: its process then ends and says why.
    """
    descriptors: list[int] = []
    with contextlib.suppress(OSError):
        await trio.lowlevel.wait_readable(connection)
        _, descriptors, _, _ = socket.recv_fds(connection, 1, _MOST_ADDRESSES)
    listeners = [socket.socket(fileno=descriptor) for descriptor in descriptors]
    for listener in listeners:
        listener.setblocking(False)
    return listeners
