"""Imports of files, which become proposals: files about one lab, and tables of labs."""
