"""Labelled items as a data set of their own: what people said is its gold.

With it a run can be measured, and a calibration or a cascade be fitted (`development=apart`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.errors import DataError
from venire.records import Instance, PreferenceGold, RatingsGold
from venire.review.labels import Label, consensus


@dataclass(frozen=True, slots=True)
class LabelledData:
    """A data set file, and the settings of `dataset=table` that read it.

    Args:
        text: JSON lines; of rated items a row an annotator.
        settings: what the option file says beside where the text lies.
        items: how many there are.
        undecided: items on which people draw; they are left out.
    """

    text: str
    settings: Mapping[str, object]
    items: int
    undecided: int


def labelled_data(
    instances: Sequence[Instance], labels: Mapping[str, Sequence[Label]], *, name: str
) -> LabelledData:
    """The labelled ones of `instances`, in their order.

    Raises:
        DataError: none has a verdict of people.
    """
    labelled = [(each, consensus(labels[each.id])) for each in instances if labels.get(each.id)]
    pairs = [_pair(each, gold) for each, gold in labelled if isinstance(gold, PreferenceGold)]
    rated = [row for each, gold in labelled if isinstance(gold, RatingsGold) for row in _rated(each, gold)]
    if not pairs and not rated:
        raise DataError("labels: expected at least one item with a verdict of people, got none")
    items = sum(gold is not None for _, gold in labelled)
    settings = _of_pairs() if pairs else _of_ratings(labelled[0][0])
    return LabelledData(
        text="".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in pairs or rated),
        settings={"name": name, **settings},
        items=items,
        undecided=len(labelled) - items,
    )


def _item(instance: Instance) -> dict[str, object]:
    return {
        "id": instance.id,
        "prompt": instance.prompt,
        "context": instance.context,
        "reference": instance.reference,
        "subset": instance.subset,
        "cluster": instance.cluster,
    }


def _pair(instance: Instance, gold: PreferenceGold) -> dict[str, object]:
    first, second = instance.responses
    return {
        **_item(instance),
        "response_1": first.text,
        "response_2": second.text,
        "generator_1": first.generator,
        "generator_2": second.generator,
        "label": gold.winner.value,
    }


def _rated(instance: Instance, gold: RatingsGold) -> list[dict[str, object]]:
    response = instance.responses[0]
    own = {**_item(instance), "response": response.text, "generator": response.generator}
    asked = [each.name for each in instance.dimensions if each.asked]
    return [
        {**own, "annotator": annotator, **{name: ratings.get(name) for name in asked}}
        for annotator, ratings in gold.by_annotator.items()
    ]


_COLUMNS = {name: name for name in ("id", "prompt", "context", "reference", "subset", "cluster")}


def _of_pairs() -> dict[str, object]:
    sides = ("response_1", "response_2", "generator_1", "generator_2", "label")
    return {"columns": {**_COLUMNS, **{name: name for name in sides}}}


def _of_ratings(instance: Instance) -> dict[str, object]:
    asked = [each for each in instance.dimensions if each.asked]
    sides: dict[str, object] = dict.fromkeys(("response_1", "response_2", "label"))
    own = {name: name for name in ("response", "generator", "annotator")}
    return {
        "columns": {**_COLUMNS, **own, **sides, "ratings": {each.name: each.name for each in asked}},
        "scales": {each.name: [each.low, each.high, each.step or 0] for each in asked},
        "descriptions": {each.name: each.description for each in asked},
    }
