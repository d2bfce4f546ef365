import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createMoonshine } from '@calls/providers/stt/moonshine/adapter';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import type { Engines } from './play-scene.ts';

/** Silero VAD and Moonshine, which every installation has. */
export async function openEngines(): Promise<Engines & AsyncDisposable> {
  const common = { clock: systemClock, log: silentLogger };
  const voiceActivity = await createSileroEngine(common);
  // The timeout is long, as virtual time waits for the engine on a busy machine.
  const speechToText = createMoonshine({ ...common, timeoutMs: 60_000, maxWaiting: 1000 });
  return {
    voiceActivity,
    speechToText,
    [Symbol.asyncDispose]: async () => {
      await speechToText[Symbol.asyncDispose]();
      await voiceActivity[Symbol.asyncDispose]();
    },
  };
}
