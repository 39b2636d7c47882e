"""The labs, for administrators and for the leaders of a lab: profiles, their history, imports, open questions."""
