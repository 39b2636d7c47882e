"""The views of the administrators' pages, one module per group; `portal.admin.routes` gives them their URLs."""
