"""The recruiting and lab-matching portal.

Nothing third-party is imported here, so that `portal.matching` can be used on its own and the command line starts at
once. `create_app` imports the application when it is called.
"""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask

__version__ = "0.1.0"


@contextmanager
def importing() -> Iterator[None]:
    """Keep the garbage collector from what is imported meanwhile, now and later: none of it is garbage."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


def create_app(settings: Mapping[str, str] | None = None, *, serving: bool = True) -> Flask:
    """Build the web application; `settings` override the environment's PORTAL_* variables.

    With `serving=False` it is built for a command that answers no requests, and needs no secret key.
    """
    if "portal.app" not in sys.modules:
        with importing():
            import portal.app  # noqa: F401  (slow the first time)
    from portal.app import create_app as build

    return build(settings, serving=serving)
