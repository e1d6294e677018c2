"""Measurements that settle who is ahead."""
