"""Seats of MCP clients in tests: a policy that plays by the tools until the table is closed."""

from typing import Any

from mcp import Client

from tests.support.observers import policy


async def play_by_tools(client: Client, *, at_once: bool = True) -> int:
    """Play to the end; returns the number of calls.

    Args:
        client: connected.
        at_once: each answer also waits for the next turn.
    """
    seen = await called(client, "wait_for_turn", {})
    calls = 1
    while seen["status"] in ("your_turn", "waiting"):
        if seen["status"] == "your_turn":
            answer = {**policy(seen), "turn": seen["turn"]}
            receipt = await called(client, "act", {**answer, "wait": True} if at_once else answer)
            assert receipt["turn"] == seen["turn"]
            calls += 1
            if at_once:
                seen = receipt["next"]
                continue
        seen = await called(client, "wait_for_turn", {})
        calls += 1
    return calls


async def called(client: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """What a tool returns, error or not."""
    found = await client.call_tool(name, arguments)
    content: Any = found.structured_content
    assert bool(found.is_error) == ("error" in content)
    return content
