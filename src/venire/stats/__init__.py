"""Arrays in, numbers out: agreement, intervals, independence of a panel. Knows no record."""
