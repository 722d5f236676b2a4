"""MAJ-EVAL: stakeholder groups of persona agents rate, debate and rate again. One file a phase."""
