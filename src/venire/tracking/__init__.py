"""MLflow: uploading run folders, one parent run a sweep, and the UI on the right store."""
