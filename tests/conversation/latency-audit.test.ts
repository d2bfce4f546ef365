import { describe, expect, it } from '@jest/globals';
import type { TurnDeviation } from '@calls/conversation/recording/latency-audit';
import { concatSamples } from '@calls/audio/pcm';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { ScriptedTextToSpeech } from '@calls/testkit/scripted/scripted-providers';
import { startCall, type ScriptedCall, type Scripts } from '../support/scripted-call.ts';

const SAMPLES_PER_MS = 16;
const TURNS = 20;
const TOLERANCE_MS = 20;

/** Pseudo-random numbers from 0 to 1, identical for the same seed. */
function draws(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Speech that fades out within about 30 ms, then silence with the noise of a quiet room. */
function utterance(random: () => number, speechMs: number, silenceMs: number): Int16Array {
  const speech = speechMs * SAMPLES_PER_MS;
  return Int16Array.from({ length: Math.round((speechMs + silenceMs) * SAMPLES_PER_MS) }, (_, i) => {
    const level = i < speech ? Math.min(6000, 200 + (speech - i) * 12) : 8;
    return Math.round((random() - 0.5) * 2 * level);
  });
}

interface Line {
  name: string;
  packetMs: number;
  /** The network delay of a packet that ends at `ms`. */
  delayMs: (ms: number, random: () => number) => number;
  scripts?: Scripts;
  playsLateMs?: number;
}

const REGULAR = { packetMs: 20, delayMs: () => 0 };
const LINES: readonly Line[] = [
  { name: 'in regular packets', ...REGULAR },
  { name: 'in packets of 96 ms', packetMs: 96, delayMs: () => 0 },
  { name: 'with jitter', packetMs: 20, delayMs: (_ms, random) => random() ** 3 * 60 },
  { name: 'with stalls of 0.4 s', packetMs: 20, delayMs: (ms) => Math.max(0, 400 - (ms % 1900)) },
  { name: 'with playback lag at the client', ...REGULAR, playsLateMs: 85 },
  {
    name: 'with background audio',
    ...REGULAR,
    scripts: {
      spec: { backgroundAudio: { audioClip: 'office', volume: 0.5 }, recordingEnabled: true },
      services: { backgroundClips: { load: () => Promise.resolve(new Int16Array(16_000).fill(500)) } },
    },
  },
];

/** Sends audio in packets that arrive in order, after the delay of the line. */
async function send(
  { clock, transport }: ScriptedCall,
  audio: Int16Array,
  { packetMs, delayMs }: Line,
  random: () => number,
): Promise<void> {
  const size = packetMs * SAMPLES_PER_MS;
  for (let from = 0; from + size <= audio.length; from += size) {
    const endMs = (from + size) / SAMPLES_PER_MS;
    const dueMs = endMs + delayMs(endMs, random);
    await clock.advance(Math.max(0, dueMs - clock.nowMs()));
    transport.hear(audio.slice(from, from + size));
  }
}

/** A voice that begins with up to 0.3 s of silence. */
function hesitant(tts: TextToSpeech, random: () => number): TextToSpeech {
  return {
    async *synthesize(sentences, options, signal) {
      let isFirst = true;
      for await (const chunk of tts.synthesize(sentences, options, signal)) {
        if (chunk.type === 'audio' && isFirst) {
          isFirst = false;
          const samples = new Int16Array(Math.round(random() * 300 * SAMPLES_PER_MS));
          yield { type: 'audio', samples, sampleRateHz: chunk.sampleRateHz };
        }
        yield chunk;
      }
    },
  };
}

/** The deviations that a call of TURNS turns reports. */
async function audited(line: Line): Promise<TurnDeviation[]> {
  const random = draws(7);
  const deviations: TurnDeviation[] = [];
  const { services } = line.scripts ?? {};
  const call = startCall({
    stt: Array.from({ length: TURNS }, (_, i) => `question ${i}`),
    llm: Array.from({ length: TURNS }, (_, i) => `Answer ${i} is here.`),
    spec: { recordingEnabled: true },
    metrics: { turnAudited: (deviation) => void deviations.push(deviation) },
    ...line.scripts,
    services: (clock) => ({
      ...(typeof services === 'function' ? services(clock) : services),
      textToSpeech: hesitant(new ScriptedTextToSpeech(clock, 120), random),
    }),
  });
  call.transport.behindMs = line.playsLateMs ?? 0;
  const spoken = Array.from({ length: TURNS }, () =>
    utterance(random, 300 + random() * 900, 3500 + random() * 500),
  );
  await send(call, concatSamples([utterance(random, 0, 500), ...spoken]), line, random);
  await call.hangUp();
  return deviations;
}

describe('the reported end of speech and first sound of a response', () => {
  it.each(LINES)('match the recording within 20 ms, $name', async (line) => {
    const deviations = await audited(line);
    expect(deviations).toHaveLength(TURNS);
    const isOutside = (ms: number | null): boolean => ms === null || Math.abs(ms) > TOLERANCE_MS;
    const outside = deviations.flatMap((each) => [each.speechEndMs, each.firstSoundMs]).filter(isOutside);
    expect(outside).toEqual([]);
  });
});
