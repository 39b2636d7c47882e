"""The administrators' pages: lab profiles, people, cycles, assignment, releases, figures and operations."""
