"""Methods near real rows, compared at several numbers of queries."""
