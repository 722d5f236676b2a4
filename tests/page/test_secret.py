import stat
from concurrent.futures import ThreadPoolExecutor

from venire.page.secret import SECRET_FILE, form_secret


def test_a_home_has_one_secret_that_its_owner_alone_reads(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(form_secret, [tmp_path] * 8))
    assert {len(secret) for secret in made} == {32}
    assert made == {(tmp_path / SECRET_FILE).read_bytes()}
    assert stat.S_IMODE((tmp_path / SECRET_FILE).stat().st_mode) == 0o600
    assert form_secret(tmp_path / "other") not in made
