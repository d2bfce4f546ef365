import { silentLogger, systemClock } from '@calls/foundation';
import { createPocketsphinx, createSileroEngine } from '@calls/providers';
import type { Engines } from './play-scene.ts';

/** Silero VAD and pocketsphinx, which every installation has. */
export async function openEngines(): Promise<Engines & AsyncDisposable> {
  const common = { clock: systemClock, log: silentLogger };
  const voiceActivity = await createSileroEngine(common);
  // However busy the machine is: virtual time waits for it.
  const speechToText = createPocketsphinx({ ...common, timeoutMs: 60_000, maxWaiting: 1000 });
  return {
    voiceActivity,
    speechToText,
    [Symbol.asyncDispose]: async () => {
      await speechToText[Symbol.asyncDispose]();
      await voiceActivity[Symbol.asyncDispose]();
    },
  };
}
