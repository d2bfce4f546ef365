import { once } from 'node:events';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { DIAL_REQUEST, type DialReplyMessage } from '@calls/api-contract/bus/live-calls';
import type { CallSpec, CallToolSpec } from '@calls/api-contract/call-spec';
import { AppError } from '@calls/foundation/errors';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import type { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { WorkerPool } from '../support/worker-pool.ts';
import { WritingClient } from '../support/writing-client.ts';
/** Time limit for a reply on a busy machine. */
const AMPLE_MS = 60_000;

const open: AsyncDisposable[] = [];
/** Dial requests to the control-plane, in order. */
let asked: string[] = [];

const pool = await WorkerPool.open();
await pool.atLeast(3);
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
  asked = [];
});
afterAll(() => pool[Symbol.asyncDispose]());

/** Starts a stand-in for a control-plane that dials. */
async function controlPlane(answer: () => Promise<DialReplyMessage>): Promise<void> {
  open.push(
    pool.bus.requests.respond(DIAL_REQUEST, ({ callId }) => {
      asked.push(callId);
      return answer();
    }),
  );
  await pool.bus.connection.ping();
}

const dials = () => Promise.resolve({ outcome: 'dialled' } as const);

async function createCall(overrides: Partial<CallSpec> = {}): Promise<CallSpec> {
  const spec = callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    initialOutputMedium: 'text',
    medium: { kind: 'telephony1', dials: true, dtmf: null },
    ...overrides,
  });
  await pool.queue(spec);
  return spec;
}

const held = (spec: CallSpec) =>
  eventually(async () => expect((await pool.bus.leases.find(spec.callId))?.holder).toBeTruthy());

const wasAsked = (spec: CallSpec, times: number) =>
  eventually(() => expect(asked.filter((callId) => callId === spec.callId)).toHaveLength(times));

/** Returns the path that a telephony provider connects to, which contains the token. */
async function pathAt(at: MediaWorkerProcess, call: CallSpec): Promise<string> {
  return `${at.url}/join/${call.callId}/${await pool.tokenFor(call)}`;
}

describe('an outgoing phone call', () => {
  it('is dialled after a worker accepts it and ends when the phone is not reached', async () => {
    await controlPlane(dials);
    const spec = await createCall();
    await wasAsked(spec, 1);
    expect(await pool.bus.callLogs.last(spec.callId)).toBeNull();
    const detail = 'The phone was busy.';
    expect(await pool.bus.commands.send(spec.callId, { kind: 'not_reached', detail }, AMPLE_MS)).toEqual({
      outcome: 'accepted',
    });
    expect(await pool.endedLogOf(spec)).toMatchObject([
      { type: 'noted', severity: 'error', eventType: 'not_reached', text: detail },
      { type: 'ended', endReason: 'unjoined', joinedAtMs: null },
    ]);
    // The worker removes the call shortly after its last log entry.
    await eventually(async () =>
      expect(await pool.bus.commands.send(spec.callId, { kind: 'status' })).toBeNull(),
    );
    expect(asked).toEqual([spec.callId]);
  });

  it('ends when the provider rejects it and when no control-plane responds', async () => {
    const detail = 'telephony1 refused the number.';
    await controlPlane(() => Promise.resolve({ outcome: 'refused', detail }));
    const refused = await createCall();
    expect(await pool.endedLogOf(refused)).toMatchObject([
      { eventType: 'not_reached', text: detail },
      { type: 'ended', endReason: 'unjoined' },
    ]);
    await open.pop()?.[Symbol.asyncDispose]();
    const unanswered = await createCall();
    expect(await pool.endedLogOf(unanswered)).toMatchObject([
      { eventType: 'not_reached', text: expect.stringContaining('did not respond') },
      { type: 'ended', endReason: 'unjoined' },
    ]);
  });

  it('is requested again when a control-plane fails, unlike incoming calls, which are never dialled', async () => {
    let failures = 0;
    await controlPlane(() => {
      failures += 1;
      return failures === 1
        ? Promise.reject(new AppError('unavailable', 'not now', { retryable: true }))
        : dials();
    });
    const incoming = await createCall({ medium: { kind: 'telephony1', dials: false, dtmf: null } });
    const spec = await createCall();
    await wasAsked(spec, 2);
    await held(incoming);
    expect(asked).toEqual([spec.callId, spec.callId]);
    for (const { callId } of [spec, incoming]) {
      expect(await pool.bus.commands.send(callId, { kind: 'status' }, AMPLE_MS)).toEqual({
        outcome: 'accepted',
      });
      await pool.bus.commands.send(callId, { kind: 'end' }, AMPLE_MS);
    }
  });
});

