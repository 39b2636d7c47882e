"""A file that appears under its name once it is complete, or not at all, and never in place of another one."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

UNFINISHED = ".unfinished"


def write_new(path: Path, text: str) -> None:
    """Create the file, readable by its owner only. A command that is killed meanwhile leaves nothing under its name;
    what it left beside it, the next one for the same name removes.

    Raises:
        FileExistsError: The name is taken; the file there stays as it is.
        OSError: It cannot be written.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    try:
        _write_new(path, text)
    except OSError as error:  # which may name the unfinished file
        raise OSError(error.errno, error.strerror, str(path)) from None


def _write_new(path: Path, text: str) -> None:
    prefix = f".{path.name}."
    for entry in path.parent.iterdir():
        if entry.name.startswith(prefix) and entry.name.endswith(UNFINISHED):
            entry.unlink(missing_ok=True)
    descriptor, draft_name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=UNFINISHED)
    draft = Path(draft_name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            raise
        except OSError:  # some file systems have no second names
            if path.exists():
                raise
            draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
