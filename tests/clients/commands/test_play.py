"""``riverboat play`` and ``riverboat telnet``: people in terminals and with sockets."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clients.core.registry import fill_table
from clients.human.own_table import HouseOptions
from tests.support.commands import run_here
from tests.support.dealer_process import PATIENCE_S, environment, program, run_to_end
from tests.support.terminal.person import check_transcript
from tests.support.terminal.terminals import in_terminal, processes_about, wait_for_end_of

# --- `riverboat play` in real terminals, at tables of its own and of others ---------------------------------

OWN = ("--against", "random", "--seed", "5")

DISPLAYS = {
    "plain": {"TERM": "dumb"},
    "symbols": {"TERM": "xterm-256color", "NO_COLOR": "1"},
    "colour": {"TERM": "xterm-256color"},
}


def own_table(folder: Path, *words: str) -> list[str]:
    return program("play", *OWN, "--out", str(folder / "match"), *words)


@pytest.mark.parametrize(
    "display", [pytest.param(name, marks=pytest.mark.slow if name != "symbols" else ()) for name in DISPLAYS]
)
def test_two_hands_in_a_terminal(display: str, tmp_path: Path) -> None:
    """Golden: 80 by 24, plain, with suit symbols, in colour."""
    with in_terminal(own_table(tmp_path, "--hands", "2"), tmp_path, DISPLAYS[display]) as terminal:
        terminal.read_until("> ")
        for line in ("hello", "?", "r", "", "c", "history", "c", "c", "last", "r", "k", "c"):
            terminal.answer(line)
        terminal.type("f\n")
        status = terminal.finish()

    check_transcript(f"terminal-{display}", terminal.text)
    assert status == 0
    assert not processes_about(tmp_path)
    assert "SCORE" in (tmp_path / "match" / "match.log").read_text()


def test_a_pasted_heap_is_not_played_blindly(tmp_path: Path) -> None:
    with in_terminal(own_table(tmp_path), tmp_path, DISPLAYS["plain"]) as terminal:
        terminal.read_until("> ")
        before = len(terminal.text)
        terminal.type("c\n" * 10)
        terminal.read_until("\n> ", before + 20)

        assert "(9 lines typed before your turn were not played.)" in terminal.text
        assert terminal.text.count("You check.") == 1


@pytest.mark.parametrize(
    ("key", "status", "said"),
    [
        ("\x03", 130, "Ctrl-C: you leave the table."),
        pytest.param("\x04", 0, "Ctrl-D.", marks=pytest.mark.slow),
    ],
)
def test_keys_that_leave(key: str, status: int, said: str, tmp_path: Path) -> None:
    with in_terminal(own_table(tmp_path), tmp_path, DISPLAYS["plain"]) as terminal:
        terminal.read_until("> ")
        terminal.type("c")  # half a line
        terminal.type(key if status else "\n")
        if not status:
            terminal.read_until("> ")
            terminal.type(key)

        assert terminal.finish() == status
    assert said in terminal.text
    assert "No hand was finished." in terminal.text
    assert "Traceback" not in terminal.text
    assert not processes_about(tmp_path)


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGHUP]
)
def test_nothing_is_left_running_after_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    with in_terminal(own_table(tmp_path), tmp_path, DISPLAYS["plain"]) as terminal:
        terminal.read_until("> ")
        assert processes_about(tmp_path)
        terminal.process.send_signal(number)
        status = terminal.process.wait(PATIENCE_S)

    assert status == (-number if number == signal.SIGKILL else 128 + number)
    wait_for_end_of(tmp_path)


def test_a_window_may_change_its_size(tmp_path: Path) -> None:
    with in_terminal(own_table(tmp_path), tmp_path, DISPLAYS["plain"]) as terminal:
        terminal.read_until("> ")
        terminal.resize(24, 40)
        terminal.answer("r")
        before = len(terminal.text)
        terminal.answer("history")

    assert max(map(len, terminal.text[before:].splitlines()[2:])) <= 40


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_screen_of_tmux(tmp_path: Path) -> None:
    """Golden: what a window of 80 by 24 shows."""
    tmux = ["tmux", "-L", f"riverboat-{tmp_path.name}-{time.time_ns()}", "-f", "/dev/null"]

    def screen() -> str:
        return run_to_end([*tmux, "capture-pane", "-p"], check=True).stdout

    def until(text: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while text not in screen():
            assert time.monotonic() < deadline, screen()
            time.sleep(0.05)

    env = environment() | {"LC_ALL": "C.UTF-8"}
    start = [*tmux, "-u", "new-session", "-d", "-x", "80", "-y", "24", "-c", str(tmp_path)]
    subprocess.run([*start, *own_table(tmp_path)], check=True, env=env)
    try:
        until("\n>")
        subprocess.run([*tmux, "send-keys", "r", "Enter"], check=True)
        until("Flop")
        subprocess.run([*tmux, "send-keys", "history", "Enter"], check=True)
        until("Posted")
        check_transcript("tmux", screen().rstrip("\n") + "\n")
        subprocess.run([*tmux, "send-keys", "quit", "Enter"], check=True)
        wait_for_end_of(tmp_path)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


# --- not a terminal ---------------------------------------------------------------------------------------


def run(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return run_to_end(program("play", *words), folder, input=typed)


@pytest.mark.slow
def test_prepared_answers_play_as_many_decisions(tmp_path: Path) -> None:
    done = run(tmp_path, *OWN, "--out", "match", typed="c\nnonsense\nc\nc\nf")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n> ") == 6
    assert done.stdout.isascii()
    assert "You are at" in done.stdout
    assert "The input has ended.\nYou leave the table." in done.stdout
    assert "The hands are in match/match.log." in done.stdout


def test_nothing_to_type_at(tmp_path: Path) -> None:
    words = shlex.join(program("play", *OWN))
    done = run_to_end(["sh", "-c", f"{words} <&-"], tmp_path)

    assert done.returncode == 2
    assert done.stderr == "play: standard input is closed: there is nothing to type at\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--against", "nobody-of-that-name", "--out", "match"],
            "there is neither a bot nor a program 'nobody-of-that-name'\n",
        ),
        ([*OWN, "--name", "x=touch FILE"], "expected a name without blanks"),
        ([*OWN, "--out", "file/below"], "the match folder file/below cannot be made: "),
    ],
    ids=["no such opponent", "a name that is a command", "a house that does not open"],
)
def test_a_table_of_ones_own_that_cannot_be_opened_says_why(
    words: list[str], said: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("a file")

    done = run(tmp_path, *words)

    assert done.returncode == 2
    assert re.match(rf"(riverboat )?play: {re.escape(said)}", done.stderr)
    assert [path.name for path in tmp_path.iterdir() if path.name != "match"] == ["file"]


def test_a_dealer_that_is_not_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    done = run(tmp_path, "127.0.0.1", str(port))

    assert done.returncode == 1
    assert f"Cannot connect to 127.0.0.1 port {port}: Connection refused." in done.stdout


def test_a_dealer_that_goes_away(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        player = subprocess.Popen(
            program("play", "127.0.0.1", str(server.getsockname()[1]), "--game", "limit-2p"),
            cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        connection, _ = server.accept()
        connection.recv(100)
        connection.sendall(b"MATCHSTATE:1:0::|AhKd\r\n")
        assert player.stdout is not None
        while "raise" not in player.stdout.readline():
            pass
        connection.close()
        player.wait(PATIENCE_S)  # with its input still open
        out, _ = player.communicate()

    assert player.returncode == 1
    assert "The match has broken off: the dealer closed the connection in the middle of hand 0." in out


def test_the_last_opponent_fills_the_table() -> None:
    assert fill_table(6, ("formula", "random")) == ("formula", "random", "random", "random", "random")
    assert fill_table(2, ("a", "b")) is None


def test_the_house_is_asked_for_no_clock_and_the_fold_policy(tmp_path: Path) -> None:
    words = HouseOptions("limit-2p", "you", ("random",), 10, "3", tmp_path).command()

    assert words[:6] == [sys.executable, "-P", "-m", "server", "match", "limit-2p"]
    assert words[words.index("--on-failure") + 1] == "fold"
    assert words[words.index("--response-time") + 1] == "1e9"


# --- by telnet -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_seat_of_ones_own_table_by_nc(tmp_path: Path) -> None:
    """Golden: ``play --telnet``, and ``nc`` at the other end."""
    words = own_table(tmp_path, "--hands", "2", "--telnet", "0")
    process = subprocess.Popen(words, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True)
    try:
        port = read_port(process, r"open on 127.0.0.1 port (\d+)")
        text = talk(port, ["hello", "?", "r", "c", "c", "c", "r", "k", "c", "c", "c"])
        status = process.wait(PATIENCE_S)
    finally:
        end(process)

    check_transcript("nc", text)
    assert status == 0
    assert not processes_about(tmp_path)


def talk(port: int, typed: list[str]) -> str:
    """Answer every question with the next line, as a person with ``nc`` does; returns what they see."""
    shown, answers = "", iter(typed)
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
        while data := connection.recv(4096):
            shown += data.decode().replace("\r\n", "\n")
            if shown.endswith("\n> "):
                line = next(answers, "c")
                connection.sendall(line.encode() + b"\n")
                shown += line + "\n"
    return shown


def read_port(process: subprocess.Popen[str], pattern: str) -> int:
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(pattern, line):
            return int(found[1])
    raise AssertionError("no port was named")


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = run_here("telnet", "--listen", port, "127.0.0.1", "4000", folder=tmp_path)

    assert done.exit_code == 1
    assert done.stderr == f"telnet: cannot listen on 127.0.0.1 port {port}: Address already in use\n"
