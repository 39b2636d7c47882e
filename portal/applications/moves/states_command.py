"""`portal states`: the table of states and moves, for the docs and the terminal."""

from __future__ import annotations

import click

from portal.applications.moves.drawing import as_markdown, as_svg


@click.command("states")
@click.option("--svg", type=click.Choice(["application", "choice"]), help="Print the drawing instead.")
def states(*, svg: str | None) -> None:
    """Print all states of applications and moves between them.

    Each move says who makes it and on what conditions. The output is Markdown.

    docs/states.md holds this table, and the portal draws it on its help page.
    """
    if svg is None:
        click.echo(as_markdown(), nl=False)
    else:
        click.echo(as_svg("application" if svg == "application" else "choice"))
