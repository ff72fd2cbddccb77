# SPDX-License-Identifier: Apache-2.0
"""``junit_summary.py IN.xml OUT.json``: by test id outcome, entries launched, and why a test skips itself.

Exit status 1 unless some tests passed, none failed, and each that passed launched the port.
"""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter


def main(source: str, destination: str) -> int:
    results = {}
    for case in ElementTree.parse(source).getroot().iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        properties = {item.get("name"): item.get("value") for item in case.iter("property")}
        file, classes = str(case.get("file")), str(case.get("classname"))
        inside = classes.removeprefix(file.removesuffix(".py").replace("/", ".")).strip(".")
        identifier = "::".join(part for part in (file, inside, str(case.get("name"))) if part)
        results[identifier] = {
            "outcome": {"failure": "failed", "error": "error", "skipped": "skipped"}[kinds[0]]
            if kinds
            else "passed",
            **({"reason": str(case.find("skipped").get("message"))} if "skipped" in kinds else {}),
            "seconds": float(case.get("time", "0")),
            "launched": json.loads(properties.get("tileport_launches") or "{}"),
        }
    with open(destination, "w") as file:
        json.dump(results, file, indent=1, sort_keys=True)
    counts = Counter(result["outcome"] for result in results.values())
    entries = {name for result in results.values() for name in result["launched"]}
    launches = sum(sum(result["launched"].values()) for result in results.values())
    print(f"{dict(counts)}; {launches} launches of {len(entries)} entries of the port")
    silent = [
        name for name, result in results.items() if result["outcome"] == "passed" and not result["launched"]
    ]
    good = counts["passed"] > 0 and set(counts) <= {"passed", "skipped"}
    return int(not good or bool(silent))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
