"""JuryFlow's one choice on a page: which disagreement should be resolved first.

The run itself serves it while it judges (`selector@method.focal.selector=page`). `selector.py` is what the
method asks; `desk.py` what is asked, answered and came of it; `views.py` and `drawing.py` what a page shows
of it; `handlers.py` the pages.
"""
