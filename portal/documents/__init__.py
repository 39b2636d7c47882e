"""Resumes: from the bytes a person uploads to the text a person confirms.

This package knows neither Flask nor the database. Whoever uses it hands in bytes and gets either the text
or a sentence that says why there is none and what to do:

- `extraction.extract(data, slots=…, limits=…) -> Extracted` reads an uploaded file: kind by content, then
  the parser in a child process with limits on processor time, memory, files and wall-clock time.
- `extraction.pasted(text, limits=…) -> Extracted` gives pasted text the same cleaning.
- `extracted.Extracted` is what was read: text, kind, pages, warnings, and, apart, the text a human
  reader of the file would not see.
- `refusals.RefusedDocument(reason, message)` says no for good, `refusals.Busy` says not now, and
  `refusals.ReaderFailed` says that our own installation is broken. Nothing else is raised.
- `slots.Slots(folder, count, wait_seconds)` bounds how many files are read at once on the whole host.
- `limits.Limits` holds every bound; `kinds.Kind` and `kinds.kind_of` name what a file is.

`decoding` and what is in `pdf/` and `docx/` run inside the child only: they hand bytes of strangers to
parsers and may end in any exception or signal; the process around them is what catches those.
"""
