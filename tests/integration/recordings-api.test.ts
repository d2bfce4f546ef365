import { afterAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { ApiError } from '@calls/api-contract/rest/common';
import { systemClock } from '@calls/foundation/clock';
import { openStorage } from '@calls/object-storage/open-storage';
import { endedEntry } from '@calls/testkit/ended-entry';
import { ControlPlaneHarness } from '../support/control-plane-harness.ts';
import { eventually } from '../support/eventually.ts';
import { startS3Server } from '../support/s3-server/s3-server.ts';

const BYTES = 300_000;
const content = Uint8Array.from({ length: BYTES }, (_, i) => (i * 31 + (i >> 8)) % 256);

/** A recorded call; `stored`: the recording object exists. */
async function recordedCall(stored: boolean): Promise<string> {
  const call = await account.createCall({ recordingEnabled: true });
  const key = `recordings/${account.accountId}/${call.callId}.wav`;
  if (stored) await harness.storage.put(key, [content]);
  await end(call, { key, durationMs: 4687, bytes: BYTES });
  return call.callId;
}

async function end(
  call: { callId: string },
  recording: Extract<CallLogEntryBody, { type: 'ended' }>['recording'],
): Promise<void> {
  const event = harness.eventsOf(call, account.accountId);
  const usage = { inputTokens: 1, outputTokens: 1 };
  const joinedAtMs = Date.now() - 5000;
  await harness.bus.callLogs.append(
    event(1, endedEntry({ joinedAtMs, ...usage, ...(recording && { recording }) })),
  );
  await eventually(async () => {
    if ((await account.call(call.callId)).ended === null) throw new Error('not ended yet');
  });
}

function get(callId: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`${harness.url}/api/calls/${callId}/recording`, {
    method,
    headers: { 'X-API-Key': account.key, ...headers },
  });
}

async function bodyOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
const recorded = await recordedCall(true);
afterAll(() => harness.stop());

describe('GET /api/calls/{call_id}/recording', () => {
  it('returns the whole file', async () => {
    const response = await get(recorded);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(BYTES),
      'content-disposition': `attachment; filename="${recorded}.wav"`,
      'accept-ranges': 'bytes',
    });
    const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
    expect(hash(await bodyOf(response))).toBe(hash(content));
  });

  it('responds to HEAD with the same headers and no body', async () => {
    const response = await get(recorded, {}, 'HEAD');
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(BYTES)]);
    expect(await bodyOf(response)).toHaveLength(0);
  });

  it.each([
    ['bytes=0-43', 0, 44],
    ['bytes=1000-', 1000, BYTES],
    ['bytes=-500', BYTES - 500, BYTES],
    [`bytes=${BYTES - 1}-${BYTES + 100}`, BYTES - 1, BYTES],
  ])('answers Range %s with that part', async (range, start, end) => {
    const response = await get(recorded, { Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${BYTES}`);
    expect(response.headers.get('content-length')).toBe(String(end - start));
    expect((await bodyOf(response)).equals(content.subarray(start, end))).toBe(true);
  });

  it('responds with 416 for a range beyond the end and ignores multiple or invalid ranges', async () => {
    const beyond = await get(recorded, { Range: `bytes=${BYTES}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${BYTES}`]);
    expect(((await beyond.json()) as ApiError).code).toBe('range_not_satisfiable');
    for (const range of ['bytes=0-1,5-6', 'bytes=x-y', 'lines=1-2', 'bytes']) {
      const response = await get(recorded, { Range: range });
      expect([range, response.status]).toEqual([range, 200]);
      await response.body?.cancel();
    }
  });

  it('is not sent again to a client that has it', async () => {
    const etag = (await get(recorded)).headers.get('etag')!;
    for (const range of [{}, { Range: 'bytes=0-9' }]) {
      const same = await get(recorded, { ...range, 'If-None-Match': `"another", ${etag}` });
      expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, '']);
    }
    expect((await get(recorded, { 'If-None-Match': '"another"' })).status).toBe(200);
  });

  it('supports If-Range', async () => {
    const etag = (await get(recorded, {}, 'HEAD')).headers.get('etag') ?? '';
    const same = await get(recorded, { Range: 'bytes=0-9', 'If-Range': etag });
    const other = await get(recorded, { Range: 'bytes=0-9', 'If-Range': '"another"' });
    expect([same.status, other.status]).toEqual([206, 200]);
    await Promise.all([same.body?.cancel(), other.body?.cancel()]);
  });

  it('responds with 425 while a recorded call is live', async () => {
    const { callId } = await account.createCall({ recordingEnabled: true });
    const response = await get(callId);
    expect([response.status, response.headers.get('retry-after')]).toEqual([425, '5']);
    expect(((await response.json()) as ApiError).code).toBe('call_not_ended');
  });

  it('responds with 404 for missing, lost and foreign recordings', async () => {
    const status = async (callId: string): Promise<number> => (await get(callId)).status;
    const running = await account.createCall();
    expect(await status(running.callId)).toBe(404);
    await end(running, null);
    expect(await status(running.callId)).toBe(404);
    expect(await status(await recordedCall(false))).toBe(404);
    expect(await status('01999999-9999-7999-8999-999999999999')).toBe(404);
    expect(await status('..%2f..')).toBe(404);
    const stranger = await harness.account();
    const response = await stranger.request(`/api/calls/${recorded}/recording`);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
    expect((await fetch(`${harness.url}/api/calls/${recorded}/recording`)).status).toBe(401);
    expect((await get(recorded, {}, 'DELETE')).status).toBe(405);
  });

  it('closes the file when a client disconnects during the download', async () => {
    for (let i = 0; i < 5; i += 1) {
      const response = await get(recorded);
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    await eventually(async () => {
      const open = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      );
      expect(open.filter((path) => path.endsWith(`${recorded}.wav`))).toEqual([]);
    });
  });

  it('redirects to a bucket, or passes its content on, and stays ready without it', async () => {
    await using server = await startS3Server();
    using bucket = await openStorage(server.config, systemClock);
    const urls = [true, false].map((redirectsDownloads) =>
      harness.addReplica({}, { objectStorage: { ...server.config, redirectsDownloads } }),
    );
    const [redirecting = '', passing = ''] = await Promise.all(urls);
    const key = `recordings/${account.accountId}/${recorded}.wav`;
    await bucket.put(key, [content]);
    const options = { headers: { 'X-API-Key': account.key, Range: 'bytes=1000-1999' } };
    const path = `/api/calls/${recorded}/recording`;

    const redirect = await fetch(`${redirecting}${path}`, { ...options, redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'no-store']);
    expect(redirect.headers.get('location')).toContain('X-Amz-Expires=300');
    const head = await fetch(`${redirecting}${path}`, { ...options, method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([206, '1000']);
    for (const url of [redirecting, passing]) {
      const response = await fetch(`${url}${path}`, options);
      expect([response.status, response.redirected]).toEqual([206, url === redirecting]);
      expect((await bodyOf(response)).equals(content.subarray(1000, 2000))).toBe(true);
    }

    const expectReadiness = (objectStorage: string): Promise<void> =>
      eventually(async () => {
        const response = await fetch(`${passing}/readyz`);
        const { checks } = (await response.json()) as { checks: object };
        expect([response.status, checks]).toEqual([200, expect.objectContaining({ objectStorage })]);
      });
    await expectReadiness('ok');
    await bucket.delete(key);
    expect((await fetch(`${redirecting}${path}`, options)).status).toBe(404);
    await server.kill();
    await expectReadiness('degraded');
    expect((await fetch(`${passing}${path}`, options)).status).toBe(503);
  });
});
