import type { Clock, Timer } from '@calls/foundation/clock';

/** Maximum pause between the keys of one message. */
export const KEY_PAUSE_MS = 1500;
/** Maximum number of keys per message. */
export const MAX_KEYS = 100;

const KEY = /^[0-9A-D*#]$/u;
const PLACEHOLDER = '{digits}';

export interface DtmfInputOptions {
  /** Template of the message; `{digits}` is replaced by the keys. */
  text: string;
  clock: Clock;
  /** Called with each complete message. */
  onText: (text: string) => void;
}

/** Collects DTMF keys into messages. */
export class DtmfInput {
  readonly #options: DtmfInputOptions;
  #keys = '';
  #timer: Timer | null = null;

  constructor(options: DtmfInputOptions) {
    this.#options = options;
  }

  /** False if `digit` is not a DTMF key. */
  press(digit: string): boolean {
    const key = digit.toUpperCase();
    if (!KEY.test(key)) return false;
    this.#timer?.cancel();
    this.#keys += key;
    if (this.#keys.length === MAX_KEYS) this.#complete();
    else this.#timer = this.#options.clock.setTimer(KEY_PAUSE_MS, () => this.#complete());
    return true;
  }

  /** Returns the incomplete message, or null if there is none. Ignores later keys. */
  close(): string | null {
    this.#timer?.cancel();
    return this.#keys === '' ? null : this.#take();
  }

  #complete(): void {
    this.#options.onText(this.#take());
  }

  #take(): string {
    const text = this.#options.text.replaceAll(PLACEHOLDER, this.#keys);
    this.#keys = '';
    return text;
  }
}
