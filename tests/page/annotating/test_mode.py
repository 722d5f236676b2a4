"""The requests of the labelling mode, by a real server and without a browser."""

import errno
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tests.page.served import FLUENCY, Visitor, pair, rated, serving, work_of

from venire.page.annotating.work import Work
from venire.records import Response
from venire.review.store import read_labels


def test_a_form_of_another_annotator_or_item_is_not_taken(tmp_path):
    work = work_of([pair("a"), pair("b")], tmp_path / "l.jsonl")
    with serving(work) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        page = visitor.get("/study/item/1").text
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
        assert visitor.post("/study/item/2", {**hidden, "verdict": "A"}).status == 409
        assert visitor.post("/study/item/1", {**hidden, "content": "0", "verdict": "A"}).status == 409
        visitor.enter("bob")  # in another tab
        reply = visitor.post("/study/item/1", {**hidden, "verdict": "A"})
        assert (reply.status, "Nothing was saved" in reply.text) == (409, True)
    assert read_labels(work.labels) == ()


def test_a_form_of_a_run_with_another_seed_is_not_taken_for_sides_may_stand_the_other_way_round(tmp_path):
    was = work_of([pair(f"i{n}") for n in range(8)], tmp_path / "l.jsonl", shuffled=False)
    item = next(
        item for item in was.items if was.sides("ann", item) is not replace(was, seed=1).sides("ann", item)
    )
    path = f"/study/item/{was.items.index(item) + 1}"
    with serving(was) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        hidden = dict(
            re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', visitor.get(path).text)
        )
        for other in (replace(was, seed=1), replace(was, run_id="another"), replace(was, source="study t")):
            with serving(other) as elsewhere:
                reply = Visitor(elsewhere, visitor.cookies).post(path, {**hidden, "verdict": "A"})
                assert (reply.status, "Nothing was saved" in reply.text) == (409, True)
        assert read_labels(was.labels) == ()
        assert visitor.post(path, {**hidden, "verdict": "A"}).status == 303


def test_a_fault_is_said_and_what_was_filled_in_stays(tmp_path):
    work = work_of([rated("a", FLUENCY)], tmp_path / "l.jsonl")
    with serving(work) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        reply = visitor.label(1, {"rating-0": "9", "comment": "</textarea>kept"})
        assert reply.status == 422
        assert "fluency: expected 1 to 5." in reply.text
        assert "&lt;/textarea&gt;kept</textarea>" in reply.text
        assert "<title>Error: Item 1 of 1" in reply.text


def test_a_disk_that_is_full_is_said_and_nothing_that_was_filled_in_is_lost(tmp_path, monkeypatch):
    work = work_of([pair("a"), pair("b")], tmp_path / "l.jsonl")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(work.labels))

    with serving(work) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        visitor.label(1, {"verdict": "A"})
        with monkeypatch.context() as patched:
            patched.setattr("venire.lines.os.write", full)
            reply = visitor.label(2, {"verdict": "B", "comment": "kept"})
            assert (reply.status, "Nothing was saved: No space left on device." in reply.text) == (500, True)
            assert re.search(r'value="B"[^>]* checked>.*>kept</textarea>', reply.text, re.DOTALL)
            undo = visitor.post("/study/undo", {"csrf": reply.csrf})
            assert (undo.status, "<h1>Nothing was saved" in undo.text) == (500, True)
            assert str(tmp_path) not in reply.text + undo.text
        assert [label.instance_id for label in read_labels(work.labels)] == [first_of_ann(work)]
        assert visitor.label(2, {"verdict": "B"}).status == 303
    assert len(read_labels(work.labels)) == 2


def first_of_ann(work: Work) -> str:
    """The item that `ann` sees first."""
    return work.items[work.order("ann")[0]].instance.id


def test_the_time_of_visits_is_taken_from_whoever_is_there_and_counts_though_nothing_was_saved(tmp_path):
    work = work_of([pair("a"), pair("b")], tmp_path / "l.jsonl")
    with serving(work) as url:
        ann = Visitor(url)
        ann.enter("ann")
        page = ann.get("/study/item/1").text
        told = dict(re.findall(r'data-(times|what)="([^"]*)"', page))
        fields = {**told, "csrf": ann.get("/who").csrf, "annotator": "ann", "visit": "v1", "seconds": "4"}
        changes = (
            {},
            {"seconds": "6.5"},
            {"annotator": "bob"},
            {"what": "../x"},
            {"times": "0" * 12},
            {"seconds": "-1"},
            {"visit": "../x"},
            {"csrf": "0"},
        )
        replies = [ann.post("/study/time", {**fields, **change}).status for change in changes]
        assert replies == [204, 204, 409, 400, 409, 400, 400, 403]
        assert ann.label(1, {"seconds": "2"}).status == 422  # a fault takes time, too
        assert ann.label(1, {"verdict": "A", "seconds": "1"}).status == 303
    (label,) = read_labels(work.labels)
    assert label.seconds == 9.5


