"""How often somebody may ask for what is costly or can be guessed."""

from __future__ import annotations

from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from limits.storage import MemoryStorage


class GuardedMemoryStorage(MemoryStorage):
    """Counts of one process, for addresses that begin with memory:.

    Clearing waits for whoever counts or drops old tries of the same key, who would miss it in the middle otherwise.
    """

    STORAGE_SCHEME = ["memory"]  # noqa: RUF012 - as the class above has it

    def clear(self, key: str) -> None:
        """Forget the tries of a key."""
        with self.locks[key]:
            super().clear(key)


limiter = Limiter(key_func=get_remote_address, headers_enabled=True, strategy="moving-window")
