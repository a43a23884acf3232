"""What every method shares, with NumPy only: from the columns of tables to cells with counts.

Reading order: `arrays` (names for arrays), `columns` (a column of one table, freed from its data
frame), `numerals` (which texts and numbers are one value), `levels` (what a coded variable is, and
the texts of levels), `coding` (how columns of several tables become codes), `combinations` (several
variables as one), `crosstab` (codes counted into cells), `distance` (how far two counts are apart).
"""
