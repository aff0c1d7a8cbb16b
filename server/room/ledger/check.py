"""Whether a ledger adds up: every balance is computed again from the movements and the hands."""

from __future__ import annotations

import sqlite3
from typing import Any

import attrs

_TO_TABLE = "kind IN ('buy-in', 'top-up')"


@attrs.frozen
class Check:
    """Whether everything adds up."""

    accounts: int
    tables: int
    rake: int
    hands: int
    issued: int
    faults: tuple[str, ...]
    """What does not add up, one line each."""

    @property
    def is_balanced(self) -> bool:
        """Whether no chip has been created or lost."""
        return not self.faults

    def as_json(self) -> dict[str, Any]:
        """The object that ``riverboat ledger check --json`` prints."""
        return {"balanced": self.is_balanced, **attrs.asdict(self)}


def check(db: sqlite3.Connection) -> Check:
    """Check a ledger; call it within one transaction, since others may write."""

    def number(query: str, *values: Any) -> int:
        (found,) = db.execute(query, values).fetchone()
        return int(found or 0)

    faults: list[str] = []
    for (broken,) in db.execute("PRAGMA quick_check"):
        if broken != "ok":
            faults.append(f"the file is damaged: {broken}")
    accounts = number("SELECT sum(chips) FROM players")
    tables = number("SELECT sum(stack) FROM places") + number("SELECT sum(unpaid) FROM sit_and_gos")
    rake = number("SELECT sum(rake) FROM results JOIN hands ON hands.id = hand WHERE moves_chips")
    issued = number(
        "SELECT sum(CASE kind WHEN 'issue' THEN chips WHEN 'return' THEN -chips ELSE 0 END) FROM movements"
    )
    hands = number("SELECT count(*) FROM hands")
    if accounts + tables + rake != issued:
        faults.append(
            f"accounts {accounts}, tables {tables} and rake {rake} come to {accounts + tables + rake}, "
            f"but {issued} chips were issued"
        )
    for name, chips, moved in db.execute(
        "SELECT name, players.chips, coalesce(sum(CASE WHEN movements.kind IN ('issue', 'cash-out')"
        " THEN movements.chips ELSE -movements.chips END), 0)"
        " FROM players LEFT JOIN movements ON player = players.id GROUP BY players.id"
    ):
        if chips != moved:
            faults.append(f"the account of {name} has {chips} chips, by its movements {moved}")
    for table, stacks in db.execute(
        "SELECT name, coalesce(sum(stack), 0) FROM tables LEFT JOIN places ON table_name = name GROUP BY name"
    ):
        brought = number(f"SELECT sum(chips) FROM movements WHERE table_name = ? AND {_TO_TABLE}", table)
        taken = number("SELECT sum(chips) FROM movements WHERE table_name = ? AND kind = 'cash-out'", table)
        won = number(
            "SELECT sum(chips - rake) FROM results JOIN hands ON hands.id = hand"
            " WHERE table_name = ? AND moves_chips",
            table,
        )
        unpaid = number("SELECT sum(unpaid) FROM sit_and_gos WHERE table_name = ?", table)
        stacks += unpaid
        if stacks != brought - taken + won:
            faults.append(
                f"{stacks} chips are on {table}; {brought} were brought, {taken} taken away, {won} won"
            )
        expected = number("SELECT next_hand FROM tables WHERE name = ?", table)
        played = number("SELECT count(*) FROM hands WHERE table_name = ?", table)
        if played != expected:
            faults.append(f"{table} has {played} hands, expected {expected}")
    for table, hand, chips in db.execute(
        "SELECT table_name, number, sum(chips) FROM results JOIN hands ON hands.id = hand"
        " GROUP BY hand HAVING sum(chips) != 0"
    ):
        faults.append(f"{table}: the chips of hand {hand} come to {chips}")
    faults += _sit_and_gos(db)
    return Check(accounts, tables, rake, hands, issued, tuple(faults))


def _sit_and_gos(db: sqlite3.Connection) -> list[str]:
    """Faults in the sums of sit-and-gos: pools, and stacks, including those that were left behind."""
    faults: list[str] = []
    for table, number, pool, unpaid, is_over, paid, prizes, stacks, expected, left in db.execute(
        "SELECT table_name, id, pool, unpaid, over_us IS NOT NULL, sum(paid), sum(coalesce(prize, 0)),"
        " sum(entrants.stack), count(*) * sit_and_gos.stack, sum(place IS NULL)"
        " FROM sit_and_gos JOIN entrants ON sit_and_go = id GROUP BY id"
    ):
        name = f"sit-and-go {number} of {table}"
        if paid != pool or prizes + unpaid != pool:
            faults.append(f"{name}: {paid} chips were paid for it, {prizes} are prizes, {unpaid} to come")
        if stacks != expected:
            faults.append(f"{name}: its stacks come to {stacks}, expected {expected}")
        if bool(is_over) != (left == 0) or (is_over and unpaid):
            faults.append(
                f"{name}: {left} are in it and {unpaid} chips unpaid, but it is over: {bool(is_over)}"
            )
    return faults
