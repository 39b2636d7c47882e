"""Turns queries into weighted terms, with corrections and added terms."""
