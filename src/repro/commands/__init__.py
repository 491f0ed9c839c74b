"""The commands of `repro`, one a module: `add_parser(subparsers)` declares it and names the function that runs it."""
