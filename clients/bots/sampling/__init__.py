"""The sampling bot: Loki's betting strategy by selective sampling."""
