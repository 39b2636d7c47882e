"""Writing an application: its form, the labs that can be chosen, what is still missing."""
