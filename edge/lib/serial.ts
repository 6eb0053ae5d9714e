// One after the other: for work of an object that waits for others in the middle and must not be met half-done.

export class Serial {
  #last: Promise<unknown> = Promise.resolve()

  run<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(work)
    // What failed is its caller's business; the next one begins all the same.
    this.#last = done.catch(() => {})
    return done
  }
}
