"""Writing to the applicants of a cycle: to whom, the text, the job that tells them, and taking it back."""
