"""One move of several choices at once, and back again; the seats that limit it."""
