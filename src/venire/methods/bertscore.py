"""`method=bertscore`: how close a response's words are to the reference's in a language model's space."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING

from venire.errors import ConfigError
from venire.judging.references import check_references
from venire.llm.protocol import LLM
from venire.methods.comparing import Unasked
from venire.records import OVERALL, Instance, Outcome, Ratings, Reason, Unscored

if TYPE_CHECKING:
    from bert_score import BERTScorer

_INSTALL = "pip install 'venire[bertscore]'"
_NO_LIMIT = 10**6
_RESERVED = 2  # positions that RoBERTa's kind never gives to a token


@dataclass(frozen=True, slots=True)
class BertScore(Unasked):
    """BERTScore F1 as the one score of the whole response, by the package bert-score (an optional extra).

    The weights come from the Hub, or from a folder. A text longer than the model reads is cut, and `detail`
    says so. An empty response has no words to compare: it is unscored.

    Args:
        model: a model of the Hub, or a folder that `transformers` reads.
        num_layers: the layer whose vectors are compared; None for the one that the package's authors found
            best, which it knows for many models of the Hub.
        rescale: whether scores are rescaled so that unrelated English texts have about 0 (a linear
            map, so Pearson and both rank correlations stay as they are); only for models whose baseline the
            package ships.
        device: `cpu`, `cuda`, ...; None for a GPU where there is one.

    Source: Zhang et al. (2020); spec, section 2, "Baselines".
    """

    model: str = "roberta-large"
    num_layers: int | None = None
    rescale: bool = False
    device: str | None = None

    def __post_init__(self) -> None:
        if self.num_layers is not None and self.num_layers < 1:
            raise ConfigError(f"num_layers: expected at least 1, or null, got {self.num_layers}")

    @property
    def name(self) -> str:
        """`bertscore`."""
        return "bertscore"

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what cannot be scored: without the package, or with data that have no references.

        Raises:
            DataError, ConfigError
        """
        check_references(self.name, instances)
        if find_spec("bert_score") is None:
            raise ConfigError(f"method=bertscore: expected the package bert-score, got none; {_INSTALL}")
        _load(self)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The score; `detail` has precision, recall, which texts were cut, and what made them."""
        response, reference = instance.responses[0].text.strip(), str(instance.reference).strip()
        if not response:
            return Outcome(instance.id, Unscored(Reason.UNDEFINED, "an empty response has no words"))
        # In a thread, so that a stop need not wait for all instances.
        f1, detail = await asyncio.to_thread(_load(self).score, response, reference)
        return Outcome(instance.id, Ratings({OVERALL: f1}), detail=detail)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A model in memory. One text at a time: it uses all cores for each, and its tokenizer has state."""

    scorer: "BERTScorer"
    lock: Lock

    def score(self, response: str, reference: str) -> tuple[float, Mapping[str, object]]:
        with self.lock:
            precision, recall, f1 = (float(side[0]) for side in self.scorer.score([response], [reference]))
            texts = {"response": response, "reference": reference}
            cut = [name for name, text in texts.items() if self._is_cut(text)]
        detail = {"precision": precision, "recall": recall, "cut": cut, "made_by": self.scorer.hash}
        return f1, detail

    def _is_cut(self, text: str) -> bool:
        tokenizer = self.scorer._tokenizer
        length = len(tokenizer.encode(text, truncation=False, verbose=False))
        return bool(length > tokenizer.model_max_length)


@cache
def _load(settings: BertScore) -> _Loaded:
    """The model, loaded once a process.

    Raises:
        ConfigError: it cannot be loaded, or its layer or baseline is not known.
    """
    from bert_score import BERTScorer
    from bert_score.utils import model2layers

    if settings.num_layers is None and settings.model not in model2layers:
        raise ConfigError(
            f"method.num_layers: expected the layer, bert-score knows none for {settings.model!r}; "
            "set method.num_layers=N"
        )
    try:
        scorer = BERTScorer(
            model_type=settings.model,
            num_layers=settings.num_layers,
            lang="en",
            rescale_with_baseline=settings.rescale,
            device=settings.device,
        )
        if settings.rescale:
            _ = scorer.baseline_vals
    except (OSError, ValueError, AssertionError) as error:
        reason = " ".join(str(error).split())[:300]
        raise ConfigError(
            f"method.model: expected one that can be loaded, got {settings.model!r}: {reason}"
        ) from error
    # Some tokenizers name no limit, and their number for that is too long for the package to pass on.
    if scorer._tokenizer.model_max_length > _NO_LIMIT:
        scorer._tokenizer.model_max_length = scorer._model.config.max_position_embeddings - _RESERVED
    return _Loaded(scorer, Lock())
