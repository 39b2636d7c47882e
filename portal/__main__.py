"""`portal` and `python -m portal`."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line."""
    # Nothing that is imported is garbage; looking for some in it takes a seventh of the time until a command begins.
    gc.disable()
    from portal.cli import group

    gc.freeze()
    gc.enable()
    group(prog_name="portal")


if __name__ == "__main__":
    main()
