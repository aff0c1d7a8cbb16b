"""Asks an endpoint for a completion; whatever it does instead has a name.

======================  =====================================================================================
``ok``                  a completion with choices
``transient``           408, 409, 425, 429, 5xx, no connection, no answer in time, a body that is too large,
                        no JSON, or without choices: it may be asked again
``adapt``               400 that names a member we sent, which some endpoints do not take
``refused``             401, 403, 404, a redirect (never followed: the key would go elsewhere), others
======================  =====================================================================================
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import attrs
import trio

from engine.support.user_input import parse_finite, quoted
from protocol.agents.answers import BadFormat, parse_json

if TYPE_CHECKING:
    import httpx2

_MOST_BYTES: Final = 64 * 1024
_TRANSIENT: Final = (408, 409, 425, 429)


@attrs.frozen
class Outcome:
    """The result of a request."""

    kind: str
    reply: dict[str, Any] | None = None
    """The completion."""
    detail: str = ""
    """What happened instead, for people."""
    parameter: str = ""
    """The member that the endpoint does not take."""
    wait: float = 0.0
    """Seconds after which it wants to be asked again."""

    def as_json(self) -> dict[str, Any]:
        """The members of a transcript's line."""
        return {name: value for name, value in attrs.asdict(self).items() if value}

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> Outcome:
        """The outcome that `as_json` has made; nothing is waited for again."""
        told = {name: entry[name] for name in ("kind", "reply", "detail", "parameter") if name in entry}
        return cls(**told)


class Provider:
    """An endpoint.

    Args:
        url: its base.
        key: its key; None for none.
    """

    def __init__(self, url: str, key: str | None) -> None:
        self._url = f"{url.rstrip('/')}/chat/completions"
        bearer = {} if key is None else {"authorization": f"Bearer {key}"}
        self._headers = {"accept-encoding": "identity"} | bearer
        self.transport: httpx2.AsyncBaseTransport | None = None
        """Moves the bytes instead of the network; for tests, before the first request."""
        self._client: httpx2.AsyncClient | None = None

    async def ask(self, body: Mapping[str, Any], seconds: float) -> Outcome:
        """Ask once.

        Args:
            body: of the request.
            seconds: how long it may take.
        """
        import httpx2

        if self._client is None:
            self._client = httpx2.AsyncClient(
                headers=self._headers, transport=self.transport, timeout=None, trust_env=False
            )
        try:
            with trio.fail_after(seconds):
                async with (
                    self._client.stream("POST", self._url, json=body) as response,
                    contextlib.aclosing(response.aiter_bytes()) as pieces,
                ):
                    data = bytearray()
                    async for piece in pieces:
                        data += piece
                        if len(data) > _MOST_BYTES:
                            return Outcome("transient", detail=f"more than {_MOST_BYTES} bytes")
                    return _judged(response.status_code, dict(response.headers), bytes(data), body)
        except trio.TooSlowError:
            return Outcome("transient", detail=f"no answer in {seconds:.3g} s")
        except (httpx2.HTTPError, OSError) as error:
            return Outcome("transient", detail=f"no connection: {quoted(str(error) or type(error).__name__)}")


def _judged(status: int, headers: Mapping[str, str], data: bytes, sent: Mapping[str, Any]) -> Outcome:
    if status in _TRANSIENT or status >= 500:
        wait = _retry_after(headers.get("retry-after", ""))
        return Outcome("transient", detail=f"status {status}", wait=wait)
    try:
        reply = parse_json(data, _MOST_BYTES, any_text=True)
    except BadFormat as error:
        if status == 200:
            return Outcome("transient", detail=str(error))
        reply = None
    if status == 200:
        choices = reply.get("choices") if isinstance(reply, dict) else None
        if not isinstance(choices, list) or not choices:
            return Outcome("transient", detail="a reply without choices")
        return Outcome("ok", reply)
    fault = reply.get("error") if isinstance(reply, dict) else None
    parameter = fault.get("param") if isinstance(fault, dict) else None
    if status == 400 and isinstance(parameter, str) and parameter in sent:
        return Outcome("adapt", detail=f"status 400 for {parameter}", parameter=parameter)
    return Outcome("refused", detail=f"status {status}")


def _retry_after(text: str) -> float:
    """Seconds of a Retry-After header, which may also be a date; 0 for none."""
    with contextlib.suppress(ValueError):
        return max(0.0, parse_finite(text))
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        when = parsedate_to_datetime(text)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    return 0.0
