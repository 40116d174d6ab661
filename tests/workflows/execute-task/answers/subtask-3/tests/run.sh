#!/bin/sh
# Runs every check of the scripts.
set -eu
sh src/show.sh | grep -q Dune
test "$(sh src/count.sh)" = 3
sh src/by_year.sh | head -n 1 | grep -q Frankenstein
echo '3 tests, 0 failures'
