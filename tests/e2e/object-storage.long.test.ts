import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import type { Call } from '@calls/api-contract/rest/call';
import { readWavHeader, WAV_HEADER_BYTES } from '@calls/audio/wav-header';
import { systemClock } from '@calls/foundation/clock';
import type { Stack } from '@calls/local-stack/stack';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { openStorage } from '@calls/object-storage/open-storage';
import { collect } from '@calls/testkit/collect';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startSwift, type Swift } from '../support/s3-server/swift.ts';
import { startTestStack } from '../support/start-stack.ts';

const SECOND_BYTES = 64_000;
let server: Swift;
let storage: ObjectStorage;
let stack: Stack;
let api: Api;

beforeAll(async () => {
  server = await startSwift();
  storage = await openStorage(server.config, systemClock);
  stack = await startTestStack({ env: server.env });
  api = new Api(stack);
}, 120_000);

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  storage[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

async function download(callId: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const response = await fetch(`${stack.apiUrl}/api/calls/${callId}/recording`, {
    headers: { 'x-api-key': stack.developmentKey, ...headers },
  });
  expect(response.status).toBe(headers['Range'] === undefined ? 200 : 206);
  return Buffer.from(await response.arrayBuffer());
}

/** The key of the recording of a live call. */
function recordingKey(call: Call): Promise<string> {
  return eventually(async () => {
    const keys = (await collect(storage.unfinished('recordings'))).map(({ key }) => key);
    const key = keys.find((each) => each.includes(call.callId));
    if (key === undefined) throw new Error('not begun yet');
    return key;
  });
}

async function changedAtMs(key: string): Promise<number> {
  return Math.max(...(await collect(storage.unfinished(key))).map((object) => object.changedAtMs));
}

describe('services that share a bucket but no data directory', () => {
  it('store the recording of a call, serve it, and delete it with the call', async () => {
    const { call, client } = await api.startCall({ recordingEnabled: true });
    await client.until('the greeting', () => client.isPlaying);
    const key = await recordingKey(call);
    await api.request('POST', `/api/calls/${call.callId}/send_data_message`, { type: 'hang_up' });
    await api.endedCall(call.callId);
    const recording = await download(call.callId);
    const header = readWavHeader(recording);
    expect(header?.dataBytes).toBe(recording.byteLength - WAV_HEADER_BYTES);
    expect(recording.subarray(WAV_HEADER_BYTES).some((byte) => byte !== 0)).toBe(true);
    const part = await download(call.callId, { Range: 'bytes=100-199' });
    expect(part.equals(recording.subarray(100, 200))).toBe(true);
    expect(await collect(storage.unfinished())).toEqual([]);
    expect(await readdir(stack.directory.root)).not.toContain('objects');

    expect((await api.request('DELETE', `/api/calls/${call.callId}`)).status).toBe(204);
    await eventually(async () => {
      expect(await storage.stat(key)).toBeNull();
      expect(await storage.stat(key.replace('recordings', 'traces').replace('.wav', '.jsonl'))).toBeNull();
    });
  }, 120_000);

  it('complete the recording of a call whose only worker was killed', async () => {
    const { call, client } = await api.startCall({ recordingEnabled: true });
    await client.until('the greeting', () => client.isPlaying);
    const key = await recordingKey(call);
    const startedMs = await changedAtMs(key);
    await eventually(async () => expect(await changedAtMs(key)).toBeGreaterThan(startedMs + 3000));
    await stack.processes.get('media-worker')?.kill();
    const { endReason } = await api.endedCall(call.callId);
    expect(endReason).toBe('system_error');
    const recording = await eventually(() => download(call.callId));
    expect(recording.byteLength).toBeGreaterThan(2 * SECOND_BYTES);
    await eventually(async () => expect(await collect(storage.unfinished())).toEqual([]));
  }, 180_000);
});
