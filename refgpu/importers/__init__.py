"""Makers of refgpu captures from what other programs recorded."""
