"""The built-in scenes of ``refgpu demo``, written the way a driver writes them: guest memory, V#s, PM4."""
