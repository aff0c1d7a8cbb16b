"""Archives as earlier versions wrote them, adapted to today's form.

``README.md`` beside this file lists what is read, since when, and until when.  Each adapter maps what a file
says to the fields of `engine.support.files.archive.Archive`; it knows nothing of what the contents mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from engine.support.files.formats import digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["earlier_form"]

_KNOWLEDGE: Final = "riverboat knowledge"
_NOTES: Final = {"riverboat flop book": ("made_by", "shares", "opponents"), "riverboat habits": ("names",)}
"""By kind, the arrays that are members of the meta object today."""

Arrays = Mapping[str, "NDArray[Any]"]


def earlier_form(kind: str, header: Any, arrays: Arrays) -> dict[str, Any]:
    """The fields of an archive from a file of an earlier version.

    Args:
        kind: the kind that is expected.
        header: the JSON value of a text, or of the array ``header``; None if there is none.
        arrays: the others.

    Raises:
        ValueError: it is damaged, or nothing that a version has written.
    """
    if header is None:
        return _members(kind, arrays)
    if not isinstance(header, dict):
        raise ValueError("expected a JSON object")  # noqa: TRY004 - of a file, not of a caller
    if header.get("format") == _KNOWLEDGE:
        return _knowledge(header, arrays)
    if "format" in header:
        return _strategy(header, arrays)
    if arrays:
        raise ValueError("its header has no kind, schema and digest")
    return _text(header)


def _knowledge(header: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """A knowledge file, whose header had its own names, and which a journal may go on from."""
    learner, version, game, notes = (header.get(name) for name in ("kind", "version", "game", "meta"))
    return {
        "kind": _KNOWLEDGE,
        "schema": header.get("schema"),
        "meta": {"learner": learner, "version": version, "game": game, "notes": notes},
        "arrays": arrays,
        "previous": str(header.get("previous", "")),
        "digest": _verified(header, [learner, version, game, notes], arrays),
    }


def _strategy(header: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """A strategy or a checkpoint, whose kind was called its format."""
    kind, game, notes = (header.get(name) for name in ("format", "game", "notes"))
    return {
        "kind": kind,
        "schema": header.get("schema"),
        "meta": {"game": game, "notes": notes},
        "arrays": arrays,
        "digest": _verified(header, [kind, game, notes], arrays),
    }


def _verified(header: Mapping[str, Any], values: object, arrays: Arrays) -> str:
    digest = digest_of(values, arrays)
    if header.get("digest") != digest:
        raise ValueError("its contents are not those it was written with")
    return digest


def _members(kind: str, arrays: Arrays) -> dict[str, Any]:
    """Arrays alone, one of them the schema, and perhaps one the kind: habits, books, what is cached."""
    arrays = dict(arrays)
    schema = arrays.pop("schema", None)
    if schema is None or schema.shape != ():
        raise ValueError("it has no header")
    found = str(arrays.pop("kind", kind))
    meta = {name: arrays.pop(name).tolist() for name in _NOTES.get(found, ()) if name in arrays}
    return {"kind": found, "schema": schema.item(), "meta": meta, "arrays": arrays}


def _text(header: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON text without a digest."""
    meta = {name: value for name, value in header.items() if name not in ("kind", "schema")}
    return {"kind": header.get("kind"), "schema": header.get("schema"), "meta": meta}
