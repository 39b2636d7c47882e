"""Limits on what a form may hold besides files, and the message for a form that exceeds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Request

MEBIBYTE = 1024**2


def form_holds_too_much(request: Request) -> str | None:
    """What is wrong with a form that was refused as too large although the request is not; None if the request is."""
    size, limit = request.content_length, request.max_content_length
    if size is None or limit is None or size > limit:
        return None
    longest_text = (request.max_form_memory_size or 0) // MEBIBYTE
    return (
        f"What was sent has more than {request.max_form_parts or 0:,} fields, "
        f"or a text of more than {longest_text} MB. Nothing of it was saved."
    )
