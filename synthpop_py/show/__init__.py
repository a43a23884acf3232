"""How results are shown: sections of notes and data frames, as text, HTML and Markdown."""
