"""Whom a lab may find before they choose it: ranked, marked, invited."""
