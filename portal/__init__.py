"""The recruiting and lab-matching portal.

Nothing third-party is imported here, so that `portal.matching` can be used on its own and the command line starts at
once. `create_app` imports the application when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

__version__ = "0.1.0"


def create_app(settings: Mapping[str, str] | None = None, *, serving: bool = True) -> Flask:
    """Build the web application; `settings` override the environment's. Commands, not `serving`, need no key."""
    from portal.app import create_app as build

    return build(settings, serving=serving)
