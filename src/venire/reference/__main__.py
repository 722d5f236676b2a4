"""`python -m venire.reference`: write `docs/reference/` anew."""

from venire.reference.pages import write_pages

if __name__ == "__main__":
    for path in write_pages():
        print(path)
