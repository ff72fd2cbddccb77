# SPDX-License-Identifier: Apache-2.0
"""Schemas, validation and verdicts as Python sees them. The jsonschema package is the other authority."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import proofs
import pytest

from tileport import contract
from tileport.errors import InputError


@pytest.mark.parametrize("name", [contract.INDEX, contract.PROOF])
def test_the_schemas_are_valid_draft_7(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(contract.schema(name))


def test_an_unknown_schema_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        contract.schema("tileport/proof/99")


GOOD: list[tuple[str, Any]] = [
    (contract.PROOF, proofs.proof([proofs.specialization("a__0000000000")])),
    (
        contract.PROOF,
        proofs.proof([proofs.specialization("a__0000000000", sm_90="differs", port_assembles=False)]),
    ),
    (
        contract.PROOF,
        proofs.proof([proofs.specialization("a__0000000000", findings=[proofs.FINDING], ir="differs")]),
    ),
    (contract.INDEX, proofs.index([proofs.row("a__0000000000")])),
]


@pytest.mark.parametrize("name,document", GOOD, ids=lambda value: value if isinstance(value, str) else "")
def test_good_documents_pass_both_validators(name: str, document: dict[str, Any]) -> None:
    assert contract.diagnose(name, json.dumps(document)) == []
    jsonschema.Draft7Validator(contract.schema(name)).validate(document)


def _spoilt(document: Any) -> list[tuple[str, Any]]:
    """Every way to spoil a document by one missing, one additional or one mistyped member."""
    spoilt = []

    def visit(place: list[Any], value: Any) -> None:
        if isinstance(value, dict):
            for key in value:
                spoilt.append(
                    (f"without {'/'.join(map(str, [*place, key]))}", _edited(document, place, key, _REMOVE))
                )
                visit([*place, key], value[key])
            spoilt.append((f"more in {'/'.join(map(str, place))}", _edited(document, place, "unheard-of", 1)))
        elif isinstance(value, list):
            for number, item in enumerate(value):
                visit([*place, number], item)
        if place:
            wrong = {"a": 1} if not isinstance(value, dict) else 7
            spoilt.append(
                (f"wrong {'/'.join(map(str, place))}", _edited(document, place[:-1], place[-1], wrong))
            )

    visit([], document)
    return spoilt


_REMOVE = object()


def _edited(document: Any, place: list[Any], key: Any, value: Any) -> Any:
    result = copy.deepcopy(document)
    target = result
    for step in place:
        target = target[step]
    if value is _REMOVE:
        del target[key]
    else:
        target[key] = value
    return result


@pytest.mark.parametrize("name,document", GOOD[2:], ids=lambda value: value if isinstance(value, str) else "")
def test_both_validators_agree_on_every_spoilt_document(name: str, document: dict[str, Any]) -> None:
    """Whatever one member is spoilt, our validator and jsonschema give the same answer."""
    theirs = jsonschema.Draft7Validator(contract.schema(name))
    refused = 0
    for what, spoilt in _spoilt(document):
        ours = [item for item in contract.diagnose(name, json.dumps(spoilt)) if item["code"] == "TP-J0003"]
        assert bool(ours) == (not theirs.is_valid(spoilt)), what
        refused += bool(ours)
    assert refused > 100


def test_a_violation_names_file_pointer_and_value() -> None:
    document = proofs.proof([proofs.specialization("a__0000000000")])
    document["specializations"][0]["code"]["sm_90"]["class"] = "same"
    with pytest.raises(contract.ContractError) as caught:
        contract.validate(contract.PROOF, json.dumps(document), "proof.json")
    error = caught.value
    assert error.exit_status == 2 and error.code == "TP-J0003" and error.where == "proof.json"
    assert error.diagnostics[0]["path"] == "/specializations/0/code/sm_90/class"
    assert '"same"' in error.diagnostics[0]["message"]


def test_reading_says_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        contract.read(contract.PROOF, tmp_path / "none.json")
    (tmp_path / "cut.json").write_text('{"schema": "tileport/proof/1",\n "op"')
    with pytest.raises(contract.ContractError, match="line 2") as caught:
        contract.read(contract.PROOF, tmp_path / "cut.json")
    assert caught.value.code == "TP-J0001"
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        contract.read(contract.PROOF, tmp_path / "binary.json")


def test_writing_is_whole_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    good = proofs.proof([proofs.specialization("a__0000000000")])
    contract.write(contract.PROOF, good, path)
    assert contract.read(contract.PROOF, path) == good
    with pytest.raises(AssertionError, match="/gpu"):
        contract.write(contract.PROOF, {**good, "gpu": "perhaps"}, path)
    assert contract.read(contract.PROOF, path) == good
    assert [item.name for item in tmp_path.iterdir()] == ["proof.json"]


@pytest.mark.parametrize(
    "ir,sm_90,sm_100,verdict",
    [
        ("equal", "identical", "identical", "proven"),
        ("differs", "identical", "identical", "proven"),
        ("equal_up_to", "identical", "neither", "proven"),
        ("equal", "neither", "neither", "equivalent"),
        ("equal_up_to", "differs", "identical", "equivalent"),
        ("equal", "timeout", "identical", "equivalent"),
        ("differs", "timeout", "identical", "unproven"),
        ("differs", "neither", "neither", "unproven"),
    ],
)
def test_the_verdict_follows_from_the_classes(ir: str, sm_90: str, sm_100: str, verdict: str) -> None:
    worse = proofs.specialization("b__0000000000", ir=ir, sm_90=sm_90, sm_100=sm_100)
    document = proofs.proof([proofs.specialization("a__0000000000"), worse])
    assert contract.judge(document) == (verdict, {"a__0000000000": "proven", "b__0000000000": verdict})


def test_a_crate_that_rustc_refuses_is_unproven() -> None:
    document = proofs.proof([proofs.specialization("a__0000000000")])
    problem = {"code": "E0308", "message": "mismatched types", "file": "kernel.rs", "line": 3, "column": 5}
    document["check"] = {"class": "refused", "diagnostics": [problem]}
    assert contract.judge(document)[0] == "unproven"


def test_a_pasted_verdict_is_not_believed() -> None:
    document = proofs.proof([proofs.specialization("a__0000000000", ir="differs", sm_90="differs")])
    assert document["verdict"] == "unproven"
    document["verdict"] = "proven"
    diagnostics = contract.diagnose(contract.PROOF, json.dumps(document))
    assert [(item["code"], item["path"]) for item in diagnostics] == [("TP-J0005", "/verdict")]
