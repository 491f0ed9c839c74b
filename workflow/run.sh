#!/bin/sh
# Run the workflow, one run at a time in this folder; the arguments go to Snakemake. The shell becomes Snakemake, so that
# a signal to make, which goes on to what it started, ends the run.
PATH=$PWD/.venv/bin:$PATH
exec 9<>.run.lock
if ! flock --nonblock 9; then
    read -r holder <&9
    echo "another run, process ${holder:-unknown}, is at work in this folder; wait for it or stop it" >&2
    exit 1
fi
echo $$ >.run.lock
# Under our lock, one that Snakemake left behind is that of a killed run.
if [ -n "$(find .snakemake/locks -name '*.lock' 2>/dev/null)" ]; then
    echo "continuing a run that was killed"
    snakemake --unlock >/dev/null 2>&1
fi
exec snakemake --cores all "$@"
