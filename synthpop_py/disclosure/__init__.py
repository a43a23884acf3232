"""The port of R's ``disclosure()`` and what belongs to it."""
