import os

from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, derandomize=True, max_examples=50,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", deadline=None, max_examples=2000,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
