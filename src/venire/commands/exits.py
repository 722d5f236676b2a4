"""The exit statuses of every command."""

OK = 0
FAILED = 1
USAGE = 2  # the command line or a setting cannot be right; nothing was called
INCOMPLETE = 3  # stopped early, and can be resumed
INTERRUPTED = 130
