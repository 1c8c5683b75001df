"""The run that `make run` shows: sample jobs through a real server, intake and worker."""
