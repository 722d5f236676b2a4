"""JuryFlow on the sample with a page, in a process that a test kills. Arguments: home, then overrides."""

import sys
from pathlib import Path

from tests.page.jury.questions import run_sample

if __name__ == "__main__":
    run_sample(Path(sys.argv[1]), *sys.argv[2:], say=lambda text: print(text, flush=True))
