"""The worker: scoring, the queue it is fed by, and the command line."""
