import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SIP_INVITE_REQUEST } from '@calls/api-contract/bus/sip-invites';
import type { CallSpec, SipSpec } from '@calls/api-contract/call-spec';
import { agentSpeaksFirst, callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { CertificateAuthority } from '@calls/testkit/certificates';
import { eventually } from '../support/eventually.ts';
import type { MediaWorkerProcess } from '../support/media-worker-process.ts';
import { SipPeer, type PeerCall } from '../support/sip/sip-peer.ts';
import { describeWithPhone, SoftPhone } from '../support/sip/soft-phone.ts';
import { WorkerPool } from '../support/worker-pool.ts';
const HOST = '127.0.0.1';
const ZERO_RETENTION = { retention: 'zdr' } as const;

const open: AsyncDisposable[] = [];

const authority = await CertificateAuthority.create();
const certificate = await authority.issue(`IP:${HOST}`);
const { caFile } = authority;
const env = {
  RECONNECT_GRACE_MS: '10000',
  SIP_TLS: 'true',
  SIP_TLS_PORT: '0',
  SIP_TLS_CERTIFICATE_FILE: certificate.certificateFile,
  SIP_TLS_KEY_FILE: certificate.keyFile,
  SIP_TLS_CA_FILE: caFile,
};
const tls = { port: 0, name: HOST, ...certificate, caFile, requiresClientCertificate: false };
const [pool, peer] = await Promise.all([WorkerPool.open(env), SipPeer.open({ tls })]);
/** Each test starts with one worker, and starts another one before it stops the first. */
beforeEach(async () => {
  for (const worker of pool.workers.slice(1)) await pool.lose(worker);
  await pool.atLeast(1);
});
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
});
afterAll(async () => {
  await peer[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});

type Transport = 'udp' | 'tcp' | 'tls';

function spec(
  medium: Pick<SipSpec, 'direction' | 'to' | 'from' | 'mediaEncryption'>,
  overrides: Partial<CallSpec> = {},
): CallSpec {
  return callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    firstSpeaker: agentSpeaksFirst('Hello, who is there?'),
    medium: sipSpec(medium),
    ...overrides,
  });
}

interface LiveCall {
  spec: CallSpec;
  phone: PeerCall;
}

/** An answered outgoing call of one of the workers. */
async function placed(
  transport: Transport = 'udp',
  mediaEncryption: SipSpec['mediaEncryption'] = 'off',
  overrides: Partial<CallSpec> = {},
): Promise<LiveCall> {
  const port = transport === 'tls' ? peer.tlsPort : peer.port;
  const call = await placedTo(`sip:ann@${HOST}:${port};transport=${transport}`, mediaEncryption, overrides);
  return { spec: call, phone: await peer.take(await peer.invited()) };
}

async function placedTo(
  to: string,
  mediaEncryption: SipSpec['mediaEncryption'] = 'off',
  overrides: Partial<CallSpec> = {},
): Promise<CallSpec> {
  const call = spec({ direction: 'outgoing', to, from: 'sip:agent@calls.test', mediaEncryption }, overrides);
  await pool.queue(call);
  return call;
}

async function received(at: MediaWorkerProcess, transport: Transport = 'udp'): Promise<LiveCall> {
  const calls: CallSpec[] = [];
  await using _ = pool.bus.requests.respond(SIP_INVITE_REQUEST, ({ callId, to, from }) => {
    const call = spec({ direction: 'incoming', to: to.uri, from: from.uri }, { callId });
    calls.push(call);
    return Promise.resolve({ kind: 'call', created: pool.created(call) });
  });
  await pool.bus.connection.ping();
  const phone = await peer.call(`sip:agent_1@${HOST}:${at.sipPort};transport=${transport}`);
  if (!('dialog' in phone)) throw new Error(`refused: ${phone.status} ${phone.reason}`);
  return { spec: calls[0]!, phone };
}

const endReasonOf = ({ spec: call }: LiveCall): Promise<string> =>
  eventually(async () => {
    const last = (await pool.logOf(call)).at(-1);
    if (last?.type !== 'ended') throw new Error('the call has not ended');
    return last.endReason;
  });

/** Waits until another worker runs the call. */
async function failedOver(call: CallSpec): Promise<void> {
  await eventually(async () =>
    expect((await pool.logOf(call)).map(({ type }) => type)).toContain('taken_over'),
  );
}

/** Waits until another worker runs the call and its agent is audible. */
async function audibleAgain({ spec: call, phone }: LiveCall): Promise<void> {
  await failedOver(call);
  const before = phone.audible;
  await eventually(() => expect(phone.audible).toBeGreaterThan(before));
}

async function ask(call: CallSpec, text: string): Promise<void> {
  await eventually(async () => {
    const message = { type: 'user_text_message', text } as const;
    const reply = await pool.bus.commands.send(call.callId, { kind: 'send_message', message });
    expect(reply).toEqual({ outcome: 'accepted' });
  });
}

/** Waits until the agent on another worker has answered a question. */
async function continued({ spec: call, phone }: LiveCall): Promise<void> {
  await failedOver(call);
  const question = 'Are you still there?';
  await ask(call, question);
  const before = phone.audible;
  await eventually(async () => {
    const texts = (await pool.logOf(call)).flatMap((body) =>
      body.type === 'message_added' ? [body.message] : [],
    );
    const asked = texts.findIndex(({ text }) => text === question);
    expect(texts.slice(asked + 1).map(({ role }) => role)).toContain('MESSAGE_ROLE_AGENT');
  });
  await eventually(() => expect(phone.audible).toBeGreaterThan(before));
}

