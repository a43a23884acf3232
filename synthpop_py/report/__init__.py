"""`report()`: one page on the risk of a release, for the person who decides.

Reading order: `api` (the call) · `evidence` (results, each from a public call; which target is the
headline, which remedies are tried) · `checks` (can the files be compared?) · `facts` (every figure
of the page, rounded, as plain values: this is the JSON) · `render` (HTML and Markdown by templates,
PDF by Chromium) · `result` (what the call returns, and where it is written).
"""
