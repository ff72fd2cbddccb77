# SPDX-License-Identifier: Apache-2.0
"""``--tileport-replace``: test files that name the backend "cutile" run against the ports, unchanged.

At collection each value "cutile" of a parameter that selects a backend becomes a `ReplacedBackend`, a
string "cutile-rs" that also equals "cutile". So TileGym dispatches to the ports, while a test body that
treats cuTile specially (a skip, a tolerance) does the same for its port. Where a test offers "cutile-rs"
itself, that value is dropped: it would run the same case twice.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

import pytest

REFERENCE, PORT = "cutile", "cutile-rs"
#: Names of test parameters that select a backend.
PARAMETERS = frozenset({"backend", "framework", "impl", "provider"})


class ReplacedBackend(str):
    """The backend "cutile-rs" in the place of "cutile", which it equals in comparisons."""

    __slots__ = ()

    def __new__(cls) -> ReplacedBackend:
        return super().__new__(cls, PORT)

    def __eq__(self, other: object) -> bool:
        return other == REFERENCE or str.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    # Sets and dictionaries of backends find it as "cutile-rs".
    __hash__ = str.__hash__


def add_option(group: pytest.OptionGroup) -> None:
    group.addoption(
        "--tileport-replace",
        action="store_true",
        help='run test cases of the backend "cutile" against their ports ("cutile-rs") instead',
    )


def configure(config: pytest.Config) -> None:
    if config.getoption("--tileport-replace"):
        config.pluginmanager.register(Replacement(), "tileport-replace")


class Replacement:
    """The hooks of the option."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        # Before the test modules are imported: they ask TileGym for its backends while they are.
        import tileport.backend
        from tileport.wrappers.ports import ports_folder

        if not tileport.backend.is_enabled() and not tileport.backend.enable():
            reasons = [state.reason for state in tileport.backend.status().values()]
            raise pytest.UsageError(
                f"--tileport-replace: no usable port in {ports_folder()}; run `tileport convert OP`. "
                + " ".join(reasons)
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        parametrize = metafunc.parametrize

        def with_ports(argnames: Any, argvalues: Iterable[Any], *args: Any, **kwargs: Any) -> None:
            names = parameter_names(argnames)
            if PARAMETERS & set(names):
                argvalues, kwargs["ids"] = replace_values(names, list(argvalues), kwargs.get("ids"))
            parametrize(argnames, argvalues, *args, **kwargs)

        metafunc.parametrize = with_ports  # type: ignore[method-assign]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        # pytest-xdist can't send what a test recorded unless it is of a built-in type.
        report = yield
        report.user_properties = [(name, plain(value)) for name, value in report.user_properties]
        return report


def plain(value: Any) -> Any:
    """The value without the class `ReplacedBackend`, in lists and dictionaries too."""
    if isinstance(value, ReplacedBackend):
        return str(value)
    if isinstance(value, list | tuple):
        return type(value)(plain(item) for item in value)
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    return value


def parameter_names(argnames: str | Sequence[str]) -> list[str]:
    """The names that a parametrize call gives, as a list."""
    if isinstance(argnames, str):
        return [name.strip() for name in argnames.split(",") if name.strip()]
    return list(argnames)


def replace_values(names: list[str], values: list[Any], ids: Any) -> tuple[list[Any], Any]:
    """The values of a parametrize call with "cutile" replaced, and the ids of those that are kept."""
    positions = [index for index, name in enumerate(names) if name in PARAMETERS]

    def parts(value: Any) -> tuple[Any, ...]:
        if hasattr(value, "marks"):
            return tuple(value.values)
        return tuple(value) if len(names) > 1 else (value,)

    def chosen(value: Any) -> list[Any]:
        return [parts(value)[index] for index in positions]

    offers_both = any(REFERENCE in chosen(value) for value in values)
    listed = isinstance(ids, list | tuple)
    kept, kept_ids = [], []
    for index, value in enumerate(values):
        if offers_both and PORT in chosen(value):
            continue
        if REFERENCE in chosen(value):
            new = [
                ReplacedBackend() if at in positions and part == REFERENCE else part
                for at, part in enumerate(parts(value))
            ]
            value = pytest.param(*new, marks=getattr(value, "marks", ()), id=getattr(value, "id", None))
        kept.append(value)
        if listed:
            kept_ids.append(ids[index])
    return kept, kept_ids if listed else ids


def uses_port(item: pytest.Item) -> bool:
    """Whether a test case runs against a port: one of its backend parameters is "cutile-rs"."""
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params if callspec is not None else {}
    return any(
        name in PARAMETERS and isinstance(value, str) and value == PORT for name, value in parameters.items()
    )
