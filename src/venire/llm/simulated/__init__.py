"""Simulated judges: a statistical model of how judges err, for dry runs, power analysis and tests.

A model, not an answer key, and never evidence about a real judge: see docs/simulation.md.
"""

from venire.llm.simulated.backend import SimulatedBackend
from venire.llm.simulated.claim_settings import (
    ClaimBlindSpots,
    Claims,
    Guidance,
    Material,
    Review,
    Splitting,
    Tagging,
    Transfer,
)
from venire.llm.simulated.direct_settings import DirectJudges
from venire.llm.simulated.leans import Leans
from venire.llm.simulated.rating_settings import (
    Attention,
    Exchange,
    PersonaDrafts,
    RatedMaterial,
    RatingBias,
    RatingFaults,
    RatingJudges,
)
from venire.llm.simulated.simulation import (
    BlindSpots,
    Confidence,
    ReplyStyle,
    Simulation,
    simulation_endpoint,
)

__all__ = [
    "Attention",
    "BlindSpots",
    "ClaimBlindSpots",
    "Claims",
    "Confidence",
    "DirectJudges",
    "Exchange",
    "Guidance",
    "Leans",
    "Material",
    "PersonaDrafts",
    "RatedMaterial",
    "RatingBias",
    "RatingFaults",
    "RatingJudges",
    "ReplyStyle",
    "Review",
    "SimulatedBackend",
    "Simulation",
    "Splitting",
    "Tagging",
    "Transfer",
    "simulation_endpoint",
]
