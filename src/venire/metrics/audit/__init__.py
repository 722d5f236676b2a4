"""Findings of bias audits: from readings to effects with intervals."""

from venire.metrics.audit.findings import audit_findings, audit_metrics
from venire.metrics.audit.verdict_findings import verdict_findings

__all__ = ["audit_findings", "audit_metrics", "verdict_findings"]
