"""Which of several files to ship, and with how many threads to run it."""
