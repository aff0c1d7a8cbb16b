"""Figures for the operator's monitoring, health, and the log."""

from __future__ import annotations

import io
import json
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from server.room.operator import TOKEN
from server.room.reporting import operator_console
from server.room.web.figures import may_see
from tests.support.rooms import room_config
from tests.support.web import pages_of


async def test_figures_tell_what_the_room_has_counted(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        ann, bob = await pages.room.seated("Ann", "Bob")
        await pages.room.play([ann, bob], 4)
        await pages.get("/nonsense")
        table = pages.room.room.tables["a"]
        text = (await pages.get("/metrics")).text
        found = {
            (sample.name, *sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

        assert found["riverboat_hands_total", "a"] == table.hands_played >= 4
        assert found["riverboat_seats", "a", "visitors"] == 2
        assert found["riverboat_seats", "a", "free"] == 4
        assert found["riverboat_connections",] == 2
        assert found["riverboat_page_answers_total", "404"] == 1
        assert found["riverboat_faults_total", "pages"] == 0
        assert found["riverboat_decisions_total", "Ann", "a"] >= 4
        assert 0 < found["riverboat_decision_seconds", "0.99", "Ann", "a"] < 10
        assert ("process_resident_memory_bytes",) in found


def test_figures_are_for_this_machine_and_for_the_operator(tmp_path: Path) -> None:
    assert may_see(tmp_path, "127.0.0.1", "")
    assert not may_see(tmp_path, "192.0.2.1", "")
    (tmp_path / TOKEN).write_text("secret\n")
    assert not may_see(tmp_path, "192.0.2.1", "")
    assert not may_see(tmp_path, "192.0.2.1", "Bearer guess")
    assert may_see(tmp_path, "192.0.2.1", "Bearer secret")


async def test_health_is_bad_where_players_would_better_go_elsewhere(tmp_path: Path) -> None:
    async with pages_of(room_config(tmp_path)) as pages:
        answer = await pages.get("/healthz")
        assert (answer.status_code, answer.json()["state"]) == (200, "open")
        pages.room.room.tables["a"].is_paused = True
        answer = await pages.get("/healthz")
        assert (answer.status_code, answer.json()["paused"]) == (503, ["a"])


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_log_is_json_where_no_terminal_is() -> None:
    said = io.StringIO()
    console = operator_console(said)
    table = console.of_table("deep")
    table.err("riverboat: seat 2 (Bob) stalled\nWARNING: invalid action, changed to call\n")
    console.err('Traceback (most recent call last):\n  File "x.py", line 1\nValueError: no\n')
    console.event("open", players="127.0.0.1:4000")
    bob, warning, fault, opened = map(json.loads, said.getvalue().splitlines())

    assert (bob["event"], bob["level"], bob["table"]) == ("seat 2 (Bob) stalled", "info", "deep")
    assert (warning["event"], warning["level"]) == ("invalid action, changed to call", "warning")
    assert (fault["level"], fault["error"]) == ("error", "ValueError: no")
    assert opened["players"] == "127.0.0.1:4000"
    assert all(line["timestamp"].endswith("Z") for line in (bob, warning, fault, opened))


def test_on_a_terminal_the_log_is_plain_lines() -> None:
    said = _Terminal()
    console = operator_console(said)
    console.of_table("deep").err("riverboat: seat 2 (Bob) stalled\n")
    console.event("open")

    assert said.getvalue() == "riverboat: seat 2 (Bob) stalled\n"
