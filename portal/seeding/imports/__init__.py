"""Files that people bring (BibTeX, OpenAlex, ORCID, home pages, tables of labs) → proposals for a profile."""
