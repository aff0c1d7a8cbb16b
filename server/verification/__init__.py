"""Is a log true?  `log_checker` works out again whatever follows from something else in it."""
