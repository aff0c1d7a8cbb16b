"""Between a house and the processes in which it has matches played without sockets."""