describe('a phone call with an unusable media stream', () => {
  const stream = async (kind: 'telephony2' | 'telephony4'): Promise<[CallSpec, (frame: object) => void]> => {
    const spec = await createCall({ medium: { kind, dials: false, dtmf: null } });
    await held(spec);
    const [owner] = await pool.workersOf(spec);
    const socket = await openSocket(await pathAt(owner, spec));
    return [spec, (frame) => socket.send(JSON.stringify(frame))];
  };

  it('ends with the reason when the codec is not supported', async () => {
    const [spec, send] = await stream('telephony2');
    const media_format = { encoding: 'AMR-WB', sample_rate: 16_000, channels: 1 };
    send({ event: 'start', stream_id: 's', start: { media_format } });
    const text = expect.stringContaining('start: AMR-WB at 16000 Hz is not supported');
    expect(await pool.endedLogOf(spec)).toMatchObject([
      { type: 'noted', severity: 'error', eventType: 'stream_unusable', text },
      { type: 'ended', endReason: 'unjoined' },
    ]);
  });

  it('ends with the reason when the provider sends no valid start', async () => {
    const [spec, send] = await stream('telephony4');
    send({ event: 'start', start: {} });
    const text = expect.stringContaining('start.stream_sid is required');
    expect(await pool.endedLogOf(spec)).toMatchObject([
      { type: 'noted', severity: 'error', eventType: 'stream_unusable', text },
      { type: 'ended', endReason: 'unjoined' },
    ]);
  });
});

describe('a join with the token in the path', () => {
  const medium = callSpec().medium;

  it('works like other joins, even at a worker without the call', async () => {
    const spec = await createCall({ medium });
    await held(spec);
    const [owner, other] = await pool.workersOf(spec);
    const client = new WritingClient(await pathAt(other, spec));
    open.push(client);
    await client.joined();
    client.write('Hello there');
    await client.answered(1);
    for (const at of [owner, other]) {
      const second = new WritingClient(await pathAt(at, spec));
      expect(await second.closed).toBe(4409);
    }
    client.hangUp();
    expect((await pool.endedLogOf(spec)).at(-1)).toMatchObject({ endReason: 'hangup' });
  });

  it('is rejected without a token, with the token of another call or with a longer path', async () => {
    const [spec, another] = [await createCall({ medium }), await createCall({ medium })];
    await Promise.all([held(spec), held(another)]);
    const [owner] = await pool.workersOf(spec);
    const path = await pathAt(owner, spec);
    const closed = (url: string): Promise<number> => new WritingClient(url).closed;
    const wrong = path.replace(spec.callId, another.callId);
    expect(await Promise.all([closed(path.slice(0, -1)), closed(wrong), closed(`${path}x`)])).toEqual([
      4401, 4401, 4401,
    ]);
    // No connection is upgraded at this path.
    expect(await Promise.all([closed(`${path}/`), closed(`${path}/more`)])).toEqual([1006, 1006]);
    for (const { callId } of [spec, another]) await pool.bus.commands.send(callId, { kind: 'end' }, AMPLE_MS);
  });

  it('is rejected by WHIP because a phone call has another medium', async () => {
    const spec = await createCall({ medium: { kind: 'telephony2', dials: false, dtmf: null } });
    await held(spec);
    const [owner] = await pool.workersOf(spec);
    const path = (await pathAt(owner, spec)).replace('ws:', 'http:');
    const post = async (url: string): Promise<[number, unknown]> => {
      const headers = { 'content-type': 'application/sdp' };
      const response = await fetch(url, { method: 'POST', headers, body: 'v=0' });
      return [response.status, await response.json()];
    };
    expect(await post(path)).toMatchObject([426, { code: 'upgrade_required' }]);
    const token = await pool.tokenFor(spec);
    const whip = path.replace(/\/[^/]+$/u, `?token=${token}`);
    expect(await post(whip)).toMatchObject([422, { code: 'other_medium' }]);
    await pool.bus.commands.send(spec.callId, { kind: 'end' }, AMPLE_MS);
  });
});

