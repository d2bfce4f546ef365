import { concatSamples } from '@calls/audio/pcm';
import { silence } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';
import { eventually } from '../eventually.ts';
import type { SoftPhone } from './soft-phone.ts';

export interface MenuLevel {
  /** Parts of the prompt, each followed by a pause. */
  parts: readonly string[];
  /** Key that leads to the next level; null for the last level. */
  key: string | null;
}

/** Pause between options. Menus pause longer than people. */
const PAUSE_MS = 1200;
/** Time without a key after which the prompt is repeated. */
const KEY_LIMIT_MS = 15_000;
const MAX_REPEATS = 3;

/** A phone menu behind a SIP phone. It accepts a key only after the prompt has ended. */
export class PhoneMenuOperator {
  /** Keys that were pressed during a prompt or that are not valid at the level. */
  ignored = '';
  accepted = '';
  readonly #phone: SoftPhone;

  constructor(phone: SoftPhone) {
    this.#phone = phone;
  }

  /** Plays the prompt until its key is pressed. */
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
