"""The professors' pages, one module per part."""
