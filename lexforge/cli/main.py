"""`lexforge`: the command group, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import atexit
import gc
import os
import sys

import click

from lexforge import __version__, local_only
from lexforge.errors import INTERRUPTED_EXIT_CODE, LexForgeError

_COMMANDS = {
    "new": "lexforge.cli.new",
    "ingest": "lexforge.cli.ingest",
    "draft": "lexforge.cli.draft",
    "gate": "lexforge.cli.gate",
    "import": "lexforge.cli.import_",
    "corrections": "lexforge.cli.corrections",
    "own": "lexforge.cli.own",
    "ledger": "lexforge.cli.ledger",
    "boards": "lexforge.cli.boards.group",
    "throughput": "lexforge.cli.throughput",
    "compare": "lexforge.cli.compare",
    "doctor": "lexforge.cli.doctor",
}


class _Lazy(click.Group):
    """Imports a command only when it is called: `gate` must not wait for a model library it never uses."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        from importlib import import_module  # noqa: PLC0415

        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lexforge")
def lexforge() -> None:
    """Draft court papers with models on your own machine, and check every mention against your sources.

    Exit codes: 0 everything is grounded, 3 something is blocked, 2 and 4 to 11 an error that says what to do, 130
    stopped with Ctrl-C (run the same command again to go on).
    """


def main() -> None:
    """Run the command line; every foreseen error ends as one message, an advice and its exit code."""
    local_only.force_tracing_off()
    os.umask(0o077)  # whatever is written here, or by a child, is a client's and nobody else's to read
    # A command makes many small records and hardly a cycle among them; looking for cycles took a fifth of its time.
    gc.set_threshold(100_000, 50, 100)
    atexit.register(gc.freeze)
    try:
        local_only.install(_endpoints())
        lexforge(standalone_mode=False)
    except LexForgeError as error:
        click.secho(f"Error: {error.message}", fg="red", err=True)
        if error.advice:
            click.echo(error.advice, err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("\nStopped. Finished steps are kept; run the same command again to go on.", err=True)
        sys.exit(INTERRUPTED_EXIT_CODE)


def _endpoints() -> tuple[local_only.Endpoint, ...]:
    from lexforge.config import settings  # noqa: PLC0415

    return settings().allowed
