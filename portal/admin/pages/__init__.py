"""The administrators' pages, one module a group; `portal.admin.routes` gives them their addresses."""
