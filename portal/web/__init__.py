"""The Flask toolkit that the audience rooms share."""
