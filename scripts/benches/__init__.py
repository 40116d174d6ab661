"""One file for each tool or question that scripts/bench measures; each has `rows(bench)`."""
