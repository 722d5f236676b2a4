"""Embedding models by configuration, in a run: what is built, hashed, tagged and counted."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from venire.build import build
from venire.config import config_dir, experiment_of
from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.errors import ConfigError
from venire.experiment import Experiment
from venire.identity import Identity
from venire.judging.judge import Judge
from venire.launch import Door, Written, execute, prepare
from venire.llm.budget import Budget
from venire.llm.embedding import OFFLINE, EmbeddingModel
from venire.llm.local import LocalSettings
from venire.llm.protocol import LLM
from venire.llm.settings import LLMSettings, Mode
from venire.llm.simulated import Simulation
from venire.methods.comparing import Independent
from venire.records import (
    BackendKind,
    Instance,
    Outcome,
    Preference,
    PreferenceGold,
    Price,
    Response,
    RunStatus,
    Winner,
)
from venire.runs import read_outcomes
from venire.tracking.settings import TrackingSettings

PAIRS = tuple(
    Instance(f"set/{i}", f"Which {i}?", (Response("Cats purr."), Response(f"Dogs bark {i}.")),
             PreferenceGold(Winner.FIRST))
    for i in range(3)
)  # fmt: skip
LIVE = EmbeddingModel("large", "openai/text-embedding-3-large", 3072, price=Price(0.13, 0.0))


@dataclass(frozen=True)
class Nearer(Independent):
    """The response nearer to the prompt wins."""

    embedding: EmbeddingModel = OFFLINE
    name: str = "nearer"
    judges: tuple[Judge, ...] = ()
    prompts: tuple[str, ...] = ()

    @property
    def embeddings(self) -> tuple[EmbeddingModel, ...]:
        return (self.embedding,)

    def check(self, instances: Sequence[Instance]) -> None: ...

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        texts = [instance.prompt, *(response.text for response in instance.responses)]
        made = await llm.embed(self.embedding.model, texts)
        prompt, first, second = made.vectors
        winner = Winner.FIRST if prompt @ first > prompt @ second else Winner.SECOND
        return Outcome(instance.id, Preference(winner), calls=tuple(made.calls))


def experiment(method: Nearer, **changes: object) -> Experiment:
    made = Experiment(
        identity=Identity("nearer", {"seed": "0"}, (), "seed: 0\n", "c" * 64, "a" * 64),
        loaded=Loaded(PAIRS, fingerprint(PAIRS), "here", labels=(Winner.FIRST, Winner.SECOND)),
        method=method,
        seed=0,
        llm=LLMSettings(),
        budget=Budget(),
        simulation=Simulation(),
        local=LocalSettings(),
        tracking=TrackingSettings(enabled=False),
        concurrency=2,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def run(home: Path, made: Experiment) -> Written:
    return execute(prepare(made, {}), Door(home, {}))


def test_a_run_with_vectors_counts_them_and_its_repetition_computes_none(tmp_path: Path) -> None:
    first, second = (run(tmp_path, experiment(Nearer())).record for _ in range(2))
    assert first.status is second.status is RunStatus.FINISHED
    # 3 prompts, 3 responses and one response that all three share: 7 texts, asked for 9 times
    assert (first.metrics["embeddings/texts"], second.metrics["embeddings/texts"]) == (9, 9)
    assert second.metrics["embeddings/paid"] == 0
    assert first.metrics["embeddings/paid"] >= 7
    assert first.metrics["accuracy"] == second.metrics["accuracy"]
    assert first.metrics["calls/total"] == first.metrics["cost_usd/total"] == 0


def test_vectors_make_no_run_local(tmp_path: Path) -> None:
    written = run(tmp_path, experiment(Nearer()))
    assert written.record.kind is BackendKind.NONE
    assert written.record.tags["embeddings"] == f"wordllama/l2_supercat_256 ({OFFLINE.endpoint()})"
    assert "models_returned" not in written.record.tags


def test_each_request_for_vectors_is_a_line_of_the_calls_file(tmp_path: Path) -> None:
    written = run(tmp_path, experiment(Nearer()))
    lines = gzip.decompress((written.folder / "calls.jsonl.gz").read_bytes()).decode().splitlines()
    calls = [json.loads(line) for line in lines]
    assert {(call["stage"], call["kind"]) for call in calls} == {("embedding", "local")}
    assert sum(call["texts"] for call in calls) == 9
    assert len(read_outcomes(written.folder)) == 3


def test_other_weights_are_another_job() -> None:
    one = prepare(experiment(Nearer()), {})
    other = prepare(experiment(Nearer(replace(LIVE, api_base="http://127.0.0.1:9/v1"))), {})
    assert one.job_hash != other.job_hash
    assert one.tags["arm_hash"] != other.tags["arm_hash"]


def test_a_live_model_needs_its_key_and_under_dollars_its_price() -> None:
    asking = experiment(Nearer(LIVE))
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY is not set \(judge embedding large\)"):
        prepare(asking, {})
    assert prepare(replace(asking, llm=LLMSettings(Mode.REPLAY)), {})
    unpriced = experiment(Nearer(replace(LIVE, price=None)), budget=Budget(usd=1.0))
    with pytest.raises(ConfigError, match="text-embedding-3-large"):
        prepare(unpriced, {"OPENAI_API_KEY": "sk-0123456789"})


@pytest.mark.parametrize("option", ["wordllama", "text_embedding_3_large"])
def test_an_option_of_the_group_is_an_embedding_model(option: str) -> None:
    with initialize_config_dir(version_base="1.3", config_dir=str(config_dir())):
        from omegaconf import OmegaConf

        node = OmegaConf.to_container(compose("config", [f"embedding={option}"]).embedding, resolve=True)
    made = build(node, "embedding")
    assert isinstance(made, EmbeddingModel)
    assert made.name == option


def built(*overrides: str) -> Experiment:
    with initialize_config_dir(version_base="1.3", config_dir=str(config_dir())):
        whole = compose("config", list(overrides), return_hydra_config=True)
        from omegaconf import OmegaConf

        bare = OmegaConf.masked_copy(whole, [str(key) for key in whole if key != "hydra"])
    choices = {str(key): str(value) for key, value in whole.hydra.runtime.choices.items()}
    return experiment_of(bare, overrides, choices)


def test_a_method_that_compares_no_texts_has_none_and_says_that_the_choice_is_idle() -> None:
    made = built("method=pairwise", "embedding=text_embedding_3_large")
    assert made.method.embeddings == ()
    assert built("method=majority").method.embeddings == ()
    assert made.identity.warnings == (
        "embedding=text_embedding_3_large has no effect: method=pairwise does not use embedding "
        "(it asks judge, criteria)",
    )


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("live", ["openai/text-embedding-3-large"]),
        ("simulated", ["wordllama/l2_supercat_256"]),  # nothing is sent, and similarity stays arithmetic
    ],
)
def test_the_backend_decides_whether_vectors_may_be_bought(backend: str, expected: list[str]) -> None:
    made = built("method=juryflow", "embedding=text_embedding_3_large", f"backend={backend}")
    assert [model.model for model in made.method.embeddings] == expected
    assert made.kind == backend


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("embedding.dimensions=0", "embedding.dimensions"),
        ("embedding.client=telepathy", "embedding.client"),
        ("embedding.max_batch=no", "embedding.max_batch"),
    ],
)
def test_a_bad_setting_is_refused_under_its_full_key(override: str, key: str) -> None:
    with pytest.raises(ConfigError, match=rf"^{key}: "):
        built("method=juryflow", "embedding=text_embedding_3_large", override)
