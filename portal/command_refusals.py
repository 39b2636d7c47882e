"""Turns errors of settings, files and databases into the sentence with which a command ends, instead of a traceback."""

from __future__ import annotations

import re
import sqlite3

from sqlalchemy.exc import DatabaseError, OperationalError

from portal.config import SettingsError

# How SQLite says that it cannot write, and what psycopg calls it when the server cannot.
NO_ROOM = ("database or disk is full", "disk I/O error")
NO_ROOM_ON_POSTGRES = "DiskFull"
# How it says that the file or its folder is somebody else's, as after a command that root ran.
NO_ACCESS = ("unable to open database file", "attempt to write a readonly database")
OWNER = ", and whether the file and its folder are there and belong to the user who runs this"
# Why Python cannot write out what came in as other bytes than UTF-8: in arguments, names of files and standard input.
NO_TEXT = "surrogates not allowed"
# SQLite's message for a missing table or column, and what psycopg calls the error.
MISSING = re.compile(r"no such (table|column)\b|table \S+ has no column named ")
MISSING_ON_POSTGRES = ("UndefinedTable", "UndefinedColumn")


def what_to_mend(error: Exception) -> str | None:
    """A sentence on what is wrong and what the person at the terminal can do; None if the fault is in the portal."""
    if isinstance(error, SettingsError):
        return str(error)
    if isinstance(error, sqlite3.Error):  # those of the database arrive as errors of SQLAlchemy
        return f"The file of the queue, jobs.sqlite in PORTAL_INSTANCE, cannot be used ({error})."
    if isinstance(error, UnicodeEncodeError) and error.reason == NO_TEXT:
        return "What was typed, or the name of a file, is not text in UTF-8. Type it anew, or name the file otherwise."
    if isinstance(error, OSError):
        prefix = f"{error.filename}: " if error.filename else ""
        return f"{prefix}{error.strerror or error}"
    return _about_database(error) if isinstance(error, DatabaseError) else None


def _about_database(error: DatabaseError) -> str | None:
    """The same for an error of the database; None if it concerns one statement only."""
    if _is_out_of_date(error):
        return "The database has no tables yet, or those of another version. Run portal db upgrade, then this again."
    message = " ".join(str(error.orig).split())
    if isinstance(error, OperationalError) and message in NO_ROOM:
        return f"The database cannot be written ({message}); its disk seems full. Make room, then run this again."
    if type(error.orig).__name__ == NO_ROOM_ON_POSTGRES:
        return "The disk of the database server is full. Make room there, then run this again."
    # Only these two kinds concern the database as a whole; the others concern one statement.
    if isinstance(error, OperationalError) or type(error) is DatabaseError:
        owner = OWNER if message in NO_ACCESS else ""
        return f"The database cannot be used ({message}). Look at PORTAL_DATABASE_URL and PORTAL_INSTANCE{owner}."
    return None


def _is_out_of_date(error: DatabaseError) -> bool:
    """Whether a table or column is missing, because the migrations of this version have not been run."""
    on_sqlite = isinstance(error, OperationalError) and MISSING.match(str(error.orig)) is not None
    return on_sqlite or type(error.orig).__name__ in MISSING_ON_POSTGRES
