"""Chromium, asked over a pipe: one page, its elements, its messages, its picture.

The protocol is that of the developer tools, one JSON object after the other with a zero byte
between them; the browser reads from descriptor 3 and writes to descriptor 4.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from synthpop_py.report.render import browser, sandbox_options

OPTIONS = [
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--remote-debugging-pipe",
    "about:blank",
]


class Page:
    """A page that is open.

    Attributes
    ----------
    messages : what the console and the log of the browser said.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = os.fdopen(reading, "rb", buffering=0)
        self._writing = os.fdopen(writing, "wb", buffering=0)
        self._last = 0
        self._rest = b""
        self._session: str | None = None
        self.messages: list[str] = []

    def attach(self) -> None:
        targets = self.ask("Target.getTargets")["targetInfos"]
        (target,) = [info["targetId"] for info in targets if info["type"] == "page"]
        answer = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        question: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            question["sessionId"] = self._session
        self._writing.write(json.dumps(question).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._reading.read(1 << 16)
            assert part, "the browser has ended"
            self._rest += part
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, params = message.get("method", ""), message.get("params", {})
        told = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        if method in told:
            self.messages.append(json.dumps(params)[:500])
        if method == "Network.requestWillBeSent":
            address = params["request"]["url"]
            if not address.startswith(("file:", "data:", "about:")):
                self.messages.append(f"asked for {address}")

    # ---- what tests ask --------------------------------------------------------------

    def open(self, file: Path, width: int = 1200, height: int = 900, *, dark: bool = False) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        self.ask("Emulation.setDeviceMetricsOverride", mobile=width < 600, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=file.as_uri())
        while self.evaluate("document.readyState") != "complete":
            pass

    def evaluate(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def screenshot(self, *, whole: bool = False) -> bytes:
        picture = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(picture["data"])


@contextmanager
def page(folder: Path) -> Iterator[Page]:
    """A browser with one page; `folder` takes its files."""
    to_browser, from_us = os.pipe()
    from_browser, to_us = os.pipe()
    command = [browser(), *OPTIONS, *sandbox_options(), f"--user-data-dir={folder}"]

    def ends_where_the_browser_looks() -> None:
        os.dup2(to_browser, 3)
        os.dup2(to_us, 4)

    running = subprocess.Popen(
        command,
        pass_fds=(3, 4, to_browser, to_us),
        preexec_fn=ends_where_the_browser_looks,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(to_us)
    opened = Page(from_browser, from_us)
    try:
        opened.attach()
        yield opened
    finally:
        running.terminate()
        running.wait(timeout=20)
        opened._reading.close()
        opened._writing.close()
