"""Where data come from, as a message may show it: without passwords and without folders."""

from __future__ import annotations

import re

HIDDEN = "***"
# user and password of an address: postgresql://me:secret@host/db; a password may hold an @
# or a slash, so everything up to the last @ goes
CREDENTIALS = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*://)[^\s'\"]*@")
# oracle://me/secret@host, Authorization: Bearer secret
BEARER = re.compile(
    r"(?P<name>\b(?:authorization|bearer|basic)\b\s*:?\s*(?:bearer|basic)?\s+)\S+",
    re.IGNORECASE,
)
# password=secret; also in the query of an address
SECRETS = re.compile(
    r"(?P<name>(?:[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|accountkey|credentials?|signature|sig))|user(?:name|[ _]?id)?|uid)[\"']?\s*[=:]\s*"
    r"(?:\{[^}]*\}|\"[^\"]*\"|'[^']*'|[^;&,\n]+?(?=[;&,\n}]|\s+\w+\s*=|$))",
    re.IGNORECASE,
)
# one folder of a path. Its name may hold blanks, but neither begins nor ends with one: "/a/b.csv
# and /c/d.csv" stays two paths. A name with blanks holds no colon, which ends the path
FOLDER = r"(?:[^\\/\s'\";]+|[^\\/\s'\";:](?:[^\\/\n'\";:]*[^\\/\s'\";:])?)[\\/]+"
# /home/me/data.db, C:\\data\\x.db, \\\\server\\share\\x.db: the last part is enough
FOLDERS = re.compile(rf"(?<![\w:/.])(?:[A-Za-z]:[\\/]+|\\\\|~?/|\.{{1,2}}[\\/])(?:{FOLDER})+")
LOCAL = re.compile(rf"(?P<scheme>\b(?:file|sqlite|duckdb):)/{{2,4}}(?:{FOLDER})+", re.IGNORECASE)


def redacted(text: str) -> str:
    """The text without credentials and folders.

    >>> redacted("postgresql://me:s3cret@db.example.org/census")
    'postgresql://***@db.example.org/census'
    >>> redacted("Server=db;PWD=s3cret"), redacted("/home/me/my data/census of 2021.db: broken")
    ('Server=db;PWD=***', '.../census of 2021.db: broken')
    """
    text = LOCAL.sub(r"\g<scheme>.../", text)
    text = CREDENTIALS.sub(rf"\g<scheme>{HIDDEN}@", text)
    text = BEARER.sub(rf"\g<name>{HIDDEN}", text)
    text = SECRETS.sub(rf"\g<name>={HIDDEN}", text)
    return FOLDERS.sub(".../", text)
