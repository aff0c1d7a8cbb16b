"""Experiments of the papers, one folder each: settings, tasks, numbers, report, command."""
