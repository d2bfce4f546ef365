import { afterAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Call } from '@calls/api-contract/rest/call';
import type { ApiError } from '@calls/api-contract/rest/common';
import { samplesFromBytes } from '@calls/audio/pcm';
import { readWavHeader, WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import type { CallClient } from '@calls/examples/call-client';
import { speak } from '@calls/testkit/speech/speak';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestStack } from '../support/start-stack.ts';
import { openTestStore } from '../support/test-store.ts';

const SAMPLES_PER_MS = 16;
/** Tolerance between the time at the caller and the position in the recording. */
const MAX_SHIFT_MS = 100;

const stack = await startTestStack();
const api = new Api(stack);
const text = 'what time is the breakfast in the morning';
const speech = await speak({ engine: 'flite', voice: 'slt', text, sampleRateHz: 16_000 });

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

function download(callId: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${stack.apiUrl}/api/calls/${callId}/recording`, {
    headers: { 'x-api-key': stack.developmentKey, ...headers },
  });
}

/** Makes the call expired so that the cleanup of the control-plane finds it. */
async function passTime(callId: string): Promise<void> {
  const store = openTestStore(stack.servers.databaseUrl);
  const expires_at = new Date(Date.now() - 120_000);
  await store.db.updateTable('calls').set({ expires_at }).where('call_id', '=', callId).execute();
  await store[Symbol.asyncDispose]();
}

interface Recording {
  user: Int16Array;
  agent: Int16Array;
  durationMs: number;
}

function readRecording(file: Buffer): Recording {
  expect(readWavHeader(file)?.format).toMatchObject({
    encoding: 'pcm',
    channels: 2,
    sampleRateHz: 16_000,
    bitsPerSample: 16,
  });
  const samples = samplesFromBytes(file.subarray(WAV_HEADER_BYTES));
  const track = (channel: number): Int16Array => samples.filter((_sample, i) => i % 2 === channel);
  return { user: track(0), agent: track(1), durationMs: samples.length / 2 / SAMPLES_PER_MS };
}

interface Match {
  /** Samples of `wanted` that are not silent. */
  loud: number;
  /** The share of them that `track` contains at the best position, at most MAX_SHIFT_MS from `expectedMs`. */
  share: number;
}

function find(track: Int16Array, wanted: Int16Array, expectedMs: number): Match {
  const loud = [...wanted.keys()].filter((i) => Math.abs(wanted[i] ?? 0) > 200);
  const probes = loud.filter((_, i) => i % Math.ceil(loud.length / 400) === 0);
  const equalAt = (at: number, places: readonly number[]): number =>
    places.reduce((sum, i) => sum + (track[at + i] === wanted[i] ? 1 : 0), 0) / places.length;
  let best = { at: 0, share: -1 };
  const around = Math.round(expectedMs * SAMPLES_PER_MS);
  const range = MAX_SHIFT_MS * SAMPLES_PER_MS;
  for (let at = around - range; at <= around + range; at += 1) {
    const share = equalAt(at, probes);
    if (share > best.share) best = { at, share };
  }
  return { loud: loud.length, share: loud.length === 0 ? 0 : equalAt(best.at, loud) };
}

const PIECE_MS = 50;
const PIECE_SAMPLES = PIECE_MS * SAMPLES_PER_MS;

/** Searches each piece separately: a delay of the machine shifts later audio at the caller, but not in the recording. */
function findPieces(track: Int16Array, wanted: Int16Array): Match[] {
  return Array.from({ length: Math.floor(wanted.length / PIECE_SAMPLES) }, (_, i) =>
    find(track, wanted.subarray(i * PIECE_SAMPLES, (i + 1) * PIECE_SAMPLES), i * PIECE_MS),
  );
}

function lengthMs(call: Call): number {
  return Date.parse(call.ended ?? '') - Date.parse(call.joined ?? '');
}

function quiet(client: CallClient): Promise<void> {
  const done = (): boolean =>
    client.state === 'listening' && !client.isPlaying && client.nowMs - client.lastAudioMs > 300;
  return client.until('the agent to finish', done, 30_000);
}

describe('a recorded call', () => {
  it('can be downloaded with both sides aligned to their playback time', async () => {
    const { call, client } = await api.startCall({
      recordingEnabled: true,
      firstSpeakerSettings: {
        agent: {
          text: 'Good morning, this is Ada. We have rooms with a view of the lake and of the mountains.',
        },
      },
    });
    await client.until('the greeting', () => client.state === 'speaking', 10_000);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const interruptedMs = client.nowMs;
    await client.speak(speech);
    await client.until('the answer', () => client.transcript.length >= 2 && client.isPlaying, 15_000);
    expect((await download(call.callId)).status).toBe(425);
    await quiet(client);
    await client.hangUp();
    const ended = await api.endedCall(call.callId);

    const response = await download(call.callId);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const file = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(file.length));
    expect(readWavHeader(file)?.dataBytes).toBe(file.length - WAV_HEADER_BYTES);
    const { user, agent, durationMs } = readRecording(file);
    expect(Math.abs(durationMs - lengthMs(ended))).toBeLessThan(100);

    const said = find(user, speech, interruptedMs);
    expect(said.share).toBeGreaterThan(0.99);

    // The greeting up to the interruption; silence follows until the response.
    const cleared = client.messages.find(
      ({ message, atMs }) => message.type === 'playback_clear_buffer' && atMs > interruptedMs,
    );
    const clearedMs = cleared?.atMs ?? Number.NaN;
    const greeting = client.receivedAudio().subarray(0, Math.round((clearedMs - 100) * SAMPLES_PER_MS));
    const pieces = findPieces(agent, greeting);
    const loud = pieces.reduce((sum, piece) => sum + piece.loud, 0);
    expect(loud).toBeGreaterThan(SAMPLES_PER_MS * 500);
    expect(pieces.reduce((sum, piece) => sum + piece.share * piece.loud, 0) / loud).toBeGreaterThan(0.95);
    // A piece that contains such a delay is split in two, of which only one part is found.
    const voiced = pieces.filter((piece) => piece.loud > PIECE_SAMPLES / 4);
    expect(Math.min(...voiced.map(({ share }) => share))).toBeGreaterThan(0.45);
    const afterwards = agent.subarray(
      Math.round((clearedMs + 50) * SAMPLES_PER_MS),
      Math.round((interruptedMs + speech.length / SAMPLES_PER_MS) * SAMPLES_PER_MS),
    );
    expect(afterwards.length).toBeGreaterThan(1000);
    expect(afterwards.every((sample) => sample === 0)).toBe(true);

    const part = await download(call.callId, { Range: 'bytes=44-64043' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 44-64043/${file.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(file.subarray(44, 64_044))).toBe(true);

    const modes = await Promise.all(
      [
        'objects',
        `objects/recordings/${(await readdir(join(stack.directory.root, 'objects/recordings')))[0]}`,
      ].map(async (path) => (await stat(join(stack.directory.root, path))).mode & 0o777),
    );
    expect(modes).toEqual([0o700, 0o700]);
  }, 90_000);

  it('has no recording when recording is disabled', async () => {
    const { call, client } = await api.startCall();
    expect((await download(call.callId)).status).toBe(404);
    await client.until('the greeting', () => client.isPlaying, 10_000);
    await client.hangUp();
    await api.endedCall(call.callId);
    const response = await download(call.callId);
    expect([response.status, ((await response.json()) as ApiError).code]).toEqual([404, 'not_found']);
  });

  it('has a recording up to the last seconds and a replayable trace when its worker dies', async () => {
    const { call, client } = await api.startCall({
      recordingEnabled: true,
      firstSpeakerSettings: { user: {} },
    });
    const fromMs = client.nowMs;
    await client.speak(speech);
    await client.until('the answer', () => client.isPlaying, 15_000);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const killedMs = client.nowMs;
    await stack.services['media-worker'].kill();
    expect((await download(call.callId)).status).toBe(425);
    await passTime(call.callId);
    const file = await eventually(async () => {
      const response = await download(call.callId);
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    }, 25_000);
    expect((await api.call(call.callId)).endReason).toBe('system_error');
    expect(readWavHeader(file)?.dataBytes).toBe(file.length - WAV_HEADER_BYTES);
    const { user, agent, durationMs } = readRecording(file);
    expect(killedMs - durationMs).toBeLessThan(3000);
    expect(durationMs).toBeLessThanOrEqual(killedMs + MAX_SHIFT_MS);
    expect(find(user, speech.subarray(0, 16_000), fromMs).share).toBeGreaterThan(0.99);
    expect(agent.some((sample) => Math.abs(sample) > 1000)).toBe(true);
    const left = await readdir(join(stack.directory.root, 'objects'), { recursive: true });
    expect(left.filter((name) => name.endsWith('.partial'))).toEqual([]);

    const main = join(import.meta.dirname, '../../packages/object-storage/src/call-objects/replay/main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [main, call.callId], {
      env: { ...process.env, DATA_DIR: stack.directory.root },
    });
    expect(stdout).toMatch(
      /speech edge "endpoint_reached"[^]*events, all with the same decisions as in the call/u,
    );
    await stack.services['media-worker'].start();
  });

  it('continues without a recording when storage fails and reports it', async () => {
    const objects = join(stack.directory.root, 'objects');
    await rm(objects, { recursive: true });
    await writeFile(objects, 'in the way');
    const { call, client } = await api.startCall({ recordingEnabled: true });
    await client.until('the greeting', () => client.isPlaying, 10_000);
    await quiet(client);
    await client.hangUp();
    expect((await api.endedCall(call.callId)).endReason).toBe('hangup');
    const errors = await eventually(async () => {
      const found = (await api.events(call.callId, 'warning')).filter(
        ({ type }) => type === 'recording_error',
      );
      if (found.length === 0) throw new Error('not noted yet');
      return found;
    });
    expect(errors).toMatchObject([{ severity: 'warning', extras: { code: 'storage_failed' } }]);
    expect((await download(call.callId)).status).toBe(404);
    await rm(objects);
  });
});
