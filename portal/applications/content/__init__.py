"""What an application contains: labs and answers, as one value, as rows, as submitted."""
