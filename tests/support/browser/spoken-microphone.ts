import { encodeWav } from '@calls/audio/wav';
import type { Page } from 'playwright-core';
import { MICROPHONE_RATE_HZ } from './open-browser.ts';

/**
 * Replaces the browser's own test microphone, which plays its file as soon as it is opened, however long the page takes
 * to join a call.
 */
const SCRIPT = `(() => {
  const context = new AudioContext();
  const microphone = context.createMediaStreamDestination();
  const silence = context.createConstantSource();
  silence.offset.value = 0;
  silence.connect(microphone);
  silence.start();
  navigator.mediaDevices.getUserMedia = async () => {
    await context.resume();
    return microphone.stream.clone();
  };
  globalThis.speakIntoMicrophone = async (wav) => {
    const source = context.createBufferSource();
    source.buffer = await context.decodeAudioData(Uint8Array.fromBase64(wav).buffer);
    source.connect(microphone);
    source.start();
    await new Promise((resolve) => (source.onended = resolve));
  };
})();`;

/**
 * Gives a page a microphone that is silent until the test speaks. Call it before the page is loaded and probed. Returns
 * a function that plays samples at `MICROPHONE_RATE_HZ` and resolves at their end.
 */
export async function spokenMicrophone(page: Page): Promise<(samples: Int16Array) => Promise<void>> {
  await page.addInitScript(SCRIPT);
  return async (samples) => {
    const wav = Buffer.from(encodeWav(samples, MICROPHONE_RATE_HZ)).toString('base64');
    await page.evaluate(`speakIntoMicrophone(${JSON.stringify(wav)})`);
  };
}
