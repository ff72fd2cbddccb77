# SPDX-License-Identifier: Apache-2.0
"""Chromium under its driver, by the W3C WebDriver protocol: as much of it as the tests of pages need."""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
_START_S, _ANSWER_S = 30, 60


class Browser:
    """One page of a running Chromium."""

    def __init__(self, address: str, width: int, height: int) -> None:
        self._address = address
        options = {"args": [*_OPTIONS, f"--window-size={width},{height}"], "binary": shutil.which("chromium")}
        capabilities = {
            "alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        }
        self._session = self._call("POST", "/session", {"capabilities": capabilities})["sessionId"]

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._address + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=_ANSWER_S) as answer:
            return json.load(answer)["value"]

    def _of_session(self, method: str, path: str, body: Any = None) -> Any:
        return self._call(method, f"/session/{self._session}{path}", body)

    def open(self, page: Path) -> None:
        self._of_session("POST", "/url", {"url": page.as_uri()})

    def run(self, script: str) -> Any:
        """The value that a script returns."""
        return self._of_session("POST", "/execute/sync", {"script": script, "args": []})

    def click(self, selector: str, number: int = 0) -> None:
        """A real click: fails where something covers the element."""
        self._of_session("POST", f"/element/{self._find(selector, number)}/click", {})

    def press(self, keys: str) -> None:
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self._of_session("POST", "/actions", {"actions": [source]})

    def picture(self, selector: str = "") -> bytes:
        """What is to be seen of the page, or of an element, as PNG."""
        place = f"/element/{self._find(selector, 0)}" if selector else ""
        return base64.b64decode(self._of_session("GET", f"{place}/screenshot"))

    def _find(self, selector: str, number: int) -> str:
        query = {"using": "css selector", "value": selector}
        return self._of_session("POST", "/elements", query)[number][_ELEMENT]

    def complaints(self) -> list[str]:
        """What the page's scripts got wrong."""
        rows = self._of_session("POST", "/se/log", {"type": "browser"})
        return [row["message"] for row in rows if row["level"] == "SEVERE"]

    def close(self) -> None:
        self._of_session("DELETE", "")


@contextlib.contextmanager
def chromium(width: int = 1400, height: int = 900) -> Iterator[Browser]:
    """Skips the test where Chromium or its driver is not installed."""
    driver = shutil.which("chromedriver")
    if driver is None or shutil.which("chromium") is None:
        pytest.skip("Chromium is not here: apt-get install chromium chromium-driver")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        browser = _connect(f"http://127.0.0.1:{port}", width, height, process)
        try:
            yield browser
        finally:
            browser.close()
    finally:
        process.terminate()
        process.wait(_ANSWER_S)


def _connect(address: str, width: int, height: int, process: subprocess.Popen[bytes]) -> Browser:
    end = time.monotonic() + _START_S
    while True:
        try:
            return Browser(address, width, height)
        except ConnectionError:
            pass
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
        assert process.poll() is None, "the driver ended"
        assert time.monotonic() < end, "the driver does not answer"
        time.sleep(0.1)
