"""The recruiting and lab-matching portal.

Nothing third-party is imported here, so that `portal.matching` can be used on its own and the command line starts at
once. `create_app` imports the application when it is called.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from flask import Flask

__version__ = "0.1.0"


def imported(name: str) -> ModuleType:
    """The module called `name`, imported if it has not been yet.

    Side effect of an import: the garbage collector is off during it, and never scans what it created, since modules
    and their contents live as long as the process.
    """
    if name in sys.modules:
        return sys.modules[name]
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def create_app(settings: Mapping[str, str] | None = None, *, serving: bool = True) -> Flask:
    """Build the web application; `settings` override the environment's PORTAL_* variables.

    With `serving=False` it is built for a command that answers no requests, and needs no secret key.
    """
    imported("portal.app")
    from portal.app import create_app as build

    return build(settings, serving=serving)
