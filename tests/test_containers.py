"""The room in containers, without an engine: what the files say fits together, and the commands do it."""

import functools
import json
import shlex
import socket
import subprocess
import sys
import time
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click
import pytest
import yaml
from compose_spec import PyCompose

from server.commands.program import riverboat
from tests.support.dealer_process import ROOT, environment, program, run_to_end

# --- containers ---------------------------------------------------------------------------------------------

BOTS: Final = ("formula", "sampling", "learner")
PATIENCE_S: Final = 100.0
HANDS: Final = 25
"""Of a match that is played here: fewer than the dealer's."""


@functools.cache
def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return content


def service(name: str) -> dict[str, Any]:
    content: dict[str, Any] = compose()["services"][name]
    return content


def command(name: str) -> list[str]:
    """A service's words, as the compose file has them."""
    return shlex.split(service(name)["command"])


def parameters(name: str) -> dict[str, Any]:
    """What a service's command line comes to."""
    program_name, subcommand, *words = command(name)
    assert program_name == "riverboat"
    found = riverboat.get_command(click.Context(riverboat), subcommand)
    assert found is not None, subcommand
    return found.make_context(subcommand, words).params


def test_the_file_is_what_the_compose_specification_wants() -> None:
    parsed = PyCompose.from_json(json.dumps(compose()))
    parsed.validate()

    assert set(parsed.service_names()) == {"benchmark", "dealer", "human", "room", *BOTS}
    with pytest.raises(ValueError, match="comand"):  # it does look
        PyCompose.from_json(json.dumps({"services": {"x": {"image": "x", "comand": "y"}}}))


def test_every_command_is_one_of_ours() -> None:
    for name in compose()["services"]:
        assert parameters(name)


def test_every_seat_has_a_port_that_is_published_and_a_bot_that_goes_there() -> None:
    dealer = parameters("dealer")
    ports = dealer["ports"].split(",")

    assert dealer["host"] == "0.0.0.0"
    assert dealer["players"] == tuple(f"{name}=wait" for name in BOTS)
    assert service("dealer")["ports"] == [f"127.0.0.1:{port}:{port}" for port in ports]
    assert [parameters(name)["port"] for name in BOTS] == ports


def test_every_bot_waits_for_the_service_that_it_connects_to() -> None:
    for name in BOTS:
        bot = parameters(name)
        assert [bot["host"]] == service(name)["depends_on"]
        assert bot["wait_s"] >= 30


def test_every_volume_is_declared_and_every_file_is_on_one() -> None:
    for name in compose()["services"]:
        mounts = dict(text.split(":")[:2] for text in service(name)["volumes"])
        assert set(mounts) <= set(compose()["volumes"])
        for word in [*command(name), *service(name).get("healthcheck", {}).get("test", [])]:
            path = word.rpartition("=")[2]
            if path.startswith("/"):
                assert any(path.startswith(f"{folder}/") for folder in mounts.values()), word


def test_a_person_has_a_terminal() -> None:
    human = service("human")

    assert human["stdin_open"]
    assert human["tty"]


def test_what_starts_without_arguments_is_the_room() -> None:
    profiles = {name: service(name).get("profiles") for name in compose()["services"]}
    match = {name: ["match"] for name in ("dealer", *BOTS)}

    assert profiles == {"room": None, "human": ["human"], "benchmark": ["benchmark"], **match}


def test_the_rooms_ports_are_published_on_this_machine_alone() -> None:
    room = parameters("room")

    assert room["host"] == "0.0.0.0"
    assert service("room")["ports"] == [f"127.0.0.1:{room[each]}:{room[each]}" for each in ("port", "http")]


# --- the commands, run here --------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path) -> dict[str, str]:
    """What is called otherwise outside of the containers: hosts, ports, folders."""
    with ExitStack() as held:
        ports = parameters("dealer")["ports"].split(",")
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in ports]
        free = [str(each.getsockname()[1]) for each in sockets]
    return {
        ",".join(ports): ",".join(free),
        **dict(zip(ports, free, strict=True)),
        "dealer": "127.0.0.1",
        "0.0.0.0": "127.0.0.1",
        str(parameters("dealer")["hands"]): str(HANDS),
        "/logs/match": str(tmp_path / "match"),
        "/logs/human": str(tmp_path / "human"),
        "knowledge=/logs/poker-learner.npz": f"knowledge={tmp_path / 'poker-learner.npz'}",
    }


