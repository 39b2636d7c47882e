"""The bias audit: who somebody is, swapped in a resume; no ranking should move."""
