"""Simulated judges: a statistical model of how judges err, for dry runs, power analysis and tests.

A model, not an answer key, and never evidence about a real judge: see docs/simulation.md.
"""

from venire.llm.simulated.backend import SimulatedBackend
from venire.llm.simulated.simulation import (
    BlindSpots,
    Confidence,
    ReplyStyle,
    Simulation,
    simulation_endpoint,
)

__all__ = [
    "BlindSpots",
    "Confidence",
    "ReplyStyle",
    "SimulatedBackend",
    "Simulation",
    "simulation_endpoint",
]
