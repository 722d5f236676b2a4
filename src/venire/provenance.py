"""What a run is recorded to come from: settings, data, prompts, judges, models, versions, commit."""

import json
import platform
import subprocess
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from venire import __version__
from venire.data.fingerprint import fingerprint
from venire.experiment import Experiment
from venire.hashing import digest
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge
from venire.llm.embedding import EmbeddingModel
from venire.llm.recordings import recordings_digest
from venire.prompts.render import prompt_hash
from venire.records import Call, Outcome

SHARD, WHOLE, WHOLE_JOB = "shard", "whole_fingerprint", "whole_job_hash"  # tags of a shard


def hashes_of(experiment: Experiment) -> dict[str, str]:
    """Which runs are the same, by tag.

    `config_hash`: the settings that results depend on. `arm_hash`: the same without the seed, with
    what answers for each judge and computes vectors (weights, recordings, parameters of a simulation).
    `job_hash`: all that a result depends on, data, prompts and version too: a sweep skips a job that
    has finished. Of a shard also `whole_job_hash`: the `job_hash` of the run without shards.
    """
    identity = experiment.identity
    judges = [[judge.name, judge.model, *_answerer(judge)] for judge in experiment.method.judges]
    judges += [["embedding", model.model, model.endpoint()] for model in experiment.method.embeddings]
    job = {
        "config": identity.config_hash,
        "data": experiment.loaded.fingerprint,
        "prompts": _prompts(experiment),
        "judges": judges,
        "venire": __version__,
    }
    if experiment.development is not None:
        job["development"] = experiment.development.fingerprint
    hashes = {
        "config_hash": identity.config_hash,
        "arm_hash": digest({"config": identity.arm_hash, "judges": judges}),
        "job_hash": digest(job),
    }
    if experiment.whole is not None:
        whole = job | {"config": identity.whole_hash, "data": experiment.whole.fingerprint}
        hashes[WHOLE_JOB] = digest(whole)
    return hashes


def _prompts(experiment: Experiment) -> dict[str, str]:
    return {name: prompt_hash(name) for name in experiment.method.prompts}


def _answerer(judge: Judge) -> tuple[str, ...]:
    """What answers for a judge; recordings are named by their content."""
    if isinstance(judge, RecordedJudge):
        return judge.endpoint, recordings_digest(judge.root)
    return (judge.endpoint,)


def tags_of(experiment: Experiment) -> dict[str, str]:
    """Kind, data, versions, commit, prompts and models asked, by tag."""
    loaded = experiment.loaded
    tags = {
        "kind": str(experiment.kind),
        "data_fingerprint": loaded.fingerprint,
        "data_source": loaded.source,
        "data_revision": loaded.revision or "",
        "python": platform.python_version(),
        **{f"prompt.{name}": value for name, value in _prompts(experiment).items()},
        "version.venire": __version__,  # also of code that was shipped to a machine, not installed there
        **{f"version.{package}": metadata.version(package) for package in PACKAGES},
        **git_state(),
    }
    if experiment.development is not None:
        tags["development_fingerprint"] = experiment.development.fingerprint
        # of both parts: equal over the seeds that part the same data in other ways
        whole = sorted(experiment.all_instances, key=lambda each: each.id)
        tags["parted_fingerprint"] = fingerprint(whole)
    if experiment.whole is not None:
        tags |= {SHARD: str(experiment.shard), WHOLE: experiment.whole.fingerprint}
    dimensions = [each.name for each in loaded.instances[0].dimensions if each.asked]
    if dimensions:
        tags["dimensions"] = ", ".join(dimensions)
    prompted = [judge for judge in experiment.method.judges if isinstance(judge, PromptedJudge)]
    if prompted:
        tags["models_asked"] = ", ".join(judge.model for judge in prompted)
    if experiment.method.embeddings:
        tags["embeddings"] = ", ".join(_vectors(model) for model in experiment.method.embeddings)
    return tags


def _vectors(model: EmbeddingModel) -> str:
    """`wordllama/l2_supercat_256 (wordllama:0.4.0.post1@461d9f720e79)`: what computes vectors."""
    endpoint = model.endpoint()
    return f"{model.model} ({endpoint})" if endpoint else model.model


PACKAGES = ("hydra-core", "mlflow", "litellm", "numpy", "scipy", "statsmodels", "rouge-score")


def git_state() -> dict[str, str]:
    """Commit and dirtiness of the checkout that the code runs from; `unknown` for an installed wheel."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return {"git_commit": "unknown", "git_dirty": "unknown"}
    try:
        commit = _git(root, "rev-parse", "HEAD")
        dirty = bool(_git(root, "status", "--porcelain"))
    except (OSError, subprocess.CalledProcessError):
        return {"git_commit": "unknown", "git_dirty": "unknown"}
    return {"git_commit": commit, "git_dirty": str(dirty).lower()}


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def returned_models(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """The models and fingerprints that answered, for tags; empty where no model was called.

    `answered` is JSON: each model that was asked, with what answered for it and its fingerprints.
    """
    return answered_by([call for outcome in outcomes for call in outcome.calls])


def answered_by(made: Iterable[Call]) -> dict[str, str]:
    """As `returned_models`, of calls."""
    calls = [call for call in made if not call.is_embedding]
    answered = sorted({call.model_returned for call in calls if call.model_returned})
    fingerprints = sorted({call.fingerprint for call in calls if call.fingerprint})
    asked = sorted({call.model_asked for call in calls if call.model_returned})
    by_model = {model: _answered([call for call in calls if call.model_asked == model]) for model in asked}
    tags = {
        "models_returned": ", ".join(answered),
        "fingerprints": ", ".join(fingerprints),
        "answered": json.dumps(by_model) if by_model else "",
    }
    return {name: text for name, text in tags.items() if text}


def _answered(calls: Sequence[Call]) -> str:
    """`gpt-4o-2024-08-06 (fp_1, fp_2)`."""
    models = ", ".join(sorted({call.model_returned for call in calls if call.model_returned}))
    marks = ", ".join(sorted({call.fingerprint for call in calls if call.fingerprint}))
    return f"{models} ({marks})" if marks else models
