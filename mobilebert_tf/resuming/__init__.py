"""Going on where a run was killed."""
