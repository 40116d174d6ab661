#!/bin/sh
# One label for each item.
while read -r item cents; do echo "$item: $cents"; done < prices.txt