def test_saying_the_same_again_adds_nothing_and_another_thing_corrects(tmp_path):
    work = work_of([pair("a")], tmp_path / "l.jsonl")
    with serving(work) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        for verdict, where in (("A", "all_done"), ("A", "all_done"), ("B", "all_done")):
            assert visitor.label(1, {"verdict": verdict}).headers["location"] == f"/study/?done={where}"
        assert "labelled by you</span>" in visitor.get("/study/item/1").text
        assert "You have labelled all 1 items." in visitor.get("/study/?done=all_done").text
        page = visitor.get("/study/")
        undone = [visitor.post("/study/undo", {"csrf": page.csrf}).headers["location"] for _ in range(3)]
        assert undone == ["/study/item/1?done=undone"] * 2 + ["/study/?done=nothing_to_undo"]
    assert len(work.labels.read_text().splitlines()) == 4


def test_what_a_page_says_was_done_is_one_of_a_few_words(tmp_path):
    with serving(work_of([pair("a")], tmp_path / "l.jsonl")) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        assert 'data-done="Saved."' in visitor.get("/study/item/1?done=saved").text
        assert 'data-done=""' in visitor.get("/study/item/1?done=<b>pwned</b>").text
        assert visitor.get("/study/?done=x%26y%3D1").headers["location"] == "/study/item/1?done=x%26y%3D1"


def test_a_blind_page_tells_neither_models_nor_ids_nor_subset_nor_what_others_said(tmp_path):
    both = (Response("one", "gpt-9-1", "gpt-9"), Response("other", "llama-9-1", "llama-9"))
    items = [pair(f"gpt-9/{n}", prompt="which?", responses=both) for n in range(3)]
    work = work_of(items, tmp_path / "l.jsonl")
    with serving(work) as url:
        bob = Visitor(url)
        bob.enter("bob")
        bob.label(1, {"verdict": "A", "comment": "secret-comment"})
        ann = Visitor(url)
        ann.enter("ann")
        paths = ("item/1", "item/2", "item/3", "items", "progress", "labels.jsonl", "labels.csv")
        text = "".join(ann.get(f"/study/{path}").text for path in paths)
    assert re.findall(r"gpt-9|llama-9|secret", text) == []


def test_a_damaged_file_says_that_nothing_was_saved_and_where_to_look(tmp_path, capsys):
    work = work_of([pair("a")], tmp_path / "l.jsonl")
    with serving(work) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        page = visitor.get("/study/item/1").text
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
        work.labels.write_text("{cut\n")
        reply = visitor.post("/study/item/1", {**hidden, "verdict": "A"})
    assert (reply.status, "Nothing was saved" in reply.text, "{cut" in reply.text) == (500, True, False)
    assert "DataError:" in capsys.readouterr().err


def test_ten_thousand_items_are_shown_a_page_at_a_time(tmp_path):
    work = work_of(
        [pair(f"i{n}", prompt=f"{n}", responses=(Response("a"), Response("b"))) for n in range(10_000)],
        tmp_path / "l.jsonl",
    )
    with serving(work) as url:
        visitor = Visitor(url)
        visitor.enter("ann")
        page = visitor.get("/study/items?page=100").text
        assert (page.count("<tr>"), "Page 100 of 100" in page, "Item 10000" in page) == (101, True, True)
        assert len(page) < 40_000
        for strange in ("0", "-1", "101", "x", "9" * 30, "%C2%B2"):
            assert visitor.get(f"/study/items?page={strange}").status == 200
        assert visitor.label(10_000, {"verdict": "tie"}).headers["location"] == "/study/item/1?done=saved"
        assert "9999 items without a label of yours" in visitor.get("/study/items?show=open").text


def test_many_who_save_at_the_same_time_lose_nothing(tmp_path):
    work = work_of([pair(f"i{n}") for n in range(8)], tmp_path / "l.jsonl")
    with serving(work) as url:

        def label_all(name: str) -> list[int]:
            visitor = Visitor(url)
            visitor.enter(name)
            return [visitor.label(number, {"verdict": "A"}).status for number in range(1, 9)]

        names = [f"person-{n}" for n in range(5)]
        with ThreadPoolExecutor(5) as pool:
            assert list(pool.map(label_all, names)) == [[303] * 8] * 5
    labels = read_labels(work.labels)
    assert {(label.annotator, label.instance_id) for label in labels} == {
        (name, f"i{n}") for name in names for n in range(8)
    }
    assert len(labels) == 40


def test_progress_has_the_columns_of_what_was_asked(tmp_path):
    pairs = work_of([pair(f"i{n}") for n in range(5)], tmp_path / "p.jsonl")
    ratings = work_of([rated(f"i{n}", FLUENCY) for n in range(5)], tmp_path / "r.jsonl")
    told = {}
    for work, answer in ((pairs, {"verdict": "A"}), (ratings, {"rating-0": "4"})):
        with serving(work) as url:
            visitors = [Visitor(url), Visitor(url)]
            for visitor, name in zip(visitors, ("ann", "bob"), strict=True):
                visitor.enter(name)
                for number in range(1, 6):
                    assert visitor.label(number, answer).status == 303
            page = visitors[0].get("/study/progress").text
            told[work.labels.name] = re.findall(r'<th scope="col">([^<]*)</th>', page)[3:]
    common = ["Question", "Items", "Agree", "Share", "Kappa"]
    assert told["p.jsonl"] == [*common, "Krippendorff’s alpha"]
    assert told["r.jsonl"] == [*common, "Quadratic kappa", "Krippendorff’s alpha"]
