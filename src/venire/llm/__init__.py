"""Model calls: one Protocol, its backends, and the durable call store under all of them."""
