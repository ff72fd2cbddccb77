# SPDX-License-Identifier: Apache-2.0
"""The page of `tileport diff --html`, clicked through in Chromium."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium

from tileport import cli

FAULTY = ("_softmax_kernel__1a724f7854.tileirbc", "_softmax_kernel__1a724f7854.port.faulty.tileirbc")
OTHERS = (
    "_softmax_kernel_tma__5fec1e9b62.tileirbc",
    "_softmax_kernel_chunked__28a6b90687.port.sm_90.tileirbc",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


def page(data: Path, folder: Path, pair: tuple[str, str]) -> Path:
    html = folder / "diff.html"
    files = [str(data / "diff" / name) for name in pair]
    assert cli.run(["diff", *files, "--html", str(html)]) == 1
    return html


def hidden_rows(browser: Browser) -> int:
    return browser.run(
        "return [...document.querySelectorAll('tr.row')].filter(row => row.closest('tbody').hidden).length"
    )


def test_one_fault(browser: Browser, data: Path, tmp_path: Path) -> None:
    browser.open(page(data, tmp_path, FAULTY))
    assert browser.run("return document.querySelector('.badge.critical').textContent") == "1 critical"
    assert browser.run("return document.querySelectorAll('.finding').length") == 1
    # Partners stand on one row: a line of the reference beside the port's.
    changed = browser.run(
        "return [...document.querySelectorAll('tr.critical')].map("
        "row => [...row.querySelectorAll('td.code')].map(cell => cell.textContent.trim()))"
    )
    assert len(changed) == 1
    assert "<bf16: 0xFF80>" in changed[0][0] and "<bf16: 0xFFF0>" in changed[0][1]
    assert browser.run(
        "return [...document.querySelectorAll('tr.critical mark')].map(mark => mark.textContent)"
    )

    # Equal lines are folded; a click unfolds one run, `f` all of them.
    folded = hidden_rows(browser)
    assert folded > 0
    browser.click("tr.fold button")
    assert 0 < hidden_rows(browser) < folded
    browser.press("f")
    assert hidden_rows(browser) == 0
    browser.press("f")
    assert hidden_rows(browser) == folded

    # The finding leads to its row, and shows what would mend it.
    browser.click(".finding .go")
    assert browser.run("return document.querySelectorAll('tr.current.critical').length") == 1
    assert browser.run("return document.querySelector('#position').textContent") == "1 of 1"
    in_sight = "const box = document.querySelector('tr.current').getBoundingClientRect();"
    assert browser.run(in_sight + " return box.top >= 0 && box.bottom <= innerHeight")
    assert "NEG_INFINITY" in browser.run("return document.querySelector('.finding dl').textContent")
    assert browser.complaints() == []


def test_many_findings_by_keyboard(browser: Browser, data: Path, tmp_path: Path) -> None:
    browser.open(page(data, tmp_path, OTHERS))
    count = browser.run("return document.querySelectorAll('.finding').length")
    assert count > 3
    where = "return document.querySelector('#position').textContent"
    browser.press("n")
    assert browser.run(where) == f"1 of {count}"
    browser.press("nj")
    assert browser.run(where) == f"3 of {count}"
    browser.press("p")
    assert browser.run(where) == f"2 of {count}"
    browser.press("ppk")
    assert browser.run(where) == f"{count - 1} of {count}"
    focused = "return document.activeElement.closest('.finding').getAttribute('aria-current')"
    assert browser.run(focused) == "true"
    assert browser.run("return document.querySelectorAll('.finding[aria-current=true]').length") == 1
    browser.press("?")
    assert browser.run("return document.getElementById('keys').open") is True
    browser.click("#keys button")
    assert browser.run("return document.getElementById('keys').open") is False
    browser.click("#next")
    assert browser.run(where) == f"{count} of {count}"
    assert browser.complaints() == []


def test_the_picture_has_the_colours(browser: Browser, data: Path, tmp_path: Path) -> None:
    browser.open(page(data, tmp_path, FAULTY))
    # The finding's row is red on both sides with what differs in a stronger red, what rules accept is grey.
    critical = pixels(browser.picture("tr.critical"))
    assert critical.most_common(1)[0][0] == (0xFF, 0xD8, 0xD3)
    assert critical[(0xFF, 0x9D, 0x93)] > 500
    assert pixels(browser.picture("tr.form")).most_common(1)[0][0] == (0xEE, 0xF0, 0xF2)
    assert pixels(browser.picture("tr.same")).most_common(1)[0][0] == (0xFF, 0xFF, 0xFF)
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), "nothing hangs over"


def pixels(png: bytes) -> Counter[tuple[int, int, int]]:
    """How often each colour is in a PNG of 8 bits a channel, not interlaced."""
    data, at, width, height, channels = b"", 8, 0, 0, 3
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        chunk = png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8
            channels = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            data += chunk
        at += size + 12
    raw, stride = zlib.decompress(data), width * channels
    counts: Counter[tuple[int, int, int]] = Counter()
    before = bytearray(stride)
    for y in range(height):
        line = _unfilter(
            raw[y * (stride + 1)],
            bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)]),
            before,
            channels,
        )
        for x in range(0, stride, channels):
            counts[(line[x], line[x + 1], line[x + 2])] += 1
        before = line
    return counts


def _unfilter(kind: int, line: bytearray, above: bytearray, step: int) -> bytearray:
    for x in range(len(line)):
        left = line[x - step] if x >= step else 0
        up = above[x]
        corner = above[x - step] if x >= step else 0
        if kind == 1:
            line[x] = (line[x] + left) & 255
        elif kind == 2:
            line[x] = (line[x] + up) & 255
        elif kind == 3:
            line[x] = (line[x] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda value: abs(guess - value))
            line[x] = (line[x] + nearest) & 255
    return line
