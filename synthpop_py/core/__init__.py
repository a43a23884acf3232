"""What every method shares, with NumPy only: from the columns of tables to cells with counts.

Reading order: `arrays` (names for arrays), `columns` (a column of one table, freed from its data
frame), `numerals` (which texts and numbers are one value), `levels` (what a coded variable is, when
two values are one level, and the texts of levels), `coding` (how columns of several tables become
codes), `coding_by_text` (the same for factors and texts), `breaks` and `grouping` (numbers put into
classes), `combinations` (several variables as one), `crosstab` (codes counted into cells),
`distance` (how far two counts are apart), `fingerprint` (which data a result is about).
"""
