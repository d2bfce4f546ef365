import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSpeechRecording } from './speech-recording.ts';

const path = process.env['PATH'];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'calls-programs-'));
  process.env['PATH'] = folder;
});
afterEach(async () => {
  process.env['PATH'] = path;
  await rm(folder, { recursive: true });
});

describe('loadSpeechRecording', () => {
  it('returns noise if espeak-ng is not installed', async () => {
    expect((await loadSpeechRecording()).byteLength).toBeGreaterThan(0);
  });

  it('rejects if espeak-ng fails', async () => {
    const program = join(folder, 'espeak-ng');
    await writeFile(program, '#!/bin/sh\nexit 1\n');
    await chmod(program, 0o755);
    await expect(loadSpeechRecording()).rejects.toThrow('espeak-ng');
  });
});
