"""Importing files into profiles: on the pages of a lab, and with `portal import`."""
