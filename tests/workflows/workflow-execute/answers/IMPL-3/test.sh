#!/bin/sh
# Checks total and labels.
set -eu
test "$(sh src/total.sh)" = 270
test "$(sh src/label.sh | wc -l)" -eq 3
