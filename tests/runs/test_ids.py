from datetime import UTC, datetime

from venire.runs import new_run_id

NOON = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC).timestamp()


def test_an_id_says_when_and_what():
    assert new_run_id(NOON, "pairwise gpt_4o", lambda n: b"\x01" * n) == (
        "20261130-120000-250-pairwise-gpt_4o-01010101"
    )


def test_ids_sort_by_time_and_never_meet():
    ids = [new_run_id(NOON + second / 10, "z" if second % 2 else "a") for second in range(50)]
    assert ids == sorted(ids)
    assert len({new_run_id(NOON, "same") for _ in range(200)}) == 200


def test_a_name_never_leaves_its_folder():
    for name in ("../../etc", "", "...", "a/b\\c:d", "x" * 500):
        run_id = new_run_id(NOON, name)
        assert "/" not in run_id
        assert "\\" not in run_id
        assert ".." not in run_id
        assert len(run_id) <= 81  # 19 of time, 48 of name, 8 of chance, separators
    assert new_run_id(NOON, "", lambda n: b"\0" * n).endswith("-run-00000000")
