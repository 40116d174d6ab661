#!/bin/sh
# Lists the books by year, the oldest first.
sort -n books.txt
