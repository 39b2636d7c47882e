"""Files that become proposals: for one lab, and tables of labs."""
