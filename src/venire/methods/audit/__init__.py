"""`method=audit`: a judge, probed for biases, without and with what is meant to lessen them."""

from venire.methods.audit.method import Audit
from venire.methods.audit.settings import Drift, Mitigations, Probes, Swap, Target

__all__ = ["Audit", "Drift", "Mitigations", "Probes", "Swap", "Target"]
