import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { SIP_MESSAGE_EVENT, type CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import {
  SIP_INVITE_REQUEST,
  type SipInviteReplyMessage,
  type SipInviteRequestMessage,
} from '@calls/api-contract/bus/sip-invites';
import { sipLogKey } from '@calls/api-contract/call-objects';
import type { CallSpec, SipSpec } from '@calls/api-contract/call-spec';
import { agentSpeaksFirst, callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { eventually } from '../support/eventually.ts';
import { SipPeer, type PeerCall } from '../support/sip/sip-peer.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const open: AsyncDisposable[] = [];

const [pool, peer] = await Promise.all([WorkerPool.open(), SipPeer.open()]);
await pool.atLeast(1);
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

const TRUNK = { username: 'trunk', password: 'open sesame', headers: { 'X-Order': '7' } };

function spec(medium: Partial<SipSpec>, overrides: Partial<CallSpec> = {}): CallSpec {
  return callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: agentSpeaksFirst('Hello, who is there?'),
    medium: sipSpec({ ...TRUNK, ...medium }),
    ...overrides,
  });
}

async function place(
  overrides: Partial<CallSpec> = {},
  to = `sip:ann@127.0.0.1:${peer.port}`,
): Promise<CallSpec> {
  const call = spec({ to }, overrides);
  await pool.queue(call);
  return call;
}

/** The log of an ended call, without its SIP messages. */
async function logOf(call: CallSpec): Promise<CallLogEntryBody[]> {
  return (await pool.endedLogOf(call)).filter((body) => !isSipMessage(body));
}

function isSipMessage(body: CallLogEntryBody): boolean {
  return body.type === 'noted' && body.eventType === SIP_MESSAGE_EVENT;
}

/** The first lines of the SIP messages that the call has reported so far, without retransmissions. */
async function reportedMessages(call: CallSpec): Promise<string[]> {
  const lines = (await pool.logOf(call)).flatMap((body) =>
    body.type === 'noted' && isSipMessage(body) ? [body.text] : [],
  );
  return [...new Set(lines)];
}

const messagesOf = (call: CallSpec): Promise<string> =>
  readFile(join(pool.folder, 'objects', sipLogKey(call)), 'utf8');

/** Requests, and responses with their request. On a busy machine both sides repeat them (RFC 3261, section 17), which is left out. */
function exchangeOf(messages: string): string[] {
  const each = messages.matchAll(/^(?<start>SIP\/2\.0 \d+|[A-Z]+ sip:)[^]*?^CSeq: *\d+ (?<method>[A-Z]+)/gmu);
  const lines = [...each].map(({ groups: { start = '', method = '' } = {} }) =>
    start.startsWith('SIP') ? `${start} to ${method}` : method,
  );
  return [...new Set(lines)];
}

function sipEnd(reason: string) {
  return {
    dialledAtMs: expect.any(Number),
    durationMs: expect.any(Number),
    terminationReason: `SIP_TERMINATION_${reason}`,
  };
}

/** A control-plane that creates calls and records its requests. */
async function controlPlane(
  answer: (request: SipInviteRequestMessage) => SipInviteReplyMessage,
): Promise<SipInviteRequestMessage[]> {
  const asked: SipInviteRequestMessage[] = [];
  open.push(
    pool.bus.requests.respond(SIP_INVITE_REQUEST, (request) => {
      asked.push(request);
      return Promise.resolve(answer(request));
    }),
  );
  await pool.bus.connection.ping();
  return asked;
}

/** Accepts every call. */
function takes(
  calls: CallSpec[],
  overrides: Partial<CallSpec> = {},
): (request: SipInviteRequestMessage) => SipInviteReplyMessage {
  return ({ callId, to, from }) => {
    const medium = {
      direction: 'incoming',
      to: to.uri,
      from: from.uri,
      username: null,
      password: null,
    } as const;
    const call = spec(medium, { callId, ...overrides });
    calls.push(call);
    return { kind: 'call', created: pool.created(call) };
  };
}

async function callIn(user = 'agent_1'): Promise<PeerCall> {
  const call = await peer.call(`sip:${user}@127.0.0.1:${pool.any.sipPort}`);
  if (!('dialog' in call)) throw new Error(`refused: ${call.status} ${call.reason}`);
  return call;
}

