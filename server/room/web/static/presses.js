// Which press answers which question: a press that began before a question was there, or so soon after it that
// the finger was on its way already, answers nothing.  A second f folds this hand, not the next.

export const TOO_SOON_MS = 400;

export class Presses {
  question = 0; // its number; 0 for none
  #last = 0;
  #asked = 0; // when, in ms
  #began = {question: 0, at: -Infinity};

  ask(now) {
    this.question = ++this.#last;
    this.#asked = now;
  }

  end() {
    this.question = 0;
  }

  // A finger goes down: on a key, a button, a pen.
  begin(now) {
    this.#began = {question: this.question, at: now};
  }

  answers() {
    const {question, at} = this.#began;
    return question !== 0 && question === this.question && at - this.#asked >= TOO_SOON_MS;
  }
}
