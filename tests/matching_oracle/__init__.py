"""An independent judge of `identification_risk()`: definitions only, exact fractions, every target
against every record; nothing from the package.
"""
