"""JuryFlow: panel judging, disagreement graph, focal re-evaluation, propagation, rubric induction."""
