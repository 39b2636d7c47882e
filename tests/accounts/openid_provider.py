"""A provider of OpenID Connect that a test runs itself, on this machine."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT, SECRET = "portal", "a secret of the portal"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})


@dataclass
class Provider:
    """Whom it signs in, what it says of them, and what it was asked."""

    address: str
    claims: dict[str, Any] = field(default_factory=lambda: {"sub": "0000-0002-1825-0097"})
    is_forged: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def agree(self, asked: str) -> str:
        """What a person's browser does who agrees: the address to which the provider sends it back."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(asked).query).items()}
        assert asked.startswith(f"{self.address}/authorize?")
        assert (query["response_type"], query["client_id"], query["code_challenge_method"]) == ("code", CLIENT, "S256")
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, sent: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The answer to the portal's request for a token; None where it is not as it should be."""
        asked = self.codes.pop(sent.get("code", ""), None)
        password = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or challenge != asked["code_challenge"] or not password.startswith(f"{CLIENT}:"):
            return None
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        if asked.get("max_age") == "0":
            claims["auth_time"] = now
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims | self.claims, OTHER_KEY if self.is_forged else KEY)
        return {"access_token": "unused", "token_type": "Bearer", "expires_in": 60, "id_token": signed}


@contextmanager
def provider_running() -> Iterator[Provider]:
    """A provider that answers until the block ends."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/authorize?"):  # a browser: its person agrees
                self.send_response(302)
                self.send_header("Location", provider.agree(f"{provider.address}{self.path}"))
                self.end_headers()
                return
            metadata = {
                "issuer": provider.address,
                "authorization_endpoint": f"{provider.address}/authorize",
                "token_endpoint": f"{provider.address}/token",
                "jwks_uri": f"{provider.address}/keys",
                "id_token_signing_alg_values_supported": ["RS256"],
            }
            self._send(200, {"keys": [KEY.as_dict(private=False)]} if self.path == "/keys" else metadata)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            sent = {name: values[0] for name, values in parse_qs(body).items()}
            token = provider.token(sent, self.headers.get("Authorization", ""))
            self._send(400 if token is None else 200, token or {"error": "invalid_grant"})

        def _send(self, status: int, answer: object) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the library's name)
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    provider = Provider(f"http://127.0.0.1:{server.server_port}")
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
