"""Ways of asking that are meant to keep a judge from being swayed, each a stage that can be left out."""
