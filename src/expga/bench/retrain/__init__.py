"""Repairs of the paper's models, measured side by side."""
