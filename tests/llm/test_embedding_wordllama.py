"""The offline default: real static weights, deterministic, loaded when the first text comes."""

import asyncio
import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from venire.errors import ConfigError
from venire.llm.embedding import OFFLINE, EmbeddingClient, EmbeddingModel, unit_rows
from venire.llm.embedding_wordllama import WordLlamaBackend


def vectors(*texts: str) -> np.ndarray:
    return unit_rows(asyncio.run(WordLlamaBackend(OFFLINE).embed(list(texts))).vectors)


def test_related_texts_are_nearer_than_unrelated_ones() -> None:
    rows = vectors(
        "The Eiffel Tower stands in Paris.",
        "Paris is where the Eiffel Tower can be found.",
        "Water boils at 100 degrees Celsius at sea level.",
    )
    cosines = rows @ rows.T
    assert rows.shape == (3, 256)
    assert cosines[0, 1] > 0.7 > 0.4 > max(cosines[0, 2], cosines[1, 2])


def test_a_vector_does_not_depend_on_its_neighbours() -> None:
    text = "The claim that stands alone."
    alone, beside = vectors(text)[0], vectors("x " * 400, text, "y")[1]
    assert (alone == beside).all()


def test_texts_in_any_script_and_with_broken_characters_have_vectors() -> None:
    rows = vectors("東京は日本の首都です。", "🙂", "lone \ud800 surrogate", "nul \0 here", " ")
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0] * 5)


def test_no_text_has_no_direction() -> None:
    assert not vectors("").any()
    assert vectors().shape == (0, 256)


def test_the_endpoint_names_version_and_content_of_the_weights() -> None:
    assert OFFLINE.endpoint().startswith("wordllama:")
    version, _, content = OFFLINE.endpoint().removeprefix("wordllama:").partition("@")
    assert version
    assert len(content) == 12
    assert set(content) <= set("0123456789abcdef")


def test_weights_that_are_not_there_are_named() -> None:
    lacking = EmbeddingModel("w", "wordllama/l9_supercat_64", 64, EmbeddingClient.WORDLLAMA)
    with pytest.raises(ConfigError, match=r"embedding\.model: wordllama/l9_supercat_64 has no file l9_super"):
        lacking.endpoint()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "openai/text-embedding-3-large"}, r"model: expected wordllama/<weights>"),
        ({"dimensions": 0}, r"dimensions: expected at least 1, got 0"),
        ({"max_batch": 0}, r"max_batch: expected at least 1, got 0"),
        ({"max_batch_tokens": -1}, r"max_batch_tokens: expected at least 1, got -1"),
        ({"api_base": ""}, r"api_base: expected http\(s\)://"),
    ],
)
def test_settings_out_of_range_are_refused(changes: dict[str, object], message: str) -> None:
    fields = {
        "name": "w",
        "model": "wordllama/l2_supercat_256",
        "dimensions": 256,
        "client": EmbeddingClient.WORDLLAMA,
    }
    with pytest.raises(ConfigError, match=message):
        EmbeddingModel(**(fields | changes))  # type: ignore[arg-type]


def test_loading_leaves_logging_as_it_was() -> None:
    """The package sets up the root logger at import: every library's INFO lines would be printed."""
    root = logging.getLogger()
    before = list(root.handlers), root.level
    vectors("x")
    assert (list(root.handlers), root.level) == before


def test_nothing_of_it_is_imported_before_the_first_text(tmp_path: Path) -> None:
    line = (
        "import sys; from venire.llm.embedding_wordllama import WordLlamaBackend as B;"
        "from venire.llm.embedding import OFFLINE as O; B(O); O.endpoint();"
        "sys.exit('wordllama' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", line], cwd=tmp_path).returncode == 0
