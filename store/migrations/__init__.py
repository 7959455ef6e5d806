"""Migrations of the tables of earlier versions to those of today.

Each step is a module of its own, `from_N`, with the SQL that makes the tables of version N those of N + 1. A
step that has been released is never edited again, and takes nothing from `store.schema` or another step: it
does what was right in its time.

Until version 8 is released, who needs a table or a column adds it in two places that say the same:
`store.schema.TABLES`, a column as the last of its table, and `from_7.STEP`, a column by ``ALTER TABLE … ADD
COLUMN`` with the same words. A column that is NOT NULL needs a DEFAULT. Tests open stores of each earlier
version, kept as SQL in `tests/store/versions`, and compare their tables with those of a new store. After the
release the next change is `from_8`, a line in ``STEPS``, and ``store.schema.VERSION`` 9.

A step runs in one transaction with the number of its version. Statements are separated by a semicolon at the
end of a line. What pages have to be read again for is no migration but a derivation: the next crawl's.
"""

from __future__ import annotations

from typing import Final

from store.migrations import from_3, from_4, from_5, from_6, from_7

STEPS: Final = {3: from_3.STEP, 4: from_4.STEP, 5: from_5.STEP, 6: from_6.STEP, 7: from_7.STEP}
"""Version -> the SQL that makes its tables those of the next one."""
