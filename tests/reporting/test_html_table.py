from tests.reporting.pages import Tags

from venire.reporting.table import Estimate, Format, Table, render_tables

NUMBERS = (("a", Estimate(0.5)), ("b", Estimate(0.25, significant=True)))


def test_every_text_is_shown_as_it_is_on_a_page_without_scripts() -> None:
    table = Table("a <b> title", ("run", "value"), (("<script>x</script> & co", Estimate(0.5)),), ("1 < 2",))
    page = table.render(Format.HTML)
    assert page.startswith("<!doctype html>\n")
    assert "<script" not in page
    assert '<th scope="row">&lt;script&gt;x&lt;/script&gt; &amp; co</th><td class="n">0.500</td>' in page
    assert '<caption id="t1">a &lt;b&gt; title</caption>' in page
    assert "<p>1 &lt; 2</p>" in page


def test_a_page_fetches_nothing_and_forbids_it() -> None:
    tags = Tags()
    tags.feed(Table("t", ("run", "n"), NUMBERS).render(Format.HTML))
    assert tags.names.isdisjoint({"script", "link", "img", "iframe", "a"})
    assert tags.attributes.isdisjoint({"src", "href", "onclick"})
    assert "default-src 'none'" in Table("t", ("run", "n"), NUMBERS).render(Format.HTML)


def test_several_tables_are_one_page_under_the_first_title() -> None:
    tables = [Table(title, ("run", "n"), NUMBERS) for title in ("first", "second")]
    page = render_tables(tables, Format.HTML)
    assert page.count("<!doctype html>") == page.count("</html>") == page.count("<title>") == 1
    assert "<title>first</title>" in page
    assert ('<caption id="t1">first<' in page, '<caption id="t2">second<' in page) == (True, True)


def test_rows_and_columns_have_headers_that_readers_aloud_find() -> None:
    rows = (("block", "one", Estimate(1.0)), ("block", "two", Estimate(2.0)))
    page = Table("t", ("", "row", "n"), rows).render(Format.HTML)
    # the column of texts that differ names the rows; a column without a name has no header
    assert '<tr><td></td><th scope="col">row</th><th scope="col" class="n">n</th></tr>' in page
    assert '<tr><td>block</td><th scope="row">one</th><td class="n">1.000</td></tr>' in page


def test_what_a_corrected_test_found_is_strong() -> None:
    page = Table("t", ("run", "n"), NUMBERS).render(Format.HTML)
    assert page.count("<strong>") == 1
    assert '<td class="n"><strong>0.250</strong></td>' in page
