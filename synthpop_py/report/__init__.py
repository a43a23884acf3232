"""`report()`: one page on the risk of a release, for the person who decides.

Reading order: `api` (the call) · `gather` (results, each from a public call; which target is the
headline, which remedies are tried) · `data` and `checks` (can the files be compared?) · `facts`
(every figure of the page, rounded, as plain values: this is the JSON) · `page` (sentences and
tables from the facts) · `render` (HTML and Markdown by templates, PDF by Chromium), `pictures`
(inline SVG) · `writing` (a file, written completely or not at all) · `result` (what the call
returns).
"""
