"""One file a subcommand; each is imported when it is asked for."""
