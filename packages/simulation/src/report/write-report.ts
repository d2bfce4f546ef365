import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeWav } from '@calls/audio/wav';
import { RECORDING_CHANNELS, RECORDING_SAMPLE_RATE_HZ } from '@calls/conversation/ports/recordings';
import type { ScenarioResult } from '../run-scenario.ts';
import { htmlReport, type ReportedResult } from './html.ts';

/** Writes `report.html` and the audio of scenarios that did not pass, if there is any, into the folder. */
export async function writeReport(
  folder: string,
  about: Parameters<typeof htmlReport>[0],
  results: readonly ScenarioResult[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const reported: ReportedResult[] = [];
  for (const [index, result] of results.entries()) {
    const { recording, status } = result;
    const audioFile = recording && status === 'failed' ? `${index + 1}-${fileNameOf(result.name)}.wav` : null;
    if (recording && audioFile !== null) await writeFile(join(folder, audioFile), wavOf(recording));
    reported.push({ ...result, audioFile });
  }
  await writeFile(join(folder, 'report.html'), htmlReport(about, reported));
}

function wavOf(interleaved: Int16Array): Uint8Array {
  const tracks = Array.from({ length: RECORDING_CHANNELS }, (_, channel) =>
    interleaved.filter((_sample, i) => i % RECORDING_CHANNELS === channel),
  );
  return encodeWav(tracks, RECORDING_SAMPLE_RATE_HZ);
}

function fileNameOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .slice(0, 60);
}
