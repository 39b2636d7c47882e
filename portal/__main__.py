"""`portal` and `python -m portal`."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from portal.cli import group

    group(prog_name="portal")


if __name__ == "__main__":
    main()
