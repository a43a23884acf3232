"""`report()`: one page on the risk of a release, for the person who decides.

Reading order: `api` (the call) · `evidence` (the results that a report is made from, computed or
given) · `figures` (one target: its measures and the people behind them, as cells) · the parts of
the page, in its order: `asked`, `answer`, `targets`, `baseline`, `common_knowledge`, `keys`,
`syntheses`, `utility`, `limits` (what is hidden, and what remains), `as_r`, `definitions`,
`reproducibility` · `contents` (the parts together, with the rule on small cells) · `pictures`
(inline SVG) · `page` (HTML, by a Jinja2 template), `plain` (JSON), `pdf` (printed by Chromium) ·
`writing` (a file, written completely or not at all) · `result` (what the call returns).
"""
