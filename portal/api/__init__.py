"""The JSON interface for programs: the same services and the same refusals as the pages, as /api/v1."""
