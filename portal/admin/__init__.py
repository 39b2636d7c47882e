"""The administrators' pages in five subjects: overview, cycles, labs, people, system."""
