import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { SupervisionMessage } from '@calls/api-contract/supervision/supervisor-messages';
import { bytesFromSamples, concatSamples, samplesFromBytes } from '@calls/audio/pcm';
import { newTraceContext, traceparentOf } from '@calls/foundation/trace-context';
import { createSupervisorTokens, type SupervisorClaims } from '@calls/secrets/join-tokens/supervisor-tokens';
import { callSpec, sipSpec, stageSpec } from '@calls/testkit/call-spec';
import { WebSocket } from 'ws';
import { eventually } from '../support/eventually.ts';
import { SipPeer } from '../support/sip/sip-peer.ts';
import { powerAt, tone } from '../support/tones.ts';
import { WorkerPool } from '../support/worker-pool.ts';

const [USER_HZ, SUPERVISOR_HZ] = [700, 1900];
const FRAME_SAMPLES = 320;
const tokens = createSupervisorTokens([WorkerPool.secret]);

const open: Disposable[] = [];

const pool = await WorkerPool.open();
await pool.atLeast(2);
afterEach(() => {
  for (const peer of open.splice(0)) peer[Symbol.dispose]();
});
afterAll(() => pool[Symbol.asyncDispose]());

/** A client or a supervisor: plays a tone in real time and collects what it receives. */
class Peer<Message> implements Disposable {
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  readonly #pcm: Int16Array[] = [];
  readonly #socket: WebSocket;
  #playing: NodeJS.Timeout | undefined;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (data, isBinary) => {
      if (isBinary) this.#pcm.push(samplesFromBytes(data as Buffer));
      else this.messages.push(JSON.parse((data as Buffer).toString()) as Message);
    });
    this.closed = new Promise((resolve) => this.#socket.once('close', resolve));
    open.push(this);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#playing);
    this.#socket.terminate();
  }

  play(frequencyHz: number): void {
    const samples = tone(frequencyHz, 1000);
    let at = 0;
    this.#playing = setInterval(() => {
      this.#socket.send(bytesFromSamples(samples.slice(at, at + FRAME_SAMPLES)));
      at = (at + FRAME_SAMPLES) % samples.length;
    }, 20);
  }

  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#socket.close(1000);
  }

  /** The audio received so far, or one channel of stereo audio. */
  received(channel?: 0 | 1): Int16Array {
    const all = concatSamples(this.#pcm);
    return channel === undefined ? all : all.filter((_, i) => i % 2 === channel);
  }
}

async function createCall(overrides: Partial<CallSpec> = {}): Promise<CallSpec> {
  const spec = callSpec({
    createdAtMs: Date.now(),
    firstStage: stageSpec({ model: 'svc-local' }),
    ...overrides,
  });
  const trace = traceparentOf(newTraceContext(null));
  await pool.queue(spec, { trace });
  await eventually(async () => expect(await pool.bus.commands.isServed(spec.callId)).toBe(true));
  return spec;
}

async function join(spec: CallSpec): Promise<Peer<{ type: string }>> {
  const [owner] = await pool.workersOf(spec);
  const client = new Peer<{ type: string }>(
    `${owner.url}/join/${spec.callId}?token=${await pool.tokenFor(spec)}`,
  );
  await eventually(() => expect(client.messages.some(({ type }) => type === 'call_started')).toBe(true));
  return client;
}

/** The URL at the worker that does not run the call. */
async function superviseUrl(spec: CallSpec, claims: Partial<SupervisorClaims> = {}): Promise<string> {
  const [, other] = await pool.workersOf(spec);
  const token = tokens.issue({
    callId: spec.callId,
    supervisorId: randomUUID(),
    name: 'Ann',
    mode: 'barge',
    sampleRateHz: 16_000,
    channelMode: 'separated',
    expiresAtMs: Date.now() + 60_000,
    ...claims,
  });
  return `${other.url}/supervise/${spec.callId}?token=${token}`;
}

async function supervise(
  spec: CallSpec,
  claims: Partial<SupervisorClaims> = {},
): Promise<Peer<SupervisionMessage>> {
  const supervisor = new Peer<SupervisionMessage>(await superviseUrl(spec, claims));
  await eventually(() => expect(supervisor.messages[0]?.type).toBe('supervision_started'));
  return supervisor;
}

async function rejected(url: string): Promise<number> {
  return new Peer(url).closed;
}

