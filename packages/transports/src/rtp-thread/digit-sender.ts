import { telephoneEventPackets } from '../rtp/telephone-event.ts';
import { FRAME_MS } from '../rtp/voice-codecs.ts';

const KEY_MS = 100;
const PAUSE_MS = 80;
/** Digits beyond this number are dropped. */
const MAX_DIGITS = 100;

export interface DigitPacket {
  payload: Uint8Array;
  payloadType: number;
  marker: boolean;
  /** Tick in which the key was pressed. */
  startTick: number;
}

interface Pressed {
  digit: string;
  payloadType: number;
  clockRateHz: number;
}

/** Sends DTMF digits as telephone events (RFC 4733), a packet per tick in place of audio. */
export class DigitSender {
  readonly #waiting: Pressed[] = [];
  #packets: DigitPacket[] = [];
  #pauseTicks = 0;

  /** Digits are 0 to 9, *, #, and A to D. */
  press(digits: string, payloadType: number, clockRateHz: number): void {
    for (const digit of digits) {
      if (this.#waiting.length < MAX_DIGITS) this.#waiting.push({ digit, payloadType, clockRateHz });
    }
  }

  /** Drops the digits that have not started. */
  clear(): void {
    this.#waiting.length = 0;
  }

  /** The packet of this tick; `pause` for none between two digits, null if no digit is pressed. */
  next(tick: number): DigitPacket | 'pause' | null {
    const packet = this.#packets.shift();
    if (packet) {
      if (this.#packets.length === 0) this.#pauseTicks = PAUSE_MS / FRAME_MS;
      return packet;
    }
    if (this.#pauseTicks > 0) {
      this.#pauseTicks -= 1;
      return 'pause';
    }
    const pressed = this.#waiting.shift();
    if (!pressed) return null;
    const { digit, payloadType, clockRateHz } = pressed;
    const event = { digit, durationMs: KEY_MS, intervalMs: FRAME_MS, clockRateHz };
    this.#packets = telephoneEventPackets(event).map(({ payload, marker }) => ({
      payload,
      payloadType,
      marker,
      startTick: tick,
    }));
    return this.next(tick);
  }
}
