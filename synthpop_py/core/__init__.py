"""What every method shares: columns, levels, text rules, grouping and counting. NumPy only."""