def words_here(name: str, here: dict[str, str]) -> list[str]:
    return program(*[here.get(word, word) for word in command(name)[1:]])


@pytest.mark.slow
def test_the_services_play_a_match(here: dict[str, str], tmp_path: Path) -> None:
    """Bots first, so that they have to wait for the dealer."""
    with ExitStack() as running:
        services = {
            name: running.enter_context(
                subprocess.Popen(
                    words_here(name, here), cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )
            )
            for name in (*BOTS, "dealer")
        }  # fmt: skip
        try:
            said = {name: process.communicate(timeout=PATIENCE_S)[0] for name, process in services.items()}
        finally:
            for process in services.values():
                process.kill()

    assert {name: process.returncode for name, process in services.items()} == dict.fromkeys(services, 0), (
        said
    )
    assert parameters("dealer")["hands"] > HANDS
    result = json.loads((tmp_path / "match" / "result.json").read_text())
    assert result["hands"] == HANDS
    assert [player["name"] for player in result["players"]] == list(BOTS)
    assert not any("failure" in player for player in result["players"])
    assert (tmp_path / "match" / "match.log").read_text().count("STATE:") == HANDS
    assert (tmp_path / "poker-learner.npz").exists()


def test_the_health_check_looks_at_what_the_dealer_writes(here: dict[str, str], tmp_path: Path) -> None:
    kind, *words = [
        word.replace("/logs/match", here["/logs/match"]) for word in service("dealer")["healthcheck"]["test"]
    ]
    assert kind == "CMD"
    assert subprocess.run(words, check=False).returncode == 1

    dealer = subprocess.Popen(
        words_here("dealer", here), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert dealer.stdout is not None
        assert "waiting for a player" in dealer.stdout.readline()
        deadline = time.monotonic() + PATIENCE_S
        while subprocess.run(words, check=False).returncode:
            assert time.monotonic() < deadline
    finally:
        dealer.terminate()
        dealer.communicate()


@pytest.mark.slow
def test_the_person_can_play(here: dict[str, str], tmp_path: Path) -> None:
    done = run_to_end(words_here("human", here), tmp_path, input="c\nc\nquit\n", timeout=PATIENCE_S)

    assert (done.returncode, done.stderr) == (0, "")
    assert "You are in seat 1 of 3." in done.stdout
    assert (tmp_path / "human" / "match.log").exists()


# --- the image ---------------------------------------------------------------------------------------------


def test_the_dockerfile_passes_hadolint() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    done = run_to_end([hadolint, "--no-color", ROOT / "Dockerfile"], ROOT)

    assert (done.returncode, done.stdout) == (0, "")


def test_the_dockerfile_copies_what_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied: set[str] = set()
    for line in (ROOT / "Dockerfile").read_text().splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            *sources, _ = line.split()[1:]
            copied.update(sources)

    assert copied == kept
    assert all((ROOT / source).exists() for source in copied)
    assert {"engine", "protocol", "server", "clients"} <= copied


def test_the_image_runs_as_somebody_without_rights_who_may_write_the_logs() -> None:
    text = (ROOT / "Dockerfile").read_text()

    assert "\nUSER 10001:10001\n" in text
    assert "install -d -o riverboat -g riverboat /logs" in text


# --- release ------------------------------------------------------------------------------------------------


def version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def test_it_is_cited_by_its_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    assert citation["version"] == version()
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    news = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {version()} ({citation['date-released']})\n" in news


def test_every_supported_python_is_tried() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "check.yml").read_text("utf-8"))
    matrix = workflow["jobs"]["check"]["strategy"]["matrix"]

    assert matrix["python"][0] == "3.11"
    assert any(step.get("run") == ".ci/run" for step in workflow["jobs"]["check"]["steps"])


def test_slow_tests_run_every_night() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8"))

    assert workflow[True]["schedule"]  # what YAML takes `on` for
    assert workflow["jobs"]["long"]["strategy"]["matrix"]["run"][0] == "make test-slow"


@pytest.mark.slow
def test_every_command_has_a_manual_page(tmp_path: Path) -> None:
    run_to_end([sys.executable, "-m", "docs.man_pages", str(tmp_path)], ROOT, timeout=None, check=True)

    pages = {path.name for path in tmp_path.iterdir()}
    assert {"riverboat.1", "riverboat-match.1", "riverboat-bot.1", "riverboat-experiment-killer.1"} <= pages
    assert r"\-\-duplicate" in (tmp_path / "riverboat-match.1").read_text("utf-8")
