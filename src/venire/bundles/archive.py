"""The archive: a zip file with equal bytes for equal members, read only where every hash is right."""

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from venire.errors import BundleError
from venire.runs import write_atomically
from venire.runs.strict_json import dumps

MANIFEST = "manifest.json"
FORMAT = "venire-bundle"
FORMAT_VERSION = 1
_MOST_MANIFEST = 64 * 2**20  # bytes: a manifest of more is none
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say
_PART = r"(?!\.)[A-Za-z0-9_.=+-]{1,200}"
_NAME = re.compile(rf"{_PART}(?:/{_PART})*")


@dataclass(frozen=True, slots=True)
class Archive:
    """A bundle that was read: its manifest, members by name, and `digest`, the SHA-256 of the manifest."""

    manifest: Mapping[str, object]
    members: Mapping[str, bytes]
    digest: str


def write_archive(path: Path, manifest: Mapping[str, object], members: Mapping[str, bytes]) -> str:
    """Write `members` under their sorted names, the manifest with their hashes first; returns its SHA-256.

    Neither time nor owner is in it: equal arguments give equal bytes.

    Raises:
        BundleError: a member has a name that is no plain relative path.
    """
    for name in members:
        _check_name(name, str(path))
    listed = {name: {"sha256": _sha256(content), "size": len(content)} for name, content in members.items()}
    text = dumps(
        {"format": FORMAT, "format_version": FORMAT_VERSION, **manifest, "members": listed}, indent=1
    )
    first = text.encode() + b"\n"
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as file:
        for name, content in ((MANIFEST, first), *sorted(members.items())):
            info = zipfile.ZipInfo(name, date_time=_EPOCH)
            info.create_system, info.external_attr = 3, 0o100644 << 16
            file.writestr(info, content, zipfile.ZIP_DEFLATED, 6)
    write_atomically(path, sink.getvalue())
    return _sha256(first)


def read_archive(path: Path) -> Archive:
    """The bundle in `path`; nothing is unpacked.

    Raises:
        BundleError: it is no bundle, of another format version, cut, or a member is damaged, missing, not
            listed, listed with another hash, or has a name that leads elsewhere.
    """
    try:
        with zipfile.ZipFile(path) as file:
            infos = _infos(file, path)
            if MANIFEST not in infos:
                raise BundleError(
                    f"{path}: expected a bundle of `venire bundle`, got a zip without {MANIFEST}"
                )
            if infos[MANIFEST].file_size > _MOST_MANIFEST:
                raise BundleError(f"{path}: {MANIFEST} has {infos[MANIFEST].file_size} bytes; not read")
            first = file.read(infos.pop(MANIFEST))
            manifest = _manifest(first, path)
            listed = _listed(manifest, path)
            if strangers := sorted(infos.keys() ^ listed.keys()):
                where = "not listed in its manifest" if strangers[0] in infos else "missing"
                raise BundleError(f"{path}: {strangers[0]}: {where} ({len(strangers)} members); not read")
            members = {name: _member(file, infos[name], listed[name], path) for name in sorted(infos)}
    except FileNotFoundError:
        raise BundleError(f"{path}: no such file") from None
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BundleError(
            f"{path}: expected a bundle of `venire bundle`, got a file that is none, or is cut or damaged "
            f"({error}); fetch it again"
        ) from error
    return Archive(manifest, members, _sha256(first))


def _infos(file: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in file.infolist():
        _check_name(info.orig_filename, str(path))
        if info.filename in infos:
            raise BundleError(f"{path}: {info.filename}: two members of this name; not read")
        infos[info.filename] = info
    return infos


def _check_name(name: str, where: str) -> None:
    if not _NAME.fullmatch(name):
        raise BundleError(f"{where}: a member is called {name!r}, which is no plain relative path; not read")


def _manifest(first: bytes, path: Path) -> Mapping[str, object]:
    try:
        manifest = json.loads(first)
    except ValueError as error:
        raise BundleError(f"{path}: {MANIFEST}: expected JSON, got {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BundleError(f"{path}: {MANIFEST}: expected one with format {FORMAT!r}; this is no bundle")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise BundleError(
            f"{path}: expected format version {FORMAT_VERSION}, got {manifest.get('format_version')!r}; "
            f"use the venire that wrote it ({manifest.get('made_with')})"
        )
    return manifest


def _listed(manifest: Mapping[str, object], path: Path) -> Mapping[str, Mapping[str, object]]:
    listed = manifest.get("members")
    if not isinstance(listed, dict) or not all(isinstance(each, dict) for each in listed.values()):
        raise BundleError(f"{path}: {MANIFEST}: expected members with their hashes")
    return listed


def _member(file: zipfile.ZipFile, info: zipfile.ZipInfo, listed: Mapping[str, object], path: Path) -> bytes:
    if info.file_size != listed.get("size"):
        raise _changed(path, info.filename, f"{listed.get('size')} bytes", f"{info.file_size}")
    content = file.read(info)
    if _sha256(content) != listed.get("sha256"):
        raise _changed(path, info.filename, f"SHA-256 {listed.get('sha256')}", _sha256(content))
    return content


def _changed(path: Path, name: str, expected: str, got: str) -> BundleError:
    return BundleError(
        f"{path}: {name}: expected {expected}, got {got}: it was changed after bundling, or is damaged; "
        "not read. Fetch the bundle again"
    )


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
