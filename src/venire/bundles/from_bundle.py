"""A bundle's data sets, recordings and weights, in the place of this machine's."""

from collections.abc import Mapping
from dataclasses import replace

from venire.bundles.contents import BundledRun
from venire.bundles.instances import loaded_from_json
from venire.bundles.sources import Sources, Weights
from venire.data.protocol import Dataset, Loaded
from venire.errors import BundleError
from venire.judging.judge import RecordedJudge
from venire.llm.local import LocalSettings


def sources_of(run: BundledRun, files: Mapping[str, bytes], *, texts: bool) -> Sources:
    """What `run` is built from, out of the bundle's members.

    Raises (when it is asked for):
        BundleError: the bundle lacks it, or holds other data than it says.
    """

    def load(key: str, _dataset: Dataset) -> Loaded:
        name = run.data.get(key, "")
        if name not in files:
            raise BundleError(f"{run.run_id}: {key}: the bundle has no data of this key")
        return loaded_from_json(files[name], name, texts=texts)

    def recorded(judge: RecordedJudge) -> RecordedJudge:
        return replace(judge, digest=run.recordings)

    def weights(_settings: LocalSettings) -> Weights:
        if run.weights is None:
            raise BundleError(f"{run.run_id}: the bundle does not say which local model answered")
        return run.weights

    return Sources(load, recorded, weights)
