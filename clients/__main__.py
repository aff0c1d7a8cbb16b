"""``python -m clients NAME HOST PORT`` is ``riverboat bot NAME HOST PORT``."""

from engine.support.at_once import end_at_once

if __name__ == "__main__":
    end_at_once()  # while the rest is loaded
    from clients.commands.play.bot import bot

    bot(prog_name="python -m clients")
