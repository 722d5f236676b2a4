"""Human review: what a run left uncertain goes out, labels come back, and feed metrics and calibration."""
