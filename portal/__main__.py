"""`portal` and `python -m portal`."""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line."""
    # Nothing imported is garbage; collecting it would delay every command by a seventh of a second.
    gc.disable()
    from portal.cli import group

    gc.freeze()
    gc.enable()
    group(prog_name="portal")


if __name__ == "__main__":
    main()
