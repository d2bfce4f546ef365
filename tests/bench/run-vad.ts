import { parseArgs } from 'node:util';
import { concatSamples } from '@calls/audio/pcm';
import { VAD_WINDOW_SAMPLES, type VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { silentLogger } from '@calls/foundation/logger';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { humanSentences } from '@calls/testkit/speech/human-voice';
import { distributionOf, round } from './distribution.ts';
import { machineLine, watchMachine, type MachineUse } from './machine-use.ts';

/** Batch sizes. Each window of a batch belongs to another call. */
const BATCH_SIZES = [1, 8, 32, 128];
/** Short rounds in turn, so that other load affects all variants equally. Figures are medians of the rounds. */
const ROUNDS = 20;
const WINDOWS_PER_ROUND = 256;

/** CPU time of a window. */
interface Cost {
  us: number;
  mainThreadUs: number;
}

interface BatchCost extends Cost {
  size: number;
  /** CPU time of a window with the original network of the model file. */
  originalUs: number;
  /** Ratio of `us` to `originalUs`. */
  ratio: number;
}

export interface VadReport {
  batches: BatchCost[];
  machineUse: MachineUse;
}

export function readVadOptions(args: readonly string[]): { jsonPath: string | null } {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'string' } } });
  return { jsonPath: values.json ?? null };
}

/** Scores human speech with the VAD engine and with the original network, by the size of the batch. */
export async function runVad(): Promise<VadReport> {
  const speech = concatSamples((await humanSentences()).map(({ samples }) => samples));
  await using engine = await createSileroEngine({ log: silentLogger, gatherMs: 0 });
  await using original = await createSileroEngine({ log: silentLogger, gatherMs: 0, form: 'original' });
  const readMachineUse = watchMachine();
  const costs = BATCH_SIZES.map((size) => ({ size, pairs: [] as { own: Cost; original: Cost }[] }));
  // The first round is a warm-up.
  for (let turn = 0; turn <= ROUNDS; turn += 1) {
    for (const { size, pairs } of costs) {
      const pair = {
        own: await measure(engine, size, speech),
        original: await measure(original, size, speech),
      };
      if (turn > 0) pairs.push(pair);
    }
  }
  const batches = costs.map(({ size, pairs }) => {
    const median = (of: (pair: { own: Cost; original: Cost }) => number): number =>
      distributionOf(pairs.map(of)).p50;
    return {
      size,
      us: median(({ own }) => own.us),
      mainThreadUs: median(({ own }) => own.mainThreadUs),
      originalUs: median((pair) => pair.original.us),
      ratio: median((pair) => pair.own.us / pair.original.us),
    };
  });
  return { batches, machineUse: readMachineUse() };
}

async function measure(engine: VoiceActivityEngine, size: number, speech: Int16Array): Promise<Cost> {
  const windows = Math.floor(speech.length / VAD_WINDOW_SAMPLES);
  const detectors = Array.from({ length: size }, () => engine.createDetector());
  const batches = WINDOWS_PER_ROUND / size;
  const allBefore = process.cpuUsage();
  const mainThreadBefore = process.threadCpuUsage();
  for (let batch = 0; batch < batches; batch += 1) {
    await Promise.all(
      detectors.map((detector, call) => {
        // Each call is at another position in the recordings.
        const start = ((batch + call * 31) % windows) * VAD_WINDOW_SAMPLES;
        return detector.push(speech.subarray(start, start + VAD_WINDOW_SAMPLES));
      }),
    );
  }
  const all = process.cpuUsage(allBefore);
  const mainThread = process.threadCpuUsage(mainThreadBefore);
  for (const detector of detectors) detector.close();
  const perWindow = ({ user, system }: NodeJS.CpuUsage): number => round((user + system) / WINDOWS_PER_ROUND);
  return { us: perWindow(all), mainThreadUs: perWindow(mainThread) };
}

/** See the figures of the main bench. */
export function vadFigures({ batches }: VadReport): Record<string, number> {
  return Object.fromEntries(batches.map(({ size, us }) => [`CPU, µs per window, batches of ${size}`, us]));
}

export function vadTable({ batches, machineUse }: VadReport): string {
  return [
    'CPU, µs per window, by windows per batch',
    ...batches.map(({ size, us, mainThreadUs, originalUs, ratio }) =>
      [
        String(size).padEnd(5),
        `${us}, main thread ${mainThreadUs}`.padEnd(30),
        `original network ${originalUs}`.padEnd(26),
        `ratio ${ratio}`,
      ].join(' '),
    ),
    machineLine(machineUse),
  ].join('\n');
}
