"""Pages and exports → records and problems → a plan. Pure: no Flask, no database, no clock."""
