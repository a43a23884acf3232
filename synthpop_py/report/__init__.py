"""`report()`: one page on the risk of a release, for the person who decides.

Reading order: `api` (the call, and what it returns) · `study` (results, each from a public call) ·
`checks` (can the files be compared?) · `facts` (every figure of the page, rounded, as plain values:
this is the JSON) · `render` (HTML and Markdown by templates, PDF by Chromium).
"""
