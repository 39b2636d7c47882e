"""The portal's own objects in an application: its settings, and what is among the extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from flask import Flask

    from portal.config import Settings

T = TypeVar("T")


def extension(app: Flask, name: str, kind: type[T]) -> T:
    """The extension of an application that is stored under this name.

    Raises:
        KeyError: There is none.
        TypeError: It is of another kind.
    """
    stored = app.extensions[name]
    if not isinstance(stored, kind):
        raise TypeError(f"{name} holds a {type(stored).__name__}")
    return stored


def settings_of(app: Flask) -> Settings:
    """The settings with which an application was made."""
    settings: Settings = app.config["PORTAL"]
    return settings
