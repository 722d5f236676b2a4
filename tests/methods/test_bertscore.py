"""`method=bertscore`, offline: a tiny random BERT that the tests save. Skipped without the extra."""

import asyncio
import math
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.judging.scripted import ScriptedLLM
from tests.methods.panels import always

from venire.errors import ConfigError, DataError
from venire.methods.bertscore import BertScore
from venire.records import OVERALL, Instance, Outcome, Ratings, Reason, Response, Unscored

WORDS = ["the", "heparin", "is", "not", "effective", "in", "stroke", "patients", "with", "no", "evidence"]
# Its libraries warn about themselves.
needs_extra = pytest.mark.skipif(find_spec("bert_score") is None, reason="needs the extra [bertscore]")
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two layers, sixteen dimensions, sixteen tokens at most."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    path = tmp_path_factory.mktemp("bert")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (path / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    transformers.BertModel(config).save_pretrained(path)
    transformers.BertTokenizer(str(path / "vocab.txt"), model_max_length=16).save_pretrained(path)
    return str(path)


def judged(method: BertScore, response: str, reference: str) -> Outcome:
    instance = Instance("set/1", "p", (Response(response),), reference=reference)
    method.check([instance])
    return asyncio.run(method.judge(instance, None, ScriptedLLM(always("A"))))


def overall(outcome: Outcome) -> float:
    assert isinstance(outcome.prediction, Ratings)
    return outcome.prediction.by_dimension[OVERALL]


@needs_extra
def test_equal_texts_score_one_and_others_less(folder: str) -> None:
    method = BertScore(folder, num_layers=2)
    assert overall(judged(method, "heparin is effective", "heparin is effective")) == pytest.approx(
        1.0, abs=1e-5
    )
    assert overall(judged(method, "no evidence", "heparin is effective")) < 0.999


@needs_extra
def test_it_is_the_mean_best_cosine_over_words_of_either_side(folder: str) -> None:
    import torch
    import transformers

    response, reference = "heparin is effective", "heparin is not effective in stroke"
    outcome = judged(BertScore(folder, num_layers=2), response, reference)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()

    def vectors(text: str) -> torch.Tensor:
        with torch.no_grad():
            hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        return hidden / hidden.norm(dim=1, keepdim=True)

    cosine = vectors(response) @ vectors(reference).T
    # [CLS] and [SEP] are matched, too, but have no weight.
    precision = cosine.max(dim=1).values[1:-1].mean().item()
    recall = cosine.max(dim=0).values[1:-1].mean().item()
    assert outcome.detail["precision"] == pytest.approx(precision, abs=1e-5)
    assert outcome.detail["recall"] == pytest.approx(recall, abs=1e-5)
    assert overall(outcome) == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-5)


@needs_extra
def test_the_layer_is_a_setting(folder: str) -> None:
    one, two = (
        overall(judged(BertScore(folder, num_layers=layer), "no evidence", "heparin is effective"))
        for layer in (1, 2)
    )
    assert not math.isclose(one, two, abs_tol=1e-6)


@needs_extra
def test_a_text_that_is_cut_is_told_and_an_empty_one_is_unscored(folder: str) -> None:
    method = BertScore(folder, num_layers=2)
    assert judged(method, "the stroke", "the stroke").detail["cut"] == []
    assert judged(method, "the stroke " * 20, "the stroke").detail["cut"] == ["response"]
    empty = judged(method, " ", "the stroke").prediction
    assert empty == Unscored(Reason.UNDEFINED, "an empty response has no words")


@needs_extra
def test_texts_judged_at_once_score_as_those_judged_one_by_one(folder: str) -> None:
    method = BertScore(folder, num_layers=2)
    texts = ["the stroke " * 20, "no evidence", "heparin in patients " * 9, "is not"] * 4
    instances = [
        Instance(f"set/{i}", "p", (Response(text),), reference="heparin is effective in stroke")
        for i, text in enumerate(texts)
    ]

    async def at_once() -> list[Outcome]:
        llm = ScriptedLLM(always("A"))
        return await asyncio.gather(*(method.judge(each, None, llm) for each in instances))

    method.check(instances)
    together = asyncio.run(at_once())
    alone = [judged(method, each.responses[0].text, str(each.reference)) for each in instances]
    assert [overall(each) for each in together] == pytest.approx([overall(each) for each in alone])
    assert [each.detail["cut"] for each in together] == [each.detail["cut"] for each in alone]


@needs_extra
def test_a_model_that_cannot_be_loaded_is_refused_before_any_instance(folder: str, tmp_path: Path) -> None:
    instance = Instance("set/1", "p", (Response("a"),), reference="b")
    for method, message in (
        (BertScore(folder), r"^method\.num_layers: expected the layer, bert-score knows none for "),
        (
            BertScore(folder, num_layers=9),
            r"^method\.model: expected one that can be loaded, .* between 0",
        ),
        (BertScore(str(tmp_path), num_layers=1), r"^method\.model: expected one that can be loaded, got "),
        (BertScore(folder, num_layers=1, rescale=True), r"^method\.model: .* Baseline not Found"),
    ):
        with pytest.raises(ConfigError, match=message):
            method.check([instance])


def test_without_the_package_it_says_what_to_install() -> None:
    if find_spec("bert_score") is not None:
        pytest.skip("the extra [bertscore] is there")
    with pytest.raises(
        ConfigError, match=r"expected the package bert-score, got none; pip install 'venire\[bert"
    ):
        BertScore().check([Instance("set/1", "p", (Response("a"),), reference="b")])


def test_data_without_references_are_refused() -> None:
    with pytest.raises(DataError, match=r"^set/1: expected a reference, which method=bertscore holds"):
        BertScore().check([Instance("set/1", "p", (Response("a"),))])


def test_a_layer_is_counted_from_one() -> None:
    with pytest.raises(ConfigError, match=r"^num_layers: expected at least 1, or null, got 0$"):
        BertScore(num_layers=0)
