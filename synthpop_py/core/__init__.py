"""From the columns of tables to codes: `arrays`, `columns`, `numerals`, `levels`, `coding`."""
