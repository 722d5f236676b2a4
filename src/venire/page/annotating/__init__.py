"""Items to people, one at a time, and their labels to a file: what review and blind annotation share."""