describe('an outgoing SIP call', () => {
  it('rings, is answered, exchanges audio and ends when the phone hangs up', async () => {
    const call = await place();
    const invite = await peer.invited();
    expect([invite.to.user, invite.from.uri]).toEqual(['ann', 'sip:agent@calls.test']);
    expect(invite.headers).toContainEqual(['X-Order', '7']);
    invite.ring();
    await eventually(async () =>
      expect(await reportedMessages(call)).toEqual([
        `Sent: INVITE sip:ann@127.0.0.1:${peer.port} SIP/2.0`,
        'Received: SIP/2.0 100 Trying',
        'Received: SIP/2.0 180 Ringing',
      ]),
    );
    const { dialog, audioReceived } = await peer.take(invite);
    await audioReceived;
    await eventually(async () =>
      expect((await reportedMessages(call)).slice(3)).toEqual([
        'Received: SIP/2.0 200 OK',
        expect.stringMatching(/^Sent: ACK sip:/u),
      ]),
    );
    await dialog.bye();
    const log = await logOf(call);
    expect(log[0]).toMatchObject({ type: 'joined', clientVersion: null });
    const sip = { ...sipEnd('NORMAL'), logKey: sipLogKey(call) };
    expect(log.at(-1)).toMatchObject({ endReason: 'hangup', joinedAtMs: expect.any(Number), sip });
    const statistics = log.filter((body) => body.type === 'noted' && body.eventType === 'media_statistics');
    const count = expect.any(Number);
    expect(statistics).toMatchObject([
      {
        severity: 'debug',
        extras: {
          codec: 'G722',
          ...{ packetsSent: count, bytesSent: count, packetsReceived: count, bytesReceived: count },
          ...{ packetsLost: count, jitterMs: count },
        },
      },
    ]);
    const text = await eventually(() => messagesOf(call));
    expect(exchangeOf(text)).toEqual([
      'INVITE',
      'SIP/2.0 100 to INVITE',
      'SIP/2.0 180 to INVITE',
      'SIP/2.0 200 to INVITE',
      'ACK',
      'BYE',
      'SIP/2.0 200 to BYE',
    ]);
  });

  it('hangs up the phone when the call ends', async () => {
    const call = await place();
    const { dialog } = await peer.take(await peer.invited());
    await eventually(async () => expect(await pool.bus.callLogs.last(call.callId)).not.toBeNull());
    await pool.end(call);
    expect(await dialog.ended).toEqual({ by: 'remote' });
    expect((await logOf(call)).at(-1)).toMatchObject({ endReason: 'agent_hangup', sip: sipEnd('NORMAL') });
  });

  it('returns the phone to the agent when a transfer is rejected', async () => {
    const call = await place({
      firstStage: stageSpec({
        model: 'svc-local',
        tools: [
          {
            name: 'transfer',
            builtIn: 'coldTransfer',
            definition: {
              dynamicParameters: [
                {
                  name: 'target',
                  location: 'PARAMETER_LOCATION_BODY',
                  schema: { type: 'string' },
                  required: true,
                },
              ],
            },
            auth: { headers: {}, queryParams: {} },
          },
        ],
      }),
    });
    const { dialog, audioReceived } = await peer.take(await peer.invited());
    await audioReceived;
    const toolCalls = [{ name: 'transfer', arguments: { target: '+4930654321' } }];
    const message = { type: 'forced_agent_message', content: '', toolCalls } as const;
    await eventually(async () =>
      expect(
        await pool.bus.commands.send(call.callId, {
          kind: 'send_message',
          message: { ...message, toolCalls },
        }),
      ).toEqual({ outcome: 'accepted' }),
    );
    await eventually(async () => {
      const bodies = await pool.logOf(call);
      expect(bodies).toContainEqual(
        expect.objectContaining({ eventType: 'transfer_refused', severity: 'warning' }),
      );
      expect(bodies.at(-1)?.type).not.toBe('ended');
    });
    await dialog.bye();
    const log = await logOf(call);
    expect(log.at(-1)).toMatchObject({ endReason: 'hangup', sip: sipEnd('NORMAL') });
    expect(log.at(-1)).not.toHaveProperty('transferTo');
    const text = await eventually(() => messagesOf(call));
    expect(text).toContain(`Refer-To: <sip:+4930654321@127.0.0.1:${peer.port}>`);
  });

  it.each([
    [486, 'BUSY', 'The line was busy (SIP 486).'],
    [404, 'INVALID_NUMBER', 'The number or address does not exist (SIP 404).'],
    [603, 'REJECTED', 'The call was rejected (SIP 603).'],
  ])('rejected with %i ends with reason %s and an error event', async (status, reason, text) => {
    const call = await place();
    (await peer.invited()).reject(status, 'No');
    expect(await logOf(call)).toMatchObject([
      { type: 'noted', severity: 'error', eventType: 'not_reached', text },
      { type: 'ended', endReason: 'unjoined', joinedAtMs: null, sip: sipEnd(reason) },
    ]);
    expect(await eventually(() => messagesOf(call))).toContain(`SIP/2.0 ${status}`);
  });

  it('is cancelled when it ends before the answer or is not answered in time', async () => {
    const call = await place();
    const invite = await peer.invited();
    invite.ring();
    await pool.end(call);
    await invite.cancelled;
    expect((await logOf(call)).at(-1)).toMatchObject({ endReason: 'unjoined', sip: sipEnd('CANCELED') });
    const late = await place({ joinTimeoutMs: 6000 });
    await (
      await peer.invited()
    ).cancelled;
    expect(await logOf(late)).toMatchObject([
      { eventType: 'not_reached', text: 'The call was not answered in time.' },
      { endReason: 'unjoined', sip: sipEnd('TIMEOUT') },
    ]);
  });

  it('stores no SIP messages when it has zero retention', async () => {
    const call = await place({ retention: 'zdr' });
    const { dialog } = await peer.take(await peer.invited());
    await dialog.bye();
    const sip = { ...sipEnd('NORMAL'), logKey: null };
    expect((await logOf(call)).at(-1)).toMatchObject({ endReason: 'hangup', sip });
    await expect(messagesOf(call)).rejects.toThrow('ENOENT');
    const reported = await pool.logOf(call);
    expect(reported.filter(isSipMessage)).toEqual([]);
  });
});

