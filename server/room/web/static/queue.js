// Shows what is told one thing after another, each for as long as it takes to see it.  Who plays sees
// everything; for who watches a table that is faster than that, whole hands are left out.

const ACTION_MS = 340; // the table's own pace is a little slower, so that nothing piles up
const END_MS = 2100;

export class Queue {
  // `hand` tells the number of a message's hand; `show` shows it, and returns how many ms that takes.
  constructor(setup, hand, show) {
    this.hand = hand;
    this.show = show;
    this.holds = {action: Math.min(ACTION_MS, 850 * setup.pace), end: Math.min(END_MS, 850 * setup.showdown)};
    this.watches = false;
    this.waiting = [];
    this.shown = null;
    this.until = 0;
    this.timer = 0;
    this.heardAt = -Infinity;
    document.addEventListener("visibilitychange", () => this.run());
  }

  push(message) {
    this.heardAt = performance.now();
    const hand = this.hand(message);
    if (this.watches) {
      const on = this.shown === null ? hand : this.hand(this.shown);
      this.waiting = this.waiting.filter((each) => [on, hand].includes(this.hand(each)));
    }
    this.waiting.push(message);
    this.run();
  }

  clear() {
    this.waiting = [];
    this.until = 0;
  }

  run() {
    clearTimeout(this.timer);
    while (this.waiting.length) {
      const left = document.hidden ? 0 : this.until - performance.now();
      if (left > 0) {
        this.timer = setTimeout(() => this.run(), left);
        return;
      }
      const message = this.waiting.shift();
      this.shown = message;
      const takes = this.show(message) || 0;
      this.until = performance.now() + takes + this.hold(message);
    }
  }

  hold(message) {
    if (this.watches) return message.over ? END_MS : ACTION_MS;
    return message.over ? this.holds.end : this.holds.action;
  }
}
