"""`method=single`."""

from tests.methods.panels import JUDGES, PANEL, panel_says, run

from venire.methods.majority import Majority
from venire.methods.single import Single
from venire.records import Order, Preference, Winner


def test_only_the_strongest_judge_of_the_panel_is_asked() -> None:
    method = Single(PANEL)
    outcome, llm = run(method, panel_says({Order.AS_GIVEN: "BBABB", Order.SWAPPED: "AABAA"}))
    assert method.judges == (JUDGES[2],)
    assert {request.role for request in llm.requests} == {"j2"}
    assert outcome.prediction == Preference(Winner.FIRST, 0.8)


def test_its_requests_are_those_of_the_same_judge_on_the_panel() -> None:
    said = panel_says({Order.AS_GIVEN: "AAAAA", Order.SWAPPED: "BBBBB"})
    _, alone = run(Single(PANEL), said)
    _, panel = run(Majority(PANEL), said)
    assert alone.requests == [request for request in panel.requests if request.role == "j2"]
