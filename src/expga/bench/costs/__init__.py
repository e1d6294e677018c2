"""What the library itself costs, in time and in memory."""