async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.on('error', () => undefined);
  open.push({
    [Symbol.asyncDispose]: () => {
      socket.terminate();
      return Promise.resolve();
    },
  });
  await once(socket, 'open');
  return socket;
}

/** The start of a phone call stream in the telephony1 format. */
async function phoneStream(url: string): Promise<{ send: (frame: object) => void }> {
  const socket = await openSocket(url);
  const send = (frame: object): void => socket.send(JSON.stringify({ streamSid: 'MZ1', ...frame }));
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
  send({ event: 'start', start: { streamSid: 'MZ1', callSid: 'CA1', tracks: ['inbound'], mediaFormat } });
  return { send };
}

const TARGET = { name: 'target', location: 'PARAMETER_LOCATION_BODY', schema: { type: 'string' } } as const;

describe('an outgoing phone call whose worker stops', () => {
  it('fails over with its DTMF digits and is not dialled again', async () => {
    await controlPlane(dials);
    const transfer: CallToolSpec = {
      name: 'transfer',
      builtIn: 'coldTransfer',
      definition: { dynamicParameters: [{ ...TARGET, required: true }] },
      auth: { headers: {}, queryParams: {} },
    };
    const spec = await createCall({
      medium: { kind: 'telephony1', dials: true, dtmf: { text: 'Keys: {digits}', urgency: 'later' } },
      firstStage: stageSpec({ model: 'svc-local', tools: [transfer] }),
      allowedMediums: ['voice'],
      initialOutputMedium: 'voice',
    });
    await wasAsked(spec, 1);
    const [owner, other] = await pool.workersOf(spec);
    const keys = async (): Promise<(string | undefined)[]> =>
      (await pool.bus.callLogs.read(spec.callId)).flatMap(({ event: { body } }) =>
        body.type === 'message_added' && body.message.role === 'MESSAGE_ROLE_USER' ? [body.message.text] : [],
      );
    const stream = await phoneStream(await pathAt(owner, spec));
    for (const digit of '47') stream.send({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } });
    await eventually(async () => expect(await keys()).toEqual(['Keys: 47']));
    await pool.lose(owner);
    await phoneStream(await pathAt(other, spec));
    const toolCalls = [{ name: 'transfer', arguments: { target: '+4930123456' } }];
    const message = {
      type: 'forced_agent_message' as const,
      content: 'Bye.',
      urgency: 'immediate' as const,
      toolCalls,
    };
    await eventually(async () =>
      expect(await pool.bus.commands.send(spec.callId, { kind: 'send_message', message })).toEqual({
        outcome: 'accepted',
      }),
    );
    expect((await pool.endedLogOf(spec)).at(-1)).toMatchObject({
      endReason: 'agent_hangup',
      transferTo: '+4930123456',
    });
    expect(asked).toEqual([spec.callId]);
  });

  it('is dialled for the new worker and not ended by a late response to the old one', async () => {
    const late = Promise.withResolvers<DialReplyMessage>();
    await controlPlane(() => (asked.length === 1 ? late.promise : dials()));
    const spec = await createCall();
    await wasAsked(spec, 1);
    const [owner, other] = await pool.workersOf(spec);
    const lost = pool.lose(owner, 'SIGTERM');
    await eventually(async () => expect((await pool.bus.leases.find(spec.callId))?.holder).toBeNull());
    late.resolve({ outcome: 'refused', detail: 'Too late.' });
    await lost;
    // The answered phone connects to another worker.
    const stream = new WebSocket(await pathAt(other, spec));
    await Promise.all([once(stream, 'open'), wasAsked(spec, 2)]);
    stream.terminate();
    await pool.bus.commands.send(spec.callId, { kind: 'end' }, AMPLE_MS);
    expect((await pool.endedLogOf(spec)).map(({ type }) => type)).toEqual(['taken_over', 'ended']);
  });
});
