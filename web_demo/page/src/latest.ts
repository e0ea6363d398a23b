/** Does one thing at a time, and of those that come meanwhile only the latest. */
export class Latest<T> {
  private next: { readonly value: T } | null = null;
  private isBusy = false;

  constructor(private readonly work: (value: T) => Promise<void>) {}

  /** Does the work with this value, once the one under way is done. */
  async give(value: T): Promise<void> {
    this.next = { value };
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.next !== null) {
      const { value } = this.next;
      this.next = null;
      await this.work(value);
    }
    this.isBusy = false;
  }
}
