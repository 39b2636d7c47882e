"""Files into profiles: what they say becomes proposals."""
