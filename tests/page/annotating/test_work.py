from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.page.served import Clock, pair, rated, work_of

from venire.errors import DataError
from venire.page.annotating.work import Answer, Desk, Item
from venire.page.times import Visit
from venire.records import Order, Winner
from venire.review.labels import Label
from venire.review.store import LabelStore, append_labels, read_labels

INSTANCES = [pair(f"i{n}") for n in range(200)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study" / "labels.jsonl"


def tie(seconds: float | None = None) -> Answer:
    return Answer(Winner.TIE, "", seconds)


def test_each_annotator_has_an_order_of_ones_own_by_the_seed(path):
    work = work_of(INSTANCES, path)
    ann, bob = work.order("ann"), work.order("bob")
    assert sorted(ann) == sorted(bob) == list(range(200))
    assert ann != bob
    assert work.order("ann") == ann
    assert replace(work, seed=1).order("ann") != ann
    assert replace(work, shuffled=False).order("ann") == tuple(range(200))


def test_either_response_stands_first_about_as_often(path):
    work = work_of(INSTANCES, path)
    sides = [work.sides("ann", item) for item in work.items]
    # 200 fair coins: outside of 70 to 130 once in 40,000 times; the seed is fixed
    assert 70 < Counter(sides)[Order.SWAPPED] < 130
    assert sides == [work.sides("ann", item) for item in work.items]
    assert sides != [work.sides("bob", item) for item in work.items]
    assert sides != [replace(work, seed=1).sides("ann", item) for item in work.items]


def test_a_label_says_who_what_when_how_long_and_in_which_order(path):
    work = work_of(INSTANCES[:1], path, run_id="run-1")
    Desk(work, clock=Clock()).save("ann", work.items[0], Answer(Winner.FIRST, "why", 2.5))
    assert read_labels(path) == (
        Label(
            "i0",
            work.items[0].content,
            Winner.FIRST,
            "ann",
            "2027-01-15T08:00:01.000+00:00",
            2.5,
            "why",
            "2027-01-15T08:00:01.000+00:00",
            "study s",
            "run-1",
            work.sides("ann", work.items[0]),
        ),
    )


def test_one_response_has_no_order(path):
    work = work_of([rated("b")], path)
    Desk(work, clock=Clock()).save("ann", work.items[0], Answer({"fluency": 1.0}, "", None))
    assert read_labels(path)[0].shown is None


def test_the_next_item_is_one_without_a_label_and_skipped_ones_come_again(path):
    desk = Desk(work_of(INSTANCES[:4], path), clock=Clock())
    assert desk.next_open("ann") == 1
    for number in (1, 3):
        item = desk.item("ann", number)
        assert item is not None
        desk.save("ann", item, tie())
    assert [desk.next_open("ann", after) for after in range(5)] == [2, 2, 4, 4, 2]
    assert desk.next_open("bob") == 1
    for number in (2, 4):
        item = desk.item("ann", number)
        assert item is not None
        desk.save("ann", item, tie())
    assert desk.next_open("ann") is None
    assert (desk.item("ann", 0), desk.item("ann", 5)) == (None, None)


def test_undo_goes_back_label_by_label_and_leaves_others_alone(path):
    work = work_of(INSTANCES[:3], path)
    told: list[str] = []
    desk = Desk(work, clock=Clock(), changed=lambda: told.append("changed"))
    a, b, _ = work.items
    desk.save("ann", a, tie())
    desk.save("ann", b, tie())
    desk.save("ann", a, Answer(Winner.FIRST, "", None))
    desk.save("bob", a, tie())
    before = path.read_text()
    assert desk.undo("ann") == a
    assert desk.own("ann")["i0"].verdict is Winner.TIE  # as it was before it was corrected
    assert desk.undo("ann") == b
    assert desk.undo("ann") == a
    assert desk.undo("ann") is None
    assert (desk.own("ann"), list(desk.own("bob"))) == ({}, ["i0"])
    assert path.read_text().startswith(before)
    assert len(told) == 7
    assert all(desk.number(who, desk.item(who, 2)) == 2 for who in ("ann", "bob"))  # type: ignore[arg-type]


def test_labels_of_other_items_and_other_texts_are_not_of_this_work(path):
    work = work_of(INSTANCES[:2], path)
    other = Item.of(pair("i0", prompt="changed"))
    stranger = Desk(work_of([pair("i0", prompt="changed"), pair("x")], path), clock=Clock())
    stranger.save("ann", other, tie())
    desk = Desk(work, clock=Clock())
    assert desk.by_annotator() == {}
    assert desk.undo("ann") is None
    assert len(read_labels(path)) == 1


def test_what_another_process_adds_is_seen_and_a_damaged_file_is_refused(path):
    work = work_of(INSTANCES[:2], path)
    desk, elsewhere = Desk(work, clock=Clock()), Desk(work, clock=Clock())
    desk.save("ann", work.items[0], tie())
    elsewhere.save("bob", work.items[1], tie())
    assert {who: list(own) for who, own in desk.by_annotator().items()} == {"ann": ["i0"], "bob": ["i1"]}
    with path.open("a") as file:
        file.write('{"cut sho\n')
    with pytest.raises(DataError, match=r"labels\.jsonl:3: expected a label"):
        desk.save("ann", work.items[1], tie())
    assert LabelStore(path).revision == 0
    assert path.read_text().count("\n") == 3


def test_the_time_of_a_label_is_that_of_all_visits_over_undos_and_restarts(path):
    work = work_of(INSTANCES[:2], path)
    item = work.items[0]

    def visit(name: str) -> Visit:
        return Visit("ann", item.what, name)

    desk = Desk(work, clock=Clock())
    desk.times.add(visit("looked"), 4.0)  # and skipped it
    desk.save("ann", item, tie(2.0), visit("one"))
    assert desk.own("ann")["i0"].seconds == 6.0
    assert desk.undo("ann") == item
    later = Desk(work, clock=Clock())
    later.save("ann", item, Answer(Winner.FIRST, "", 3.0), visit("two"))
    assert later.own("ann")["i0"].seconds == 9.0
    later.save("ann", item, tie(1.5), visit("three"))  # corrected
    assert later.own("ann")["i0"].seconds == 10.5
    later.save("ann", work.items[1], tie(1.0))
    later.save("bob", item, tie(1.0))
    assert (later.own("ann")["i1"].seconds, later.own("bob")["i0"].seconds) == (1.0, 1.0)


@pytest.mark.parametrize(("given", "total"), [(20.0, 23.0), (None, None)])
@pytest.mark.parametrize("undone", [True, False])
def test_the_time_of_a_label_that_came_as_a_file_is_a_part_of_the_sum_or_makes_it_unknown(
    path, given, total, undone
):
    work = work_of(INSTANCES[:1], path)
    item = work.items[0]
    append_labels(path, [Label("i0", item.content, Winner.FIRST, "ann", "2026-11-30", given)])
    desk = Desk(work, clock=Clock())
    if undone:
        assert desk.undo("ann") == item
    for seconds in (1.0, 2.0):
        desk.save("ann", item, tie(seconds) if seconds == 1 else Answer(Winner.SECOND, "", seconds))
    assert desk.own("ann")["i0"].seconds == total


def test_labels_that_came_as_a_file_count_as_well(path):
    work = work_of(INSTANCES[:1], path)
    item = work.items[0]
    append_labels(path, [Label("i0", item.content, Winner.FIRST, "ann", "2026-11-30")])
    assert Desk(work, clock=Clock()).next_open("ann") is None
