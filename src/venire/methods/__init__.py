"""Methods: procedures that turn instances into judgments, one file or folder each."""
