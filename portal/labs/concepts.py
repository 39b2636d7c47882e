"""The concept file: plain words and the field's terms for them, read at start and when the file changes."""

from __future__ import annotations
