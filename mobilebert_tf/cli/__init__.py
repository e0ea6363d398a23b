"""The `mobilebert` command: one file a subcommand; each parses, calls one function, prints."""
