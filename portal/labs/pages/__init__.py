"""The views of the public pages; `portal.labs.routes` says which address leads to which."""
