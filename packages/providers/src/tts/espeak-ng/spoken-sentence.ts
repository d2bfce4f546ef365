import { msFromSamples, samplesFromMs } from '@calls/audio/pcm';
import { WavError } from '@calls/audio/wav-header';
import { WavStreamReader } from '@calls/audio/wav-stream-reader';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechChunk } from '@calls/engine-ports/text-to-speech';
import { abortable, withTimeout, type Clock } from '@calls/foundation/clock';
import { TimeoutError } from '@calls/foundation/errors';
import { acquireSlot } from '../../acquire-slot.ts';
import type { HostedProcess } from '../../process-host/hosted-process.ts';
import type { ProcessHost } from '../../process-host/process-host.ts';
import type { Slots } from '../../slots.ts';
import type { EspeakSettings } from './voices.ts';
import { commandLine, ESPEAK_NG, faultOf, plainText } from './wire.ts';

export interface EspeakLimits {
  /** From the request to the first audio, including the wait for a free process. */
  firstAudioTimeoutMs: number;
  /** Between two chunks of a sentence. */
  gapTimeoutMs: number;
  /** Audio of one sentence; more is an error. */
  maxSentenceMs: number;
  /** Sentences that may wait for a free process; further ones are rejected. */
  maxWaiting: number;
}

/** Longer chunks are split, so that each pull is cheap for the reader. */
const MAX_CHUNK_MS = 100;

export interface EspeakEngine {
  binary: string;
  host: ProcessHost;
  slots: Slots;
  clock: Clock;
  limits: EspeakLimits;
}

/**
 * One sentence: the `sentence` chunk when its first audio is ready, then the audio. Text without sound yields nothing.
 */
export async function* speakSentence(
  engine: EspeakEngine,
  settings: EspeakSettings,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<Exclude<SpeechChunk, { type: 'words' }>, void, undefined> {
  const { clock, limits } = engine;
  const firstAudioByMs = clock.nowMs() + limits.firstAudioTimeoutMs;
  const process = await start(engine, settings, text, signal);
  try {
    const wav = new WavStreamReader();
    let spokenMs = 0;
    for (;;) {
      const waitMs = spokenMs === 0 ? Math.max(0, firstAudioByMs - clock.nowMs()) : limits.gapTimeoutMs;
      const bytes = await inTime(clock, abortable(process.read(), signal), waitMs, 'audio');
      if (!bytes) break;
      const samples = decode(wav, bytes);
      const sampleRateHz = wav.format?.sampleRateHz;
      if (samples.length === 0 || sampleRateHz === undefined) continue;
      if (spokenMs === 0) yield { type: 'sentence', text };
      spokenMs += msFromSamples(samples.length, sampleRateHz);
      if (spokenMs > limits.maxSentenceMs) {
        throw new ProviderError(
          ESPEAK_NG,
          'malformed',
          `more than ${limits.maxSentenceMs} ms for one sentence`,
        );
      }
      const sliceSamples = samplesFromMs(MAX_CHUNK_MS, sampleRateHz);
      for (let from = 0; from < samples.length; from += sliceSamples) {
        yield { type: 'audio', samples: samples.subarray(from, from + sliceSamples), sampleRateHz };
        signal.throwIfAborted();
      }
    }
    const fault = faultOf(
      await inTime(clock, abortable(process.end, signal), limits.gapTimeoutMs, 'end'),
      engine.binary,
    );
    if (fault) throw fault;
  } finally {
    process.kill();
  }
}

/** The process releases its slot when it ends, which is before all of its audio has been read. */
async function start(
  engine: EspeakEngine,
  settings: EspeakSettings,
  text: string,
  signal: AbortSignal,
): Promise<HostedProcess> {
  const { clock, limits, slots, host, binary } = engine;
  const limitMs = limits.firstAudioTimeoutMs;
  const release = await acquireSlot({ provider: ESPEAK_NG, slots, clock, limitMs, signal });
  try {
    const process = host.run(binary, commandLine(settings), plainText(text));
    void process.end.then(release);
    return process;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

async function inTime<T>(clock: Clock, promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  try {
    return await withTimeout(clock, promise, limitMs, what);
  } catch (thrown) {
    if (!(thrown instanceof TimeoutError)) throw thrown;
    throw new ProviderError(ESPEAK_NG, 'timeout', `no ${what} in time`, { cause: thrown });
  }
}

function decode(wav: WavStreamReader, bytes: Uint8Array): Int16Array {
  try {
    return wav.push(bytes);
  } catch (cause) {
    if (!(cause instanceof WavError)) throw cause;
    throw new ProviderError(ESPEAK_NG, 'malformed', 'the output is not a WAV stream', { cause });
  }
}
