"""The bias audit of the matcher on real and made-up resumes: reading them, what may be said of it, job and command."""
