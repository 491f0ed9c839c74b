#!/bin/sh
# Run the workflow; the arguments go to Snakemake. The caller holds this folder's lock, so a lock that Snakemake left behind is that of a killed run.
PATH=$PWD/.venv/bin:$PATH
if [ -n "$(find .snakemake/locks -name '*.lock' 2>/dev/null)" ]; then
    echo "continuing a run that was killed"
    snakemake --unlock >/dev/null 2>&1
fi
exec snakemake --cores all "$@"
