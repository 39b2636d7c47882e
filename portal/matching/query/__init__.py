"""What is asked: a query → weighted terms, with what was corrected and what was added."""
