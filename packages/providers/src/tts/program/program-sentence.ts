import { msFromSamples } from '@calls/audio/pcm';
import { WavError } from '@calls/audio/wav-header';
import { WavStreamReader } from '@calls/audio/wav-stream-reader';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechChunk } from '@calls/engine-ports/text-to-speech';
import { abortable, withTimeout, type Clock } from '@calls/foundation/clock';
import { TimeoutError } from '@calls/foundation/errors';
import { acquireSlot } from '../../acquire-slot.ts';
import type { HostedProcess } from '../../process-host/hosted-process.ts';
import type { OutputKind, ProcessEnd } from '../../process-host/messages.ts';
import type { ProcessHost } from '../../process-host/process-host.ts';
import type { Slots } from '../../slots.ts';
import { audioChunks } from '../spoken-sentence.ts';

export interface ProgramLimits {
  /** Time limit from the request to the first audio, including the wait for a free process. */
  firstAudioTimeoutMs: number;
  /** Time limit between two chunks of a sentence. */
  gapTimeoutMs: number;
  /** Maximum audio of one sentence; more is an error. */
  maxSentenceMs: number;
  /** Maximum number of sentences that wait for a free process; further ones are rejected. */
  maxWaiting: number;
}

/** One run of the program: it reads the text from standard input and writes WAV to standard output. */
export interface ProgramRun {
  args: readonly string[];
  input: string;
}

/** Changes the samples of one run, in order. */
export interface SampleFilter {
  push(samples: Int16Array, sampleRateHz: number): Int16Array;
}

export interface SpeechProgram {
  /** Adapter name for errors. */
  provider: string;
  binary: string;
  output: OutputKind;
  /** Creates the filter of one run; none: the samples stay as they are. */
  filter?: () => SampleFilter;
  /** The error that the end of a process shows; undefined for success. */
  errorOf: (end: ProcessEnd, binary: string) => ProviderError | undefined;
  host: ProcessHost;
  slots: Slots;
  clock: Clock;
  limits: ProgramLimits;
}

/**
 * One sentence, by one process after the other: the `sentence` chunk when its first audio is ready, then the audio. Text
 * without sound yields nothing.
 */
export async function* speakSentence(
  program: SpeechProgram,
  runs: readonly ProgramRun[],
  text: string,
  signal: AbortSignal,
): AsyncGenerator<Exclude<SpeechChunk, { type: 'words' }>, void, undefined> {
  const { provider, limits } = program;
  let spokenMs = 0;
  for (const run of runs) {
    for await (const { samples, sampleRateHz } of audioOf(program, run, signal)) {
      if (spokenMs === 0) yield { type: 'sentence', text };
      spokenMs += msFromSamples(samples.length, sampleRateHz);
      if (spokenMs > limits.maxSentenceMs) {
        throw new ProviderError(
          provider,
          'malformed',
          `more than ${limits.maxSentenceMs} ms for one sentence`,
        );
      }
      for (const chunk of audioChunks(samples, sampleRateHz)) {
        yield chunk;
        signal.throwIfAborted();
      }
    }
  }
}

/** The audio of one run, in parts that are not empty. */
async function* audioOf(
  program: SpeechProgram,
  run: ProgramRun,
  signal: AbortSignal,
): AsyncGenerator<{ samples: Int16Array; sampleRateHz: number }, void, undefined> {
  const { provider, clock, limits, binary } = program;
  const firstAudioByMs = clock.nowMs() + limits.firstAudioTimeoutMs;
  const process = await start(program, run, signal);
  const inTime = <T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> =>
    withTimeout(clock, abortable(promise, signal), limitMs, what).catch((thrown: unknown) => {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      throw new ProviderError(provider, 'timeout', `no ${what} in time`, { cause: thrown });
    });
  try {
    const wav = new WavStreamReader();
    const filter = program.filter?.();
    let isFirst = true;
    for (;;) {
      const waitMs = isFirst ? Math.max(0, firstAudioByMs - clock.nowMs()) : limits.gapTimeoutMs;
      const bytes = await inTime(process.read(), waitMs, 'audio');
      if (!bytes) break;
      const decoded = decode(provider, wav, bytes);
      const sampleRateHz = wav.format?.sampleRateHz;
      if (sampleRateHz === undefined) continue;
      const samples = filter ? filter.push(decoded, sampleRateHz) : decoded;
      if (samples.length === 0) continue;
      isFirst = false;
      yield { samples, sampleRateHz };
    }
    const error = program.errorOf(await inTime(process.end, limits.gapTimeoutMs, 'end'), binary);
    if (error) throw error;
  } finally {
    process.kill();
  }
}

/** The process releases its slot when it ends, which is before all of its audio has been read. */
async function start(
  { provider, clock, limits, slots, host, binary, output }: SpeechProgram,
  { args, input }: ProgramRun,
  signal: AbortSignal,
): Promise<HostedProcess> {
  const limitMs = limits.firstAudioTimeoutMs;
  const release = await acquireSlot({ provider, slots, clock, limitMs, signal });
  try {
    const process = host.run(binary, args, input, output);
    void process.end.then(release);
    return process;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

function decode(provider: string, wav: WavStreamReader, bytes: Uint8Array): Int16Array {
  try {
    return wav.push(bytes);
  } catch (cause) {
    if (!(cause instanceof WavError)) throw cause;
    throw new ProviderError(provider, 'malformed', 'the output is not a WAV stream', { cause });
  }
}