describe('an incoming SIP call', () => {
  it('is created by a control-plane, runs on the receiving worker and exchanges audio', async () => {
    const calls: CallSpec[] = [];
    const asked = await controlPlane(takes(calls));
    const { dialog, audioReceived } = await callIn();
    expect(asked).toMatchObject([
      {
        domain: '127.0.0.1',
        to: { user: 'agent_1' },
        from: { user: '+4930123456', displayName: 'Ann' },
        sourceAddress: '127.0.0.1',
      },
    ]);
    await audioReceived;
    const [call] = calls;
    if (!call) throw new Error('no call');
    expect((await pool.bus.leases.find(call.callId))?.holder?.workerId).toMatch(/^w1-/u);
    await pool.end(call);
    expect(await dialog.ended).toEqual({ by: 'remote' });
    const log = await logOf(call);
    expect(log[0]?.type).toBe('joined');
    const sip = { ...sipEnd('NORMAL'), logKey: sipLogKey(call) };
    expect(log.at(-1)).toMatchObject({ endReason: 'agent_hangup', sip });
    expect(await eventually(() => messagesOf(call))).toMatch(
      /^\S+ received from udp:127\.0\.0\.1:\d+\nINVITE sip:/u,
    );
  });

  it('is rejected with the status of the control-plane, or with 503 when none is available', async () => {
    await controlPlane(() => ({ kind: 'reject', status: 404, reason: 'No Such Agent' }));
    const to = `sip:unknown@127.0.0.1:${pool.any.sipPort}`;
    expect(await peer.call(to)).toMatchObject({ kind: 'failed', status: 404, reason: 'No Such Agent' });
    await open.pop()?.[Symbol.asyncDispose]();
    expect(await peer.call(to)).toMatchObject({ kind: 'failed', status: 503 });
  });

  it('is hung up when its worker stops', async () => {
    const calls: CallSpec[] = [];
    await controlPlane(takes(calls));
    const { dialog } = await callIn();
    const worker = pool.any;
    const lost = pool.lose(worker, 'SIGTERM');
    expect(await dialog.ended).toEqual({ by: 'remote' });
    await lost;
    const [call] = calls;
    if (!call) throw new Error('no call');
    expect((await logOf(call)).at(-1)).toMatchObject({ endReason: 'system_error' });
  });
});
