import type { Clock } from '@calls/foundation/clock';
import type { SipLogEntry } from '@calls/sip/endpoint-options';

/** Maximum log size of one call; later messages are only counted. */
export const MAX_LOG_BYTES = 256 * 1024;
/** Maximum number of logs of INVITEs without a call. Beyond it, the oldest is dropped. */
const MAX_UNCLAIMED = 256;

interface Log {
  parts: string[];
  /** Messages for the follower; null once it is known. */
  unread: SipLogEntry[] | null;
  follower: ((message: SipLogEntry) => void) | null;
  bytes: number;
  left: number;
}

/** The SIP messages of a worker's calls by Call-ID, starting with the INVITE. */
export class SipLogs {
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #unclaimed = new Map<string, Log>();
  readonly #claimed = new Map<string, Log>();

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock;
  }

  /** Number of logs. */
  get size(): number {
    return this.#unclaimed.size + this.#claimed.size;
  }

  /** Adds a message. Used as the endpoint's `onMessage`. */
  note(message: SipLogEntry): void {
    const { direction, callId, peer, text } = message;
    const log = this.#claimed.get(callId) ?? this.#unclaimed.get(callId) ?? this.#begun(callId, text);
    if (!log) return;
    const at = new Date(this.#clock.wallMs()).toISOString();
    const way = direction === 'sent' ? 'to' : 'from';
    const part = `${at} ${direction} ${way} ${peer.transport}:${peer.address}:${peer.port}\n${text.trimEnd()}\n\n`;
    const bytes = Buffer.byteLength(part);
    if (log.left > 0 || log.bytes + bytes > MAX_LOG_BYTES) {
      log.left += 1;
      return;
    }
    log.bytes += bytes;
    log.parts.push(part);
    log.unread?.push(message);
    log.follower?.(message);
  }

  /** Marks the log as belonging to a call: it is retained until it is taken. */
  claim(callId: string): void {
    if (this.#claimed.has(callId)) return;
    this.#claimed.set(callId, this.#unclaimed.get(callId) ?? emptyLog());
    this.#unclaimed.delete(callId);
  }

  /**
   * Passes the messages of a claimed log to `follower`: earlier ones now, later ones as they arrive. Null stops this.
   */
  follow(callId: string, follower: ((message: SipLogEntry) => void) | null): void {
    const log = this.#claimed.get(callId);
    if (!log) return;
    for (const message of log.unread?.splice(0) ?? []) follower?.(message);
    log.unread = null;
    log.follower = follower;
  }

  /** Adds the messages of `callId` to the claimed log of `firstCallId`. */
  join(callId: string, firstCallId: string): void {
    const log = this.#claimed.get(firstCallId);
    if (log) this.#claimed.set(callId, log);
  }

  /** Removes and returns the log as text; null if there is none. */
  take(callId: string): string | null {
    const log = this.#claimed.get(callId) ?? this.#unclaimed.get(callId);
    for (const [each, joined] of this.#claimed) if (joined === log) this.#claimed.delete(each);
    this.#unclaimed.delete(callId);
    if (!log || log.parts.length === 0) return null;
    const rest = log.left === 0 ? '' : `${log.left} more messages were left out: the log is full.\n`;
    return log.parts.join('') + rest;
  }

  #begun(callId: string, text: string): Log | null {
    if (!text.startsWith('INVITE ')) return null;
    const [oldest] = this.#unclaimed.keys();
    if (oldest !== undefined && this.#unclaimed.size >= MAX_UNCLAIMED) this.#unclaimed.delete(oldest);
    const log = emptyLog();
    this.#unclaimed.set(callId, log);
    return log;
  }
}

function emptyLog(): Log {
  return { parts: [], unread: [], follower: null, bytes: 0, left: 0 };
}
