"""Whether the holder of a lease is certainly dead."""

import os
import subprocess
import sys
from dataclasses import replace

from venire.llm.owner import Owner

CHILD = "from venire.llm.owner import Owner; print(Owner.here(), flush=True); input()"


def test_an_owner_survives_its_text_form() -> None:
    here = Owner.here()
    assert Owner.parse(str(here)) == here
    assert Owner.parse("odd|host|12|34|abc") == Owner("odd|host", 12, "34", "abc")


def test_another_process_is_alive_until_it_is_killed_and_dead_before_anybody_reaps_it() -> None:
    here = Owner.here()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdout is not None
        other = Owner.parse(child.stdout.readline().strip())
        assert other.host == here.host
        assert not here.knows_dead(other)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it is a zombie now
        assert here.knows_dead(other)
        child.wait()
        assert here.knows_dead(other)


def test_a_reused_process_id_is_another_process() -> None:
    here = Owner.here()
    assert here.knows_dead(replace(here, started="long ago", opening="x"))


def test_another_opening_of_this_process_and_another_host_are_not_known_to_be_dead() -> None:
    here = Owner.here()
    assert not here.knows_dead(Owner.here())
    assert not here.knows_dead(replace(here, host="elsewhere", pid=2**22 + 1))
