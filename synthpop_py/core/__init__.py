"""What every method shares, with NumPy only: from the columns of tables to codes.

Reading order: `arrays` (names for arrays), `columns` (a column of one table, freed from its data
frame), `numerals` (which texts and numbers are one value), `levels` (the texts of levels), `coding`
(how columns of several tables become codes, and several variables one).
"""
