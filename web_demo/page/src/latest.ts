/**
 * Does one thing at a time, and of those that come meanwhile only the latest. What is under way is
 * told by its signal that it is not wanted any more.
 */
export class Latest<T> {
  private next: { readonly value: T } | null = null;
  private running: AbortController | null = null;

  constructor(private readonly work: (value: T, signal: AbortSignal) => Promise<void>) {}

  /** Does the work with this value, once the one under way has ended. */
  async give(value: T): Promise<void> {
    this.next = { value };
    if (this.running !== null) {
      this.running.abort();
      return;
    }
    while (this.next !== null) {
      const { value } = this.next;
      this.next = null;
      this.running = new AbortController();
      await this.work(value, this.running.signal);
    }
    this.running = null;
  }

  /** Ends the work under way, and drops what waits. */
  stop(): void {
    this.next = null;
    this.running?.abort();
  }
}
