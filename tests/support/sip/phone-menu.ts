import { concatSamples } from '@calls/audio/pcm';
import { silence } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';
import { eventually } from '../eventually.ts';
import type { SoftPhone } from './soft-phone.ts';

export interface MenuLevel {
  /** What it reads, with a pause after each part. */
  parts: readonly string[];
  /** The key that leads on; null: the last level. */
  key: string | null;
}

/** Pauses of menus between their options: longer than those of people. */
const PAUSE_MS = 1200;
/** How long it waits for a key before it repeats the prompt. */
const KEY_LIMIT_MS = 15_000;
const MAX_REPEATS = 3;

/** A phone menu behind a SIP phone. It reads a prompt and takes a key only after its end. */
export class PhoneMenuOperator {
  /** Keys that came during a prompt, or that no level has. */
  ignored = '';
  accepted = '';
  readonly #phone: SoftPhone;

  constructor(phone: SoftPhone) {
    this.#phone = phone;
  }

  /** Reads the prompt until its key is pressed. */
  async run({ parts, key }: MenuLevel): Promise<void> {
    const sampleRateHz = this.#phone.rateHz;
    const spoken = await Promise.all(
      parts.map((text) => speak({ engine: 'flite', voice: 'slt', text, sampleRateHz })),
    );
    const prompt = concatSamples(spoken.flatMap((part) => [part, silence(PAUSE_MS, sampleRateHz)]));
    const durationMs = (prompt.length * 1000) / sampleRateHz - PAUSE_MS;
    for (let repeats = 0; repeats <= MAX_REPEATS; repeats += 1) {
      const before = this.#phone.pressedKeys.length;
      const endsAtMs = performance.now() + durationMs;
      await this.#phone.speak(prompt);
      await eventually(() => {
        if (performance.now() < endsAtMs) throw new Error('the prompt is being read');
      });
      const during = this.#phone.pressedKeys.length;
      this.ignored += this.#phone.pressedKeys.slice(before);
      if (key === null) return;
      if (await this.#takes(key, during)) return;
    }
    throw new Error(`key ${key} was not pressed after its prompt; ignored: ${this.ignored}`);
  }

  async #takes(key: string, from: number): Promise<boolean> {
    const pressed = await eventually(() => {
      const keys = this.#phone.pressedKeys.slice(from);
      if (keys === '') throw new Error('no key');
      return keys;
    }, KEY_LIMIT_MS).catch(() => '');
    if (pressed.startsWith(key)) {
      this.accepted += key;
      return true;
    }
    this.ignored += pressed;
    return false;
  }
}