/** Calls in both directions. */
async function callsInBothDirections(): Promise<LiveCall[]> {
  return audible([await placed(), await received(pool.any), await received(pool.any, 'tcp')]);
}

/** Waits until the agents are audible. */
async function audible(calls: LiveCall[]): Promise<LiveCall[]> {
  for (const { phone } of calls) await phone.audioReceived;
  return calls;
}

/** Starts another worker and returns the worker that has the calls. */
async function workerToLose(): Promise<MediaWorkerProcess> {
  const owner = pool.any;
  await pool.atLeast(2);
  return owner;
}

async function hungUp(calls: readonly LiveCall[]): Promise<void> {
  for (const { phone } of calls) await phone.dialog.bye();
  for (const call of calls) expect(await endReasonOf(call)).toBe('hangup');
}

describe('the SIP calls of a worker', () => {
  it('continue on another worker when their worker is killed, over each transport and with each encryption', async () => {
    const calls = await callsInBothDirections();
    const others = await audible([
      await placed('tcp'),
      await placed('tls', 'required'),
      await placed('tls', 'dtls'),
    ]);
    const [unstored] = await audible([await placed('udp', 'off', ZERO_RETENTION)]);
    await pool.lose(await workerToLose());
    await Promise.all([...calls.map(continued), ...others.map(audibleAgain), endsWithBye(unstored!)]);
    await hungUp([...calls, ...others]);
  });

  /** Expects the end of a call that has no stored conversation. */
  async function endsWithBye(call: LiveCall): Promise<void> {
    expect(await call.phone.dialog.ended).toEqual({ by: 'remote' });
    expect(await endReasonOf(call)).toBe('system_error');
  }

  it('fail over when their worker freezes, unless the peer hangs up, and are unaffected when it resumes', async () => {
    const calls = await callsInBothDirections();
    const [abandoned] = await audible([await placed()]);
    const owner = await workerToLose();
    owner.signal('SIGSTOP');
    void abandoned!.phone.dialog.bye();
    await Promise.all(calls.map(continued));
    expect(await endReasonOf(abandoned!)).toBe('connection_error');
    // Matches requests of this worker only, because the other one may repeat requests.
    const via = new RegExp(`^Via: [^\\r]*:${owner.sipPort};`, 'mu');
    const sent = (): number =>
      peer.received.filter((text) => /^(?:INVITE|BYE) /u.test(text) && via.test(text)).length;
    const before = sent();
    expect(before).toBeGreaterThan(0);
    owner.signal('SIGCONT');
    // The worker detects that it lost the leases, and sends nothing to the peers.
    await pool.lose(owner, 'SIGTERM');
    expect(sent()).toBe(before);
    await hungUp(calls);
  });

  it('are dropped immediately by a worker that another worker wrongly considers lost', async () => {
    const owner = await workerToLose();
    const before = await udpSockets(owner.pid);
    const [call] = await audible([await received(owner)]);
    const { callId } = call!.spec;
    const { holder } = (await pool.bus.leases.find(callId))!;
    expect(await udpSockets(owner.pid)).toBeGreaterThan(before);
    // After its greeting, the worker writes no log entries, which would be refused.
    await eventually(async () =>
      expect((await pool.logOf(call!.spec)).map(({ type }) => type)).toContain('message_added'),
    );
    const commands: string[] = [];
    using _ = pool.bus.commands.serve(callId, ({ kind }) => {
      commands.push(kind);
      return null;
    });
    pool.bus.heartbeats.sendReleased({ workerId: holder!.workerId, callId });
    await failedOver(call!.spec);
    await eventually(async () => expect(await udpSockets(owner.pid)).toBe(before));
    // It was asked, and did not find out by itself later.
    expect(commands).toContain('status');
    await hungUp([call!]);
  });

  /** Number of UDP sockets of a process; the media of a call has some. */
  async function udpSockets(pid: number): Promise<number> {
    const folder = `/proc/${pid}/fd`;
    const [table, files] = await Promise.all([readFile('/proc/net/udp', 'utf8'), readdir(folder)]);
    const inodes = new Set(table.split('\n').map((line) => line.trim().split(/\s+/u)[9]));
    const targets = await Promise.all(files.map((file) => readlink(join(folder, file)).catch(() => '')));
    return targets.filter((target) => inodes.has(/^socket:\[(\d+)\]$/u.exec(target)?.[1])).length;
  }

  it('continue on another worker when their worker stops', async () => {
    const calls = await callsInBothDirections();
    await pool.lose(await workerToLose(), 'SIGTERM');
    await Promise.all(calls.map(continued));
    await hungUp(calls);
  });
});

describeWithPhone('a call of a softphone', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('continues when its worker receives %s', async (signal) => {
    const phone = await SoftPhone.open({ user: 'ann', answersAtOnce: true });
    open.push(phone);
    const call = await placedTo(phone.uri);
    await phone.until('CALL_ESTABLISHED');
    await eventually(async () => expect(await loudSamples(phone)).toBeGreaterThan(0));
    await pool.lose(await workerToLose(), signal);
    await failedOver(call);
    const before = await loudSamples(phone);
    // After a planned move, the agent waits for the user.
    await ask(call, 'Are you still there?');
    await eventually(async () => expect(await loudSamples(phone)).toBeGreaterThan(before));
    expect(phone.events).not.toContain('CALL_CLOSED');
    await phone.hangUp();
    await eventually(async () =>
      expect((await pool.logOf(call)).at(-1)).toMatchObject({ endReason: 'hangup' }),
    );
  });
});

const loudSamples = async (phone: SoftPhone): Promise<number> =>
  (await phone.played()).filter((sample) => Math.abs(sample) > 500).length;
