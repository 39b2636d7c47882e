"""What becomes of everything that refers to an account is decided."""

from __future__ import annotations

from portal.admin.people.merging_fates import BY_COLUMN
from portal.db import Base


def test_every_column_that_refers_to_an_account_is_decided() -> None:
    columns = {
        (table.name, key.parent.name)
        for table in Base.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name == "user_account"
    }
    assert columns == set(BY_COLUMN)
