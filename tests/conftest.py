"""Fixtures shared by all tests; helpers live in modules of their own, to be imported by name."""

import gc
import signal

from hypothesis import HealthCheck, settings

# Two cores are shared with other work: a slow example is not a failure, and every run tries the same ones.
# At night (`--hypothesis-profile nightly`) there are more of them, each time others.
settings.register_profile(
    "nightly", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=500
)
settings.register_profile("riverboat", settings.get_profile("nightly"), derandomize=True, max_examples=50)
settings.load_profile("riverboat")

# A shell that runs the tests in the background has Ctrl-C ignored, and so would have all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What modules make stays to the end: collections look only at what tests make, and seldom.
gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()  # the classes that attrs has replaced
    gc.freeze()
    gc.set_threshold(100_000)
    gc.enable()
