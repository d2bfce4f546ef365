import type { Clock, Timer } from '@calls/foundation/clock';

/** Keys that follow each other faster belong to one message. */
export const KEY_PAUSE_MS = 1500;
/** A message with as many is complete. */
export const MAX_KEYS = 100;

const KEY = /^[0-9A-D*#]$/u;
const PLACE = '{digits}';

export interface DtmfInputOptions {
  /** What a message says; PLACE in it stands for the keys. */
  text: string;
  clock: Clock;
  /** A message is complete. */
  onText: (text: string) => void;
}

/** Keys pressed on a phone, as messages. */
export class DtmfInput {
  readonly #options: DtmfInputOptions;
  #keys = '';
  #timer: Timer | null = null;

  constructor(options: DtmfInputOptions) {
    this.#options = options;
  }

  /** False for what is no key. */
  press(digit: string): boolean {
    const key = digit.toUpperCase();
    if (!KEY.test(key)) return false;
    this.#timer?.cancel();
    this.#keys += key;
    if (this.#keys.length === MAX_KEYS) this.#complete();
    else this.#timer = this.#options.clock.setTimer(KEY_PAUSE_MS, () => this.#complete());
    return true;
  }

  /** The message that is not complete yet; null where there is none. Takes no keys from then on. */
  close(): string | null {
    this.#timer?.cancel();
    return this.#keys === '' ? null : this.#take();
  }

  #complete(): void {
    this.#options.onText(this.#take());
  }

  #take(): string {
    const text = this.#options.text.replaceAll(PLACE, this.#keys);
    this.#keys = '';
    return text;
  }
}
