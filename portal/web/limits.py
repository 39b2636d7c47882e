"""How often somebody may ask for what is costly or can be guessed."""

from __future__ import annotations

from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

limiter = Limiter(key_func=get_remote_address, headers_enabled=True, strategy="moving-window")
