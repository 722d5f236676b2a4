import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from venire.page.secret import SECRET_FILE, form_secret


def test_a_home_has_one_secret_that_its_owner_alone_reads(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(form_secret, [tmp_path] * 8))
    assert {len(secret) for secret in made} == {32}
    assert made == {(tmp_path / SECRET_FILE).read_bytes()}
    assert stat.S_IMODE((tmp_path / SECRET_FILE).stat().st_mode) == 0o600
    assert form_secret(tmp_path / "other") not in made


def test_a_kill_while_it_is_made_leaves_no_half_secret(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            form_secret(tmp_path)
    assert not (tmp_path / SECRET_FILE).exists()
    assert len(form_secret(tmp_path)) == 32
