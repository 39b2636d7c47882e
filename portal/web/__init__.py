"""The Flask toolkit that the audience packages share."""
