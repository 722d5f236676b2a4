"""JuryFlow on the sample with a page, in a process of its own, which says at its end where the run lies.

Arguments: home, then overrides.
"""

import sys
from pathlib import Path

from tests.page.jury.questions import run_sample

if __name__ == "__main__":
    written = run_sample(Path(sys.argv[1]), *sys.argv[2:], say=lambda text: print(text, flush=True))
    print(written.folder)
