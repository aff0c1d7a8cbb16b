"""Headless Chromium, driven by the Chrome DevTools Protocol (CDP) over a WebSocket."""

import base64
import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx2
import trio

from tests.support.web import WebSocket

PROGRAM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
"""The path of a Chromium; None if there is none."""
HURRIED: Final = "(() => { const now = Date.now; Date.now = () => 1000 * now(); })()"
"""No press comes too soon after its question."""
_MIDDLE: Final = """(() => {
  const node = document.querySelector(%s);
  node.scrollIntoView({block: "center"});
  const box = node.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})()"""


class Tab:
    """An open page."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._number = 0
        self.complaints: list[str] = []
        """The exceptions of the page, and what it could not load, as JSON."""

    async def ask(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol; returns its result."""
        self._number += 1
        await self._websocket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while (message := await self._websocket.message()) is not None:
            if message.get("id") == self._number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.complaints.append(json.dumps(message["params"]))
        raise AssertionError(f"Chromium went away before {method} was done")

    async def open(self, address: str) -> None:
        """Go to a page, and wait until it is loaded."""
        await self.ask("Page.navigate", url=address)
        await self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    async def value(self, script: str) -> Any:
        """The value of a script."""
        done = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    async def until(self, script: str) -> Any:
        """Wait until a script has a true value; returns the value."""
        look = f"const found = ({script}); found ? yes(found) : setTimeout(look, 5);"
        found = f"new Promise((yes) => {{ const look = () => {{ {look} }}; look(); }})"
        while True:
            try:
                return await self.value(found)
            except AssertionError as error:
                if "navigated" not in str(error):  # to another page, on which it may become true
                    raise

    async def click(self, selector: str) -> None:
        """Click the middle of an element with the mouse."""
        x, y = await self.value(_MIDDLE % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            await self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    async def press(self, key: str) -> None:
        """Press and release a key."""
        text = {"text": key} if len(key) == 1 else {}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def size(self, width: int, height: int, *, dark: bool = False, scale: float = 1.0) -> None:
        """Set the size of the window, the theme, and the pixels per point."""
        await self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=scale, mobile=width < 600,
        )  # fmt: skip
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.ask("Emulation.setEmulatedMedia", features=[theme])

    async def picture(self) -> bytes:
        """A screenshot of the window, as PNG."""
        return base64.b64decode((await self.ask("Page.captureScreenshot", format="png"))["data"])


@asynccontextmanager
async def chromium(folder: Path) -> AsyncIterator[Tab]:
    """A tab of a new browser, which is closed at the end of the block.

    Args:
        folder: the folder for the browser's profile.
    """
    assert PROGRAM is not None
    words = [
        PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
        "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank",
    ]  # fmt: skip
    async with trio.open_nursery() as nursery:
        options: dict[str, Any] = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL, "check": False}
        process = await nursery.start(partial(trio.run_process, words, **options))
        try:
            said = b""
            while (found := re.search(rb"DevTools listening on ws://([\d.]+):(\d+)/", said)) is None:
                data = await process.stderr.receive_some()
                assert data, said
                said += data
            nursery.start_soon(_drain, process.stderr)
            host, port = found.group(1).decode(), int(found.group(2))
            async with httpx2.AsyncClient(base_url=f"http://{host}:{port}") as http:
                pages = (await http.get("/json/list")).json()
            target = next(page for page in pages if page["type"] == "page")
            path = "/" + target["webSocketDebuggerUrl"].split("/", 3)[3]
            async with await trio.open_tcp_stream(host, port) as stream:
                websocket = WebSocket(stream, path, f"{host}:{port}")
                await websocket.open()
                tab = Tab(websocket)
                for domain in ("Page", "Runtime", "Log"):
                    await tab.ask(f"{domain}.enable")
                yield tab
        finally:
            process.terminate()
            with trio.CancelScope(shield=True), trio.move_on_after(10):
                await process.wait()
            nursery.cancel_scope.cancel()


async def _drain(stream: trio.abc.ReceiveStream) -> None:
    async for _ in stream:
        pass
