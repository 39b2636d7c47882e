"""The bias audit of the matcher on real and made-up resumes: its input, its publishable findings, job and command."""
