"""Resumes: from the bytes a person uploads to the text a person confirms, without Flask and database.

- `extraction.extract` reads an uploaded file in a child process with limits; `extraction.pasted` cleans pasted text.
- `extraction.shrink_photo` makes a photo anew in such a child.
- `extracted.Extracted` is what was read: text, kind, pages, warnings and, apart, the text that a reader does not see.
- `refusals.RefusedDocument` says no for good, `refusals.Busy` not now, `refusals.ReaderFailed` that our installation is
  broken. Nothing else is raised.
- `limits.Limits` holds every bound; `limits.Slots` bounds how many files are read at once on the whole host.

`decoding`, `pictures` and what is in `pdf/` and `docx/` run inside the child only: they hand bytes of strangers to
parsers and may end in any exception or signal; the process around them is what catches those.
"""
