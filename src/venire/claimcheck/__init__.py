"""Stated figures held against each other by arithmetic: which cannot all be right, and when they can."""

from venire.claimcheck.checking import ClaimFile, check_claims
from venire.claimcheck.findings import Finding, Level
from venire.claimcheck.reading import bundled_claims, read_claims

__all__ = ["ClaimFile", "Finding", "Level", "bundled_claims", "check_claims", "read_claims"]
