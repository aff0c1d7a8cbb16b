"""Rules of tables on which chips stay whole and carry over: who posts, odd chips, sit-and-gos."""
