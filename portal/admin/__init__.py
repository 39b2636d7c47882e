"""Administrators: keep the lab profiles true."""
