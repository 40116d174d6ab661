#!/bin/sh
# Shows the shelf as it is.
cat books.txt
