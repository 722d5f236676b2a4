"""Archives: equal bytes for equal members, and nothing is read that was changed, cut or leads elsewhere."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from venire.bundles.archive import MANIFEST, read_archive, write_archive
from venire.errors import BundleError

MEMBERS = {"runs/a/run.json": b"{}", "data/b.json": b"[1, 2]"}


def rewrite(path: Path, members: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def test_equal_members_give_equal_bytes_whatever_their_order(tmp_path: Path) -> None:
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    one = write_archive(first, {"name": "x"}, MEMBERS)
    two = write_archive(second, {"name": "x"}, dict(reversed(MEMBERS.items())))
    assert one == two
    assert first.read_bytes() == second.read_bytes()
    assert read_archive(first).members == MEMBERS
    assert read_archive(first).digest == one


def test_a_changed_member_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    write_archive(path, {}, MEMBERS)
    rewrite(path, contents(path) | {"data/b.json": b"[1, 3]"})
    with pytest.raises(BundleError, match=r"data/b\.json: expected SHA-256 .* changed after bundling"):
        read_archive(path)


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "runs/../../evil", "runs\\evil", ".hidden", "a//b", "a/"]
)
def test_a_member_that_leads_elsewhere_is_refused_when_written_and_when_read(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "b.zip"
    with pytest.raises(BundleError, match="no plain relative path"):
        write_archive(path, {}, {name: b""})
    write_archive(path, {}, MEMBERS)
    rewrite(path, contents(path) | {name: b"evil"})
    with pytest.raises(BundleError, match="no plain relative path"):
        read_archive(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["b.zip"]


@pytest.mark.parametrize(
    ("more", "less", "message"),
    [
        ({"runs/a/more.json": b""}, "", "more.json: not listed"),
        ({}, "data/b.json", "data/b.json: missing"),
        ({}, MANIFEST, "a zip without manifest.json"),
        ({MANIFEST: b"{"}, "", "expected JSON"),
        ({MANIFEST: b'{"format": "other"}'}, "", "this is no bundle"),
        (
            {MANIFEST: b'{"format": "venire-bundle", "format_version": 2}'},
            "",
            "expected format version 1, got 2",
        ),
        ({MANIFEST: b'{"format": "venire-bundle", "format_version": 1}'}, "", "expected members"),
    ],
)
def test_what_the_manifest_does_not_list_as_it_is_is_refused(
    tmp_path: Path, more: Mapping[str, bytes], less: str, message: str
) -> None:
    path = tmp_path / "b.zip"
    write_archive(path, {}, MEMBERS)
    rewrite(path, {name: each for name, each in (contents(path) | more).items() if name != less})
    with pytest.raises(BundleError, match=message):
        read_archive(path)


def test_a_cut_or_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    write_archive(path, {}, MEMBERS | {"big": bytes(range(256)) * 64})
    whole = path.read_bytes()
    for broken in (b"", b"no zip", whole[: len(whole) // 2], whole[:-10]):
        path.write_bytes(broken)
        with pytest.raises(BundleError, match="cut or damaged"):
            read_archive(path)
    place = len(whole) // 3
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
    with pytest.raises(BundleError):
        read_archive(path)
    with pytest.raises(BundleError, match="no such file"):
        read_archive(tmp_path / "none.zip")


def test_a_manifest_says_what_its_members_hash_to(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    write_archive(path, {}, {"a": b"abc"})
    listed = json.loads(contents(path)[MANIFEST])["members"]
    # SHA-256 of "abc". Source: FIPS 180-4, example
    assert listed == {
        "a": {"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "size": 3}
    }
