/** A lock for work that is done by one at a time, in the order in which they ask. */
export class Lock {
  private isTaken = false;
  private readonly waiting: (() => void)[] = [];

  /** Waits until nobody has the lock, and takes it. */
  async take(): Promise<void> {
    if (this.isTaken) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.isTaken = true;
  }

  /** Gives the lock to the one who waits longest. */
  free(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.isTaken = false;
    else next();
  }
}
