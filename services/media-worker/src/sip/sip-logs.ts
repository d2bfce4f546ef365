import type { Clock } from '@calls/foundation/clock';
import type { SipLogEntry } from '@calls/sip/endpoint-options';

/** Of one call; what comes later is counted alone. */
export const MAX_LOG_BYTES = 256 * 1024;
/** Logs of invitations that are no calls yet, nor may ever be; beyond it the oldest goes. */
const MAX_UNCLAIMED = 256;

interface Log {
  parts: string[];
  bytes: number;
  left: number;
}

/** The messages of the calls of a worker by their Call-ID, from the INVITE on. */
export class SipLogs {
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #unclaimed = new Map<string, Log>();
  readonly #claimed = new Map<string, Log>();

  constructor(clock: Pick<Clock, 'wallMs'>) {
    this.#clock = clock;
  }

  /** How many there are. */
  get size(): number {
    return this.#unclaimed.size + this.#claimed.size;
  }

  /** Takes a message: the endpoint's `onMessage`. */
  note({ direction, callId, peer, text }: SipLogEntry): void {
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
  }

  /** Marks the log as belonging to a call: it is retained until it is taken. */
  claim(callId: string): void {
    if (this.#claimed.has(callId)) return;
    this.#claimed.set(callId, this.#unclaimed.get(callId) ?? emptyLog());
    this.#unclaimed.delete(callId);
  }

  /** The log as text, which is forgotten here; null where there was none. */
  take(callId: string): string | null {
    const log = this.#claimed.get(callId) ?? this.#unclaimed.get(callId);
    this.#claimed.delete(callId);
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
  return { parts: [], bytes: 0, left: 0 };
}
