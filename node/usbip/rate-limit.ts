// How often a peer may ask: a bucket of tokens for each, which fills with time. Pure: time comes in as an argument.

interface Bucket {
  tokens: number;
  /** Milliseconds, same clock as `now`. */
  at: number;
}

export class RateLimit {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  /** `burst` requests at once, `perSecond` of them in the long run. */
  constructor(burst: number, perSecond: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
  }

  /** Takes a token of this peer; false when it has none. `now` is in milliseconds and never runs back. */
  allow(peer: string, now: number): boolean {
    this.#forgetFull(now);
    const tokens = this.#tokens(this.#buckets.get(peer), now);
    const granted = tokens >= 1;
    this.#buckets.set(peer, { tokens: granted ? tokens - 1 : tokens, at: now });
    return granted;
  }

  get size(): number {
    return this.#buckets.size;
  }

  #tokens(bucket: Bucket | undefined, now: number): number {
    if (!bucket) return this.#burst;
    return Math.min(this.#burst, bucket.tokens + ((now - bucket.at) / 1000) * this.#perSecond);
  }

  /** A full bucket is as good as none: addresses that come once don't fill the memory. */
  #forgetFull(now: number): void {
    for (const [peer, bucket] of this.#buckets) {
      if (this.#tokens(bucket, now) >= this.#burst) this.#buckets.delete(peer);
    }
  }
}
