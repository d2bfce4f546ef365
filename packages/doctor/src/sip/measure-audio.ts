import { levelDbfs } from '@calls/audio/pcm';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import { delay, type Clock } from '@calls/foundation/clock';

/** Duration of the measurement. */
export const MEASURED_MS = 6000;
const TONES = 3;
const TONE_HZ = 440;
const TONE_MS = 500;
const TONE_LEVEL = 8000;
/** Time between the starts of two tones. */
const TONE_INTERVAL_MS = MEASURED_MS / TONES;

/** Sends three tones, and measures the audio that is received during that time. Ends early if the call ends. */
export async function measureAudio(
  transport: Pick<MediaTransport, 'events' | 'inputFormat' | 'outputFormat' | 'write'>,
  clock: Clock,
): Promise<{ receivedMs: number; levelDbfs: number }> {
  const { events, inputFormat, outputFormat } = transport;
  const parts: Int16Array[] = [];
  const over = new AbortController();
  const reading = (async (): Promise<void> => {
    for await (const event of events) {
      if (over.signal.aborted || event.type === 'closed') return;
      if (event.type === 'audio') parts.push(event.samples);
    }
  })().finally(() => over.abort());
  for (let count = 0; count < TONES && !over.signal.aborted; count += 1) {
    transport.write(tone(outputFormat.sampleRateHz));
    await delay(clock, TONE_INTERVAL_MS, over.signal).catch(() => undefined);
  }
  over.abort();
  void reading;
  const samples = Int16Array.from(parts.flatMap((part) => [...part]));
  return { receivedMs: (samples.length * 1000) / inputFormat.sampleRateHz, levelDbfs: levelDbfs(samples) };
}

function tone(rateHz: number): Int16Array {
  return Int16Array.from({ length: (rateHz * TONE_MS) / 1000 }, (_, i) =>
    Math.round(TONE_LEVEL * Math.sin((2 * Math.PI * TONE_HZ * i) / rateHz)),
  );
}
