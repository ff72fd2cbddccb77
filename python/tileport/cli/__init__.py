# SPDX-License-Identifier: Apache-2.0
"""The ``tileport`` command.

One subcommand per file of this folder. A file defines ``command``, a Typer function whose docstring is the
help; it may return the exit status. Files are imported only when their subcommand is used (or all of them
for ``tileport --help``), so they import heavy modules inside ``command``.

Exit status: 0 good, 1 differences or failures found, 2 wrong use or bad input, 3 something is not installed.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from tileport import __version__
from tileport.errors import Error

# Subcommands whose name is no legal or no clear module name, or that of a function here; every other file is
# named like its subcommand.
_FILE_OF_COMMAND = {"as": "assemble", "dis": "disassemble", "run": "execute"}
_COMMAND_OF_FILE = {file: command for command, file in _FILE_OF_COMMAND.items()}


class _Interrupted(Exception):
    """Ctrl-C, under a name that the command-line library does not turn into an exit status of its own."""


def subcommands() -> list[str]:
    files = (module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return sorted(_COMMAND_OF_FILE.get(file, file) for file in files)


class _LazyGroup(TyperGroup):
    """A group that imports the file of a subcommand when the subcommand is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return subcommands()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in subcommands():
            return None
        file = _FILE_OF_COMMAND.get(cmd_name, cmd_name)
        module = importlib.import_module(f"{__name__}.{file}")
        app = typer.Typer(add_completion=False)
        app.command(cmd_name)(module.command)
        return typer.main.get_command(app)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        # The base class suggests near names among `self.commands`, which is empty here.
        known = subcommands()
        if args and not args[0].startswith("-") and args[0] not in known:
            ctx.fail(_unknown_command(args[0], known))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            status = super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise _Interrupted from interrupt
        if isinstance(status, int) and status:
            raise typer.Exit(status)
        return status


def _unknown_command(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3, cutoff=0.5)
    advice = f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(known)}."
    return f"No command {name!r}. {advice}"


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tileport {__version__}")
        raise typer.Exit


def _application() -> Any:
    app = typer.Typer(
        cls=_LazyGroup, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
    )

    @app.callback()
    def tileport(
        version: Annotated[
            bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
        ] = False,
    ) -> None:
        """Converts GPU tile kernels from cuTile Python to cuTile Rust and proves the port, with no GPU."""

    return typer.main.get_command(app)


def _save_traceback() -> Path:
    """Keeps the traceback of a bug for the report; the user sees one line."""
    from tileport.toolchain.cache import cache_folder

    name = f"crash-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    text = f"tileport {__version__}, Python {sys.version}\n{sys.argv!r}\n\n{traceback.format_exc()}"
    for folder in (cache_folder() / "crashes", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        except OSError:
            continue
        return folder / name
    return Path(os.devnull)


def _report(error: Error, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"error": error.as_dict()}, indent=2))
        return
    place = f"{error.where}: " if error.where else ""
    print(f"tileport: {place}{error.message} [{error.code}]", file=sys.stderr)
    if error.help:
        print(f"  {error.help}", file=sys.stderr)


def run(arguments: list[str]) -> int:
    """Runs one command line and gives its exit status. Every error ends in a message, none in a traceback."""
    as_json = "--json" in arguments
    try:
        _application().main(args=arguments, prog_name="tileport")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Error as error:
        _report(error, as_json)
        return error.exit_status
    except (_Interrupted, KeyboardInterrupt):
        print(
            "tileport: interrupted; what was finished is kept, run the same command to go on", file=sys.stderr
        )
        return 1
    except BrokenPipeError:
        # The reader of our output went away (`tileport dis FILE | head`); nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as bug:
        line = str(bug).strip().splitlines()
        print(
            f"tileport: this is a bug: {type(bug).__name__}: {line[0] if line else 'no message'}\n"
            f"  The details are in {_save_traceback()}; please report them.",
            file=sys.stderr,
        )
        return 1
    return 0


def main() -> None:
    """Entry point of the ``tileport`` command."""
    sys.exit(run(sys.argv[1:]))
