"""Criteria and their rubrics: files of `conf/criteria` and `conf/rubric`, and how rubrics are generated."""

from venire.rubrics.files import criteria_set, rubric_set

__all__ = ["criteria_set", "rubric_set"]
