"""Hypothesis for tests that write files: no deadline, and one folder for all examples of a test."""

from hypothesis import HealthCheck, settings

settings.register_profile("files", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("files")
