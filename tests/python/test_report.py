# SPDX-License-Identifier: Apache-2.0
"""The report page: what it says, and that it is one sound, self-contained HTML file."""

from __future__ import annotations

import html.parser
import json
from pathlib import Path

import proofs
import pytest

from tileport import cli, contract, report
from tileport.errors import InputError
from tileport.report import proof_status
from tileport.stages.port import Port

GOOD, BAD = "softmax_kernel__1111111111", "other_kernel__2222222222"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(html.parser.HTMLParser):
    """Collects what the tests ask about, and fails on elements that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headers_without_scope = 0
        self.tables = self.captions = 0
        self.attributes: list[tuple[str, str, str | None]] = []
        self.words: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if "id" in found:
            self.ids.append(str(found["id"]))
        if tag == "a":
            self.links.append(str(found.get("href")))
        self.headers_without_scope += tag == "th" and "scope" not in found
        self.tables += tag == "table"
        self.captions += tag == "caption"

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words += data.split()

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.fixture
def unproven() -> str:
    rows = [
        proofs.specialization(GOOD),
        proofs.specialization(BAD, ir="differs", sm_90="differs", findings=[proofs.FINDING]),
    ]
    return report.render(proofs.proof(rows), proofs.index([proofs.row(GOOD), proofs.row(BAD)]))


def test_the_page_is_well_formed_accessible_and_self_contained(unproven: str) -> None:
    page = Page(unproven)
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert page.headers_without_scope == 0
    assert page.tables == page.captions > 0
    assert ("html", "lang", "en") in page.attributes
    assert not [name for _, name, _ in page.attributes if name in ("src", "srcset", "onclick", "background")]
    assert "url(" not in unproven and "@import" not in unproven and "<script" not in unproven


def test_the_page_says_the_verdict_the_places_and_the_numbers(unproven: str) -> None:
    text = Page(unproven).text
    assert "UNPROVEN" in text and "GPU gate pending" in text
    assert "kernel.rs:40" in text and "a.py:12" in text
    assert "the reduction is along another axis" in text
    assert "reduce dim=1 <evil & co>" in text
    assert "n=3" in text and "tilegym/ops/cutile/softmax.py:30" in text
    assert "sm_90: differs (why it is differs)" in text
    assert "a constant that nothing uses" in text
    look = text[text.index("Where to look next Where") if "Where to look next Where" in text else 0 :]
    assert BAD in look


def test_a_proven_page_points_at_the_gpu() -> None:
    text = Page(report.render(proofs.proof([proofs.specialization(GOOD)]), None)).text
    assert "PROVEN" in text and "Every specialization is proven" in text


def test_what_rustc_refuses_is_shown() -> None:
    document = proofs.proof([proofs.specialization(GOOD)])
    problem = {"code": "E0308", "message": "mismatched <types>", "file": "kernel.rs", "line": 3, "column": 5}
    document["check"] = {"class": "refused", "diagnostics": [problem]}
    text = Page(report.render(document, None)).text
    assert "kernel.rs:3:5 : mismatched <types> [E0308]" in text and "UNPROVEN" in text


def test_the_command_writes_the_page_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = Port(tmp_path / "softmax")
    port.reference.mkdir(parents=True)
    contract.write(contract.INDEX, proofs.index([proofs.row(GOOD)]), port.index)
    assert cli.run(["report", "softmax", "--out", str(tmp_path)]) == 2
    assert "proof.json" in capsys.readouterr().err
    contract.write(contract.PROOF, proofs.proof([proofs.specialization(GOOD)]), port.proof)
    assert cli.run(["report", str(port.folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "op": "softmax",
        "report": str(port.report),
        "verdict": "proven",
    }
    assert GOOD in port.report.read_text()


def test_the_tables_of_the_proof_status_name_what_is_not_identical(tmp_path: Path) -> None:
    rows = [
        proofs.specialization(GOOD),
        proofs.specialization(BAD, ir="differs", sm_90="differs", findings=[proofs.FINDING]),
    ]
    document = tmp_path / "status.md"
    document.write_text(f"Before.\n\n{proof_status.BEGIN}\nold\n{proof_status.END}\n\nAfter.\n")
    (tmp_path / "ports" / "softmax").mkdir(parents=True)
    with pytest.raises(InputError, match="no proofs"):
        proof_status.update(document, tmp_path / "ports")
    contract.write(contract.PROOF, proofs.proof(rows), tmp_path / "ports" / "softmax" / "proof.json")
    proof_status.update(document, tmp_path / "ports")
    text = document.read_text()
    assert text.startswith("Before.\n\n<!--") and text.endswith("-->\n\nAfter.\n") and "old" not in text
    lines = text.splitlines()
    assert "| softmax | 2 | 1 differs, 1 equal up to | sm_90 | 1 differs, 1 identical | unproven |" in lines
    assert "| softmax | 2 | 1 differs, 1 equal up to | sm_100 | 2 identical | unproven |" in lines
    assert f"| `{BAD}` | unproven | {proofs.FINDING['message']}; sm_90 differs: why it is differs |" in lines
    assert GOOD not in text
