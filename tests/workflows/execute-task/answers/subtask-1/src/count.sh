#!/bin/sh
# Counts the books.
grep -c . books.txt
