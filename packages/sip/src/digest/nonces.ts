import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a nonce can be used. */
const LIFETIME_MS = 60_000;
const TIME_BYTES = 6;
/** Time and random bytes. */
const HEAD_BYTES = 12;
const SEAL_BYTES = 12;
/** Maximum number of used nonces that are remembered. Beyond it, the oldest can no longer be used. */
const MAX_USED = 10_000;

/** Nonces of this process. They carry their time and a seal, so that unanswered challenges need no memory. */
export class Nonces {
  readonly #key = randomBytes(32);
  /** The highest count of each used nonce, in order of first use. */
  readonly #used = new Map<string, number>();
  /** Time of the newest nonce that was forgotten: none that old can be used. */
  #forgottenMs = -1;

  /** A nonce for a source. */
  issue(source: string, nowMs: number): string {
    const head = randomBytes(HEAD_BYTES);
    head.writeUIntBE(Math.floor(nowMs), 0, TIME_BYTES);
    return Buffer.concat([head, this.#seal(head, source)]).toString('base64url');
  }

  /**
   * Whether a nonce may be used now with this count; it must grow with each use. Null: without counts, a nonce can be used
   * once. Records the use.
   */
  use(nonce: string, count: string | null, source: string, nowMs: number): boolean {
    const issuedMs = this.#issuedMs(nonce, source);
    if (issuedMs === null || issuedMs > nowMs || nowMs - issuedMs >= LIFETIME_MS) return false;
    const use = count === null ? Number.MAX_SAFE_INTEGER : Number.parseInt(count, 16);
    const last = this.#used.get(nonce);
    if (last === undefined && issuedMs <= this.#forgottenMs) return false;
    if (use <= (last ?? 0)) return false;
    this.#used.set(nonce, use);
    this.#forget(nowMs);
    return true;
  }

  #issuedMs(nonce: string, source: string): number | null {
    const bytes = Buffer.from(nonce, 'base64url');
    if (bytes.length !== HEAD_BYTES + SEAL_BYTES || bytes.toString('base64url') !== nonce) return null;
    const head = bytes.subarray(0, HEAD_BYTES);
    if (!timingSafeEqual(bytes.subarray(HEAD_BYTES), this.#seal(head, source))) return null;
    return head.readUIntBE(0, TIME_BYTES);
  }

  #seal(head: Buffer, source: string): Buffer {
    return createHmac('sha256', this.#key).update(head).update(source).digest().subarray(0, SEAL_BYTES);
  }

  #forget(nowMs: number): void {
    for (const nonce of this.#used.keys()) {
      const issuedMs = Buffer.from(nonce, 'base64url').readUIntBE(0, TIME_BYTES);
      if (this.#used.size <= MAX_USED && nowMs - issuedMs < LIFETIME_MS) return;
      this.#used.delete(nonce);
      if (nowMs - issuedMs < LIFETIME_MS) this.#forgottenMs = Math.max(this.#forgottenMs, issuedMs);
    }
  }
}
