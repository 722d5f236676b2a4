"""What personas and rubrics that a model writes stand on: the calls, the file, its text for a terminal."""
