"""``python -m clients NAME HOST PORT`` is ``riverboat bot NAME HOST PORT``."""

from engine.at_once import end_at_once

if __name__ == "__main__":
    end_at_once()  # while the rest is loaded
    from clients.commands.bot import bot

    bot(prog_name="python -m clients")
