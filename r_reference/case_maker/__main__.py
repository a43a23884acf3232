"""``python -m r_reference.case_maker``: write all case files."""

from .files import write_all

if __name__ == "__main__":
    for name, count in write_all().items():
        print(f"{count:5d}  {name}")
