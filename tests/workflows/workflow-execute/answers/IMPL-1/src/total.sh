#!/bin/sh
# The sum of all prices in cents.
awk '{ sum += $2 } END { print sum }' prices.txt
