import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SIP_INVITE_EXCHANGE } from '@calls/api-contract/bus/sip-invites';
import type { CallSpec, SipSpec } from '@calls/api-contract/call-spec';
import { createCallSeal } from '@calls/bus/call-seal';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { eventually } from '../support/eventually.ts';
import type { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { SipPeer, type PeerCall } from '../support/sip/sip-peer.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const seal = createCallSeal([WorkerPool.secret]);
/** Calls of each kind at the worker that is lost. */
const CALLS = 3;

let pool: WorkerPool;
let peer: SipPeer;
const open: AsyncDisposable[] = [];

beforeAll(async () => {
  [pool, peer] = await Promise.all([WorkerPool.open({ RECONNECT_GRACE_MS: '10000' }), SipPeer.open()]);
  await pool.atLeast(2);
});
beforeEach(() => pool.atLeast(2));
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
});

function spec(
  medium: Pick<SipSpec, 'direction' | 'to' | 'from'>,
  overrides: Partial<CallSpec> = {},
): CallSpec {
  return callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: {
      who: 'agent',
      text: 'Hello, who is there?',
      prompt: null,
      delayMs: 0,
      uninterruptible: false,
    },
    medium: { kind: 'sip', username: null, password: null, dtmf: null, ...medium },
    ...overrides,
  });
}

interface LiveCall {
  spec: CallSpec;
  phone: PeerCall;
}

async function placed(overrides: Partial<CallSpec> = {}): Promise<LiveCall> {
  const call = spec(
    { direction: 'outgoing', to: `sip:ann@127.0.0.1:${peer.port}`, from: 'sip:agent@calls.test' },
    overrides,
  );
  await pool.bus.createdCalls.publish(seal.seal({ admissionClass: 'standard', spec: call }), call.callId);
  return { spec: call, phone: await peer.take(await peer.invited()) };
}

async function received(at: MediaWorkerProcess): Promise<LiveCall> {
  const calls: CallSpec[] = [];
  await using _ = pool.bus.requests.respond(SIP_INVITE_EXCHANGE, ({ callId, to, from }) => {
    const call = spec({ direction: 'incoming', to: to.uri, from: from.uri }, { callId });
    calls.push(call);
    return Promise.resolve({ kind: 'call', created: seal.seal({ admissionClass: 'standard', spec: call }) });
  });
  await pool.bus.connection.ping();
  const phone = await peer.call(`sip:agent_1@127.0.0.1:${at.sipPort}`);
  if (!('dialog' in phone)) throw new Error(`refused: ${phone.status} ${phone.reason}`);
  return { spec: calls[0]!, phone };
}

const bodiesOf = async ({ callId }: CallSpec) =>
  (await pool.bus.callLogs.read(callId)).map(({ event }) => event.body);

const endReasonOf = ({ spec: call }: LiveCall): Promise<string> =>
  eventually(async () => {
    const last = (await bodiesOf(call)).at(-1);
    if (last?.type !== 'ended') throw new Error('the call has not ended');
    return last.endReason;
  });

/** Waits until another worker runs the call, and its agent answers there. */
async function continued({ spec: call, phone }: LiveCall): Promise<void> {
  await eventually(async () =>
    expect((await bodiesOf(call)).map(({ type }) => type)).toContain('taken_over'),
  );
  const before = phone.audible;
  const message = { type: 'user_text_message', text: 'Are you still there?' } as const;
  const reply = await pool.bus.commands.send(call.callId, { kind: 'send_message', message });
  expect(reply).toEqual({ outcome: 'accepted' });
  await eventually(async () => {
    const texts = (await bodiesOf(call)).flatMap((body) =>
      body.type === 'message_added' ? [body.message] : [],
    );
    const asked = texts.findIndex(({ text }) => text === message.text);
    expect(texts.slice(asked + 1).map(({ role }) => role)).toContain('MESSAGE_ROLE_AGENT');
  });
  await eventually(() => expect(phone.audible).toBeGreaterThan(before));
}

/** Calls in both directions at one worker. */
async function callsAtOneWorker(): Promise<[MediaWorkerProcess, LiveCall[]]> {
  const first = await placed();
  const [owner] = await pool.workersOf(first.spec);
  const calls = [first];
  for (let i = 0; i < CALLS; i += 1) calls.push(await received(owner));
  for (const { phone } of calls) await phone.audioReceived;
  return [owner, calls];
}

async function hungUp(calls: readonly LiveCall[]): Promise<void> {
  for (const { phone } of calls) await phone.dialog.bye();
  for (const call of calls) expect(await endReasonOf(call)).toBe('hangup');
}

describe('the SIP calls of a worker', () => {
  it('continue at another worker when theirs is killed', async () => {
    const [owner, calls] = await callsAtOneWorker();
    await pool.lose(owner);
    await Promise.all(calls.map(continued));
    await hungUp(calls);
  });

  it('continue at another worker when theirs freezes, and are unaffected when it resumes', async () => {
    const [owner, calls] = await callsAtOneWorker();
    owner.signal('SIGSTOP');
    await Promise.all(calls.map(continued));
    const sent = (): number => peer.messages.filter((text) => /^(?:INVITE|BYE) /u.test(text)).length;
    const before = sent();
    owner.signal('SIGCONT');
    // It finds that the leases are lost, and leaves the peers alone.
    await pool.lose(owner, 'SIGTERM');
    expect(sent()).toBe(before);
    await hungUp(calls);
  });

  it('continue at another worker when theirs stops', async () => {
    const [owner, calls] = await callsAtOneWorker();
    await pool.lose(owner, 'SIGTERM');
    await Promise.all(calls.map(continued));
    await hungUp(calls);
  });
});