describe('a supervisor of a live call', () => {
  it('receives the audio of the user, speaks in place of the agent, and hands the call back', async () => {
    const spec = await createCall();
    const client = await join(spec);
    client.play(USER_HZ);
    const ann = await supervise(spec);
    await eventually(() => {
      const [user, agent] = [ann.received(0), ann.received(1)].map((each) => powerAt(each, USER_HZ));
      expect(user).toBeGreaterThan(1e10);
      expect(user).toBeGreaterThan(1000 * agent!);
    });
    const bob = await supervise(spec, { channelMode: 'mixed', name: 'Bob' });
    ann.send({ type: 'take_over' });
    await eventually(() => expect(bob.messages.map(({ type }) => type)).toContain('call_taken_over'));
    bob.send({ type: 'take_over' });
    ann.play(SUPERVISOR_HZ);
    await eventually(() => {
      expect(powerAt(client.received(), SUPERVISOR_HZ)).toBeGreaterThan(1e10);
      expect(powerAt(bob.received(), SUPERVISOR_HZ)).toBeGreaterThan(1e10);
      expect(powerAt(bob.received(), USER_HZ)).toBeGreaterThan(1e10);
    });
    expect(powerAt(ann.received(1), SUPERVISOR_HZ)).toBeLessThan(1e6);
    expect(bob.messages).toContainEqual(
      expect.objectContaining({ type: 'refused', message: 'take_over', reason: 'already_taken_over' }),
    );
    ann.send({ type: 'hand_back', instruction: 'Say goodbye.' });
    await eventually(() => expect(ann.messages.map(({ type }) => type)).toContain('call_handed_back'));
    ann.close();
    client.close();
    expect(await bob.closed).toBe(1000);
    const noted = (await pool.endedLogOf(spec)).flatMap((body) =>
      body.type === 'noted' && /supervisor_|call_(?:taken|handed)/u.test(body.eventType)
        ? [`${body.eventType} ${String(body.extras?.['name'])}`]
        : [],
    );
    expect(noted).toEqual([
      'supervisor_joined Ann',
      'supervisor_joined Bob',
      'call_taken_over Ann',
      'call_handed_back Ann',
      'supervisor_left Ann',
      'supervisor_left Bob',
    ]);
  });

  it('whispers to the agent, without a message to the user', async () => {
    const spec = await createCall();
    const client = await join(spec);
    const ann = await supervise(spec, { mode: 'whisper' });
    ann.send({ type: 'whisper', text: 'Offer breakfast.' });
    ann.send({ type: 'take_over' });
    ann.send({ type: 'whisper', text: '' });
    ann.send({ type: 'shout' });
    await eventually(() => {
      const refusals = ann.messages.flatMap((message) => (message.type === 'refused' ? [message] : []));
      expect(refusals.map(({ reason }) => reason)).toEqual(['not_allowed', 'malformed', 'malformed']);
      expect(refusals[2]?.detail).toBe('type must be one of whisper, take_over, hand_back, ping');
    });
    await eventually(() =>
      expect(ann.messages).toContainEqual(expect.objectContaining({ type: 'transcript', role: 'agent' })),
    );
    expect(JSON.stringify(client.messages)).not.toContain('breakfast');
    client.close();
    await eventually(async () =>
      expect(await pool.logOf(spec)).toContainEqual(
        expect.objectContaining({
          type: 'message_added',
          message: expect.objectContaining({ role: 'MESSAGE_ROLE_UNSPECIFIED', text: 'Offer breakfast.' }),
        }),
      ),
    );
  });

  it('speaks to a phone in place of the agent', async () => {
    await using phone = await SipPeer.open();
    const spec = await createCall({
      medium: sipSpec({ to: `sip:ann@127.0.0.1:${phone.port}` }),
    });
    const { dialog, audioReceived } = await phone.take(await phone.invited());
    await eventually(async () =>
      expect((await pool.logOf(spec)).map(({ type }) => type)).toContain('joined'),
    );
    const ann = await supervise(spec);
    ann.send({ type: 'take_over' });
    ann.play(SUPERVISOR_HZ);
    // The agent waits for the user to speak first.
    await audioReceived;
    await dialog.bye();
    expect(await ann.closed).toBe(1000);
    await pool.endedLogOf(spec);
  });

  it('is rejected without a valid token or a live call', async () => {
    const spec = await createCall();
    const url = await superviseUrl(spec);
    // The call waits for its client.
    expect(await rejected(url)).toBe(4404);
    const client = await join(spec);
    expect(await rejected(await superviseUrl(spec, { expiresAtMs: Date.now() - 1 }))).toBe(4401);
    expect(await rejected(await superviseUrl(spec, { callId: randomUUID() }))).toBe(4401);
    expect(await rejected(url.replace(/token=.*/u, `token=${await pool.tokenFor(spec)}`))).toBe(4401);
    // A supervisor cannot join in place of the client.
    expect(await rejected(url.replace('/supervise/', '/join/'))).toBe(4401);
    const ann = await supervise(spec, { supervisorId: 'ann' });
    expect(await rejected(await superviseUrl(spec, { supervisorId: 'ann' }))).toBe(4409);
    for (let i = 1; i < 4; i += 1) await supervise(spec);
    expect(await rejected(url)).toBe(4503);
    client.close();
    expect(await ann.closed).toBe(1000);
    await eventually(async () => expect(await rejected(url)).toBe(4404));
  });
});
