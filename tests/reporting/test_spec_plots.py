"""Which figures a spec's runs are drawn as; how each looks is tested with its kind."""

from pathlib import Path

import numpy as np
from tests.reporting.test_rated_runs import rows

from venire.metrics.headline import Headline
from venire.reporting.pairing import Run
from venire.reporting.spec_plots import draw
from venire.reporting.specs import Row, Spec

SPEC = Spec(
    "ratings",
    "Ratings",
    (),
    "",
    rows=tuple(
        Row(f"{judge}, {ablation}", {"judge": judge, "ablation": ablation}, block=judge)
        for judge in ("one", "two")
        for ablation in ("none", "mute")
    ),
    baseline={"ablation": "none"},
    columns=(Headline("spearman/pio", "pio"),),
    plots=("forest",),
)


def test_the_forest_of_ratings_shows_each_row_less_the_baseline_of_its_own_block(
    make_record, tmp_path: Path
) -> None:
    # Judge one rates at random where mute, judge two as badly as ever
    rng = np.random.default_rng(0)
    human = rng.integers(0, 7, 60).astype(float)
    said = {
        ("one", "none"): human,
        ("one", "mute"): rng.permutation(human),
        ("two", "none"): rng.permutation(human),
    }
    said["two", "mute"] = said["two", "none"]
    runs = [
        Run(
            make_record(
                f"{judge} {ablation}",
                arm=f"{judge}-{ablation}",
                params={"judge": judge, "ablation": ablation},
                tags={"dimensions": "pio"},
                metrics={"n/pio": 60.0},
            ),
            rows({"pio": tuple(column)}, {"pio": tuple(human)}),
        )
        for (judge, ablation), column in said.items()
    ]
    paths = draw(SPEC, runs, tmp_path / "table", home=tmp_path)
    assert [path.name for path in paths] == [f"table_forest.{form}" for form in ("svg", "pdf", "png")]
    drawn = paths[0].read_text(encoding="utf-8")
    for told in ("one, mute", "two, mute", "mean rho less that of: its block's row with ablation=none"):
        assert told in drawn
    # A base for both blocks would make three differences
    assert "(tests: 2)" in " ".join(drawn.split())
    assert "one, none" not in drawn
