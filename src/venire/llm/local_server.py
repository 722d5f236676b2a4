"""The child process of `venire.llm.local`: `python -m venire.llm.local_server OPTIONS_AS_JSON`.

Prints the server's address as its only line of standard output, and ends when its standard input
closes, which is when its parent stops it or dies.
"""

import json
import os
import signal
import sys
from pathlib import Path


def main() -> None:
    """Serve until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    answer = os.dup(1)
    os.dup2(2, 1)  # whatever native code prints must not look like the address
    options = json.loads(sys.argv[1])

    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options["path"]
    params.model_alias = {Path(options["path"]).stem}  # else replies name the file's whole path
    params.n_parallel = options["n_parallel"]
    params.n_ctx = options["n_ctx"]
    params.cpuparams.n_threads = options["n_threads"]
    params.cpuparams_batch.n_threads = options["n_threads"]
    params.sampling.seed = options["seed"]
    params.sampling.temp = 0.0
    params.cache_prompt = False  # a reply must not depend on which requests came before it
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    os.write(answer, f"{server.listening_address}\n".encode())
    os.close(answer)
    while os.read(0, 4096):
        pass
    os._exit(0)  # requests in flight have lost their reader: do not wait for them


if __name__ == "__main__":
    main()
