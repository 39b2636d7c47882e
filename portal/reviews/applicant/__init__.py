"""One applicant of a lab, and several side by side, as values for pages."""
