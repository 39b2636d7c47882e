"""Word documents → text, with what a reader does not see set apart. All of it runs in the reading child only."""
