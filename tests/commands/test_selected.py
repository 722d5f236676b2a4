"""What the file of `venire select` means to the jobs of a table."""

from pathlib import Path

from tests.commands.composed import jobs

CHOSEN = """\
# @package _global_
method:
  focal:
    threshold: 0.2
  reduction: strict
selected:
  strongest:
    mixed: qwen2_5_72b
"""


def test_one_file_serves_the_baselines_and_other_panels(own_home: Path) -> None:
    path = own_home / "config" / "selected" / "mine.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(CHOSEN, encoding="utf-8")
    axes = ("dataset=sample", "seed=0", "method=majority,juryflow", "panel=mixed,multi_persona")
    keys = ("method", "method.focal.threshold", "method.reduction", "panel.strongest", "warnings")
    unmeasured = (
        "selected=mine: no run measured the judges of panel=multi_persona: its strongest is "
        "gpt_4o_fact_checker, as its own file says (venire select --judges RUN measures)"
    )
    # What the method has is taken; who is strongest is measured for a panel, or named in its file.
    assert jobs(["experiment=juryflow/table2", "selected=mine", *axes], *keys) == [
        ("majority", None, "strict", "qwen2_5_72b", ()),
        ("majority", None, "strict", "gpt_4o_fact_checker", (unmeasured,)),
        ("juryflow", "0.2", "strict", "qwen2_5_72b", ()),
        ("juryflow", "0.2", "strict", "gpt_4o_fact_checker", (unmeasured,)),
    ]
