#!/bin/sh
# Runs every check of the scripts.
set -eu
sh src/show.sh | grep -q Dune
echo '1 test, 0 failures'
