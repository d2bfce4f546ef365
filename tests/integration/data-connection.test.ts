import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataConnectionSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { Severity } from '@calls/api-contract/rest/enums';
import { bytesFromSamples, levelDbfs, samplesFromBytes } from '@calls/audio/pcm';
import type { DataConnection } from '@calls/conversation/ports/data-connection';
import { createDataConnections } from '@calls/media-worker/data-connections/customer-data-connection';
import { HANDSHAKE_LIMIT_MS, PING_EVERY_MS } from '@calls/media-worker/data-connections/data-socket';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { settle, VirtualClock } from '@calls/foundation/virtual-clock';
import { MAX_FRAGMENTS } from '@calls/transports/client-socket/client-socket';
import { DataConnectionServer, type AcceptedConnection } from '../support/data-connection-server.ts';
import { eventually } from '../support/eventually.ts';

const SECRETS = ['a shared secret of theirs', 'the next shared secret'];
const CALL_ID = '0190f3a0-0000-7000-8000-000000000001';

interface Note {
  severity: Severity;
  type: string;
  text: string;
  extras: Record<string, unknown> | null;
}

let clock: VirtualClock;
let server: DataConnectionServer;
let outbound: OutboundHttp;
let messages: ClientMessage[];
let notes: Note[];
let opened: DataConnection[];

beforeEach(async () => {
  // The server checks the age of signatures by its own clock.
  clock = new VirtualClock(Date.now());
  server = await DataConnectionServer.start(SECRETS);
  outbound = createOutboundHttp({ allowPrivateNetworks: ['127.0.0.1'] });
  messages = [];
  notes = [];
  opened = [];
});
afterEach(async () => {
  const closing = Promise.all(opened.map((connection) => connection.close('call_ended')));
  // Ends the wait for servers that never close the connection.
  await clock.advance(2000);
  await closing;
  await outbound[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  expect(clock.pendingTimers).toBe(0);
});

/** `random` 1 selects the longest delays. */
function open(
  changed: Partial<DataConnectionSpec> = {},
  { via = outbound, sharedSecrets = SECRETS }: { via?: OutboundHttp; sharedSecrets?: readonly string[] } = {},
): DataConnection {
  const config: DataConnectionSpec = {
    url: server.url,
    headers: {},
    dataMessages: {},
    audio: null,
    ...changed,
  };
  const connections = createDataConnections({ outbound: via, clock, random: () => 1 });
  const connection = connections.open(
    { callId: CALL_ID, sharedSecrets, config },
    {
      onMessage: (message) => messages.push(message),
      onNote: (severity, type, text, extras) => notes.push({ severity, type, text, extras }),
    },
  );
  opened.push(connection);
  return connection;
}

async function connected(nth = 1): Promise<AcceptedConnection> {
  await clock.advance(0);
  return eventually(() => {
    const connection = server.connections[nth - 1];
    expect(notes.filter(({ type }) => type === 'data_connection_connected')).toHaveLength(nth);
    if (!connection) throw new Error('not connected yet');
    return connection;
  });
}

const noted = (type: string): Note[] => notes.filter((note) => note.type === `data_connection_${type}`);

const state = (of: 'listening' | 'thinking' | 'speaking') => ({ type: 'state', state: of }) as const;

describe('the data connection handshake', () => {
  it('is signed with every secret and has custom headers that cannot replace service headers', async () => {
    open({
      headers: {
        Authorization: 'Bearer mine',
        'x-svc-signature': 'forged',
        Host: 'elsewhere',
        'Sec-WebSocket-Key': 'x',
      },
    });
    const { headers, signature } = await connected();
    expect(signature).toBe('valid');
    expect(headers).toMatchObject({ authorization: 'Bearer mine', 'x-svc-call-id': CALL_ID });
    expect(headers.host).toBe(new URL(server.url).host);
  });

  it('identifies the call even without a signature', async () => {
    open({}, { sharedSecrets: [] });
    const { headers } = await connected();
    expect(headers['x-svc-call-id']).toBe(CALL_ID);
    expect(headers['x-svc-signature']).toBeUndefined();
  });

  it('stops without connecting to a forbidden address', async () => {
    await using guarded = createOutboundHttp({ allowPrivateNetworks: false });
    open({}, { via: guarded });
    open({ url: server.url.replace('127.0.0.1', 'localhost') }, { via: guarded });
    await clock.advance(60_000);
    expect(noted('given_up')).toEqual([
      expect.objectContaining({ severity: 'error', text: expect.stringContaining('loopback address') }),
      expect.objectContaining({ severity: 'error', text: expect.stringContaining('loopback address') }),
    ]);
    expect(server.attempts).toBe(0);
  });

  it('stops when a header is invalid', async () => {
    open({ headers: { 'X-Mood': 'good\r\nX-Evil: 1' } });
    await clock.advance(60_000);
    expect(noted('given_up')).toHaveLength(1);
    expect(JSON.stringify(notes)).not.toContain('Evil');
    expect(server.attempts).toBe(0);
  });

  it('is retried with a backoff of up to 30 s and reports an error when the server rejects it', async () => {
    server.handshake = 401;
    open();
    await clock.advance(0);
    for (const [attempt, retryInMs] of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].entries()) {
      await eventually(() => expect(noted('failed')).toHaveLength(attempt + 1));
      expect(noted('failed').at(-1)).toMatchObject({ severity: 'error', extras: { status: 401, retryInMs } });
      await clock.advance(retryInMs - 1);
      expect(server.attempts).toBe(attempt + 1);
      await clock.advance(1);
    }
    server.handshake = 503;
    await eventually(() => expect(noted('failed')).toHaveLength(9));
    await clock.advance(30_000);
    await eventually(() => expect(noted('failed').at(-1)?.severity).toBe('warning'));
    server.handshake = 'open';
    await clock.advance(30_000);
    await connected();
  });

  it('times out when the server does not respond', async () => {
    server.handshake = 'ignore';
    open();
    await clock.advance(0);
    await eventually(() => expect(server.attempts).toBe(1));
    await clock.advance(HANDSHAKE_LIMIT_MS);
    expect(noted('failed')).toMatchObject([
      { severity: 'warning', text: expect.stringContaining('within 10 s') },
    ]);
  });

  it('is retried when the connection is refused', async () => {
    const { url } = server;
    await server[Symbol.asyncDispose]();
    open({ url });
    await clock.advance(0);
    await eventually(() => expect(noted('failed')).toHaveLength(1));
    expect(notes[0]?.text).toContain('the connection was refused');
  });
});

describe('data connection messages', () => {
  it('are sent as configured, including those from before the connection', async () => {
    const connection = open({ dataMessages: { state: false, userStartedSpeaking: true } });
    connection.send({ type: 'call_started', callId: CALL_ID });
    connection.send(state('thinking'));
    connection.send({ type: 'debug', message: 'off by default' });
    const accepted = await connected();
    connection.send({ type: 'user_started_speaking', callTimestamp: '1s' });
    connection.send({ type: 'client_tool_invocation', toolName: 'a', invocationId: '1', parameters: {} });
    connection.send({
      type: 'data_connection_tool_invocation',
      toolName: 'b',
      invocationId: '2',
      parameters: {},
    });
    await eventually(() => expect(accepted.messages).toHaveLength(3));
    expect(accepted.messages.map(({ type }) => type)).toEqual([
      'call_started',
      'user_started_speaking',
      'data_connection_tool_invocation',
    ]);
  });

  it('are received, and invalid ones are logged at a limited rate', async () => {
    open();
    const { socket } = await connected();
    socket.send(JSON.stringify({ type: 'data_connection_tool_result', invocationId: '2', result: 'ok' }));
    for (let i = 0; i < 50; i += 1) {
      socket.send('{"type":"from_the_future"}');
      socket.send('{"type":"ping","timestamp":"now"}');
      socket.send('no JSON');
      socket.send(Buffer.from([1, 2]));
    }
    socket.send(JSON.stringify({ type: 'user_text_message', text: 'x'.repeat(300_000) }));
    socket.send(JSON.stringify({ type: 'ping', timestamp: 3 }));
    await eventually(async () => {
      await clock.advance(100);
      expect(messages).toHaveLength(2);
    });
    expect(messages).toEqual([
      { type: 'data_connection_tool_result', invocationId: '2', result: 'ok' },
      { type: 'ping', timestamp: 3 },
    ]);
    expect(noted('unknown_message')).toMatchObject([
      { severity: 'debug', extras: { messageType: 'from_the_future' } },
    ]);
    expect(noted('malformed_message')).toMatchObject([
      { severity: 'warning', text: expect.stringContaining('"ping"') },
    ]);
    await clock.advance(10_000);
    socket.send(Buffer.from([1, 2]));
    await eventually(() => expect(noted('malformed_message')).toHaveLength(2));
    expect(noted('malformed_message')[1]?.extras).toEqual({ count: 151 });
  });

  it('apply backpressure to a server that sends too much', async () => {
    open();
    const { socket } = await connected();
    const text = 'x'.repeat(8000);
    for (let i = 0; i < 1000; i += 1) socket.send(JSON.stringify({ type: 'user_text_message', text }));
    await eventually(() => expect(messages.length).toBeGreaterThanOrEqual(200));
    for (let i = 0; i < 50; i += 1) await settle();
    expect(messages.length).toBeLessThan(250);
    for (let second = 0; second < 60 && messages.length < 1000; second += 1) {
      const before = messages.length;
      for (let i = 0; i < 10; i += 1) {
        await clock.advance(100);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(messages.length - before).toBeLessThan(150);
    }
    expect(messages).toHaveLength(1000);
    expect(noted('lost')).toEqual([]);
  });

  it('do not let the connection count as lost while reading pauses', async () => {
    open();
    const { socket } = await connected();
    // Reading can pause only after those that have arrived.
    for (let i = 0; i < 5000; i += 1) socket.send('{"type":"ping","timestamp":1}');
    await eventually(() => expect(messages.length).toBeGreaterThanOrEqual(200));
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(noted('lost')).toEqual([]);
    expect(messages).toHaveLength(5000);
    socket.pause();
    await clock.advance(2 * PING_EVERY_MS);
    expect(noted('lost')).toHaveLength(1);
  });

  it('in too many frames close the connection', async () => {
    open();
    const { socket, closed } = await connected();
    for (let sent = 0; sent <= MAX_FRAGMENTS; sent += 1) socket.send('x', { fin: false });
    expect(await closed).toBe(1008);
  });

  it('larger than a megabyte close the connection, which reconnects', async () => {
    open();
    const first = await connected();
    first.socket.send('x'.repeat(1024 * 1024 + 1));
    expect(await first.closed).toBe(1009);
    await eventually(() => expect(noted('lost')).toHaveLength(1));
    await clock.advance(500);
    await connected(2);
  });
});

describe('data connection to a server that sends a close frame and leaves the connection open', () => {
  it('is replaced, without loss of messages', async () => {
    const connection = open();
    const first = await connected();
    first.stream.end = () => first.stream;
    first.socket.close(1001);
    const sent: string[] = [];
    await eventually(() => {
      const type = ['thinking', 'listening', 'speaking'][sent.length % 3] as 'thinking';
      sent.push(type);
      connection.send(state(type));
      expect(noted('lost')).toHaveLength(1);
    });
    expect(noted('lost')[0]?.text).toContain('closed it with 1001');
    await clock.advance(500);
    const { messages: later } = await connected(2);
    await eventually(() => expect(first.messages.length + later.length).toBe(sent.length));
    expect([...first.messages, ...later]).toEqual(sent.map((type) => ({ type: 'state', state: type })));
  });
});

describe('data connection audio', () => {
  const LENGTH = 16_000;
  const tone = (frequencyHz: number) =>
    Int16Array.from({ length: LENGTH }, (_, i) =>
      Math.round(9000 * Math.sin((2 * Math.PI * frequencyHz * i) / LENGTH)),
    );

  /** One second of a call in blocks of 20 ms: the user at 300 Hz, the agent at 700 Hz. */
  function second(): Uint8Array[] {
    const [user, agent] = [tone(300), tone(700)];
    const stereo = new Int16Array(LENGTH * 2).map((_, i) => (i % 2 === 0 ? user : agent)[i >> 1] ?? 0);
    const bytes = bytesFromSamples(stereo);
    return Array.from({ length: 50 }, (_, block) => bytes.slice(block * 1280, (block + 1) * 1280));
  }

  /** The level of one frequency in a second of audio, in dB below full scale. */
  function levelAt(samples: Int16Array, frequencyHz: number, rateHz: number): number {
    const [re, im] = [Math.cos, Math.sin].map((wave) =>
      samples.reduce((sum, sample, i) => sum + sample * wave((2 * Math.PI * frequencyHz * i) / rateHz), 0),
    ) as [number, number];
    return 20 * Math.log10((2 * Math.hypot(re, im)) / samples.length / 32_768);
  }

  it.each([8000, 16_000, 48_000])(
    'is sent mixed at %i Hz, complete from the first to the last sample',
    async (sampleRateHz) => {
      const connection = open({ audio: { sampleRateHz, channelMode: 'mixed' } });
      const blocks = second();
      for (const block of blocks.slice(0, 5)) connection.writeAudio?.(block);
      const accepted = await connected();
      for (const block of blocks.slice(5)) connection.writeAudio?.(block);
      await connection.close('call_ended');
      await accepted.closed;
      const samples = samplesFromBytes(accepted.audio);
      expect(samples.length).toBe(sampleRateHz);
      for (const frequencyHz of [300, 700]) {
        expect(levelAt(samples, frequencyHz, sampleRateHz)).toBeCloseTo(20 * Math.log10(9000 / 32_768), 0);
      }
      expect(levelAt(samples, 500, sampleRateHz)).toBeLessThan(-50);
    },
  );

  it('is sent in separate channels: user left, agent right', async () => {
    const connection = open({ audio: { sampleRateHz: 24_000, channelMode: 'separated' } });
    const accepted = await connected();
    for (const block of second()) connection.writeAudio?.(block);
    await connection.close('call_ended');
    await accepted.closed;
    const samples = samplesFromBytes(accepted.audio);
    const [left, right] = [0, 1].map((side) => samples.filter((_, i) => i % 2 === side)) as [
      Int16Array,
      Int16Array,
    ];
    expect(left.length).toBe(24_000);
    expect(levelAt(left, 300, 24_000)).toBeCloseTo(-11.2, 0);
    expect(levelAt(left, 700, 24_000)).toBeLessThan(-50);
    expect(levelAt(right, 700, 24_000)).toBeCloseTo(-11.2, 0);
    expect(levelAt(right, 300, 24_000)).toBeLessThan(-50);
  });

  it('is sent continuously in frames of 40 ms', async () => {
    const connection = open({ audio: { sampleRateHz: 16_000, channelMode: 'mixed' } });
    const accepted = await connected();
    for (const block of second().slice(0, 4)) connection.writeAudio?.(block);
    await eventually(() => expect(accepted.audio.byteLength).toBe(2 * 1280));
    expect(levelDbfs(samplesFromBytes(accepted.audio))).toBeGreaterThan(-20);
  });

  it('is not sent when it is disabled', () => {
    expect(open().writeAudio).toBeNull();
  });
});

describe('a lost data connection', () => {
  it('reconnects with a new signature and sends pending messages but no missed audio', async () => {
    const connection = open({ audio: { sampleRateHz: 16_000, channelMode: 'mixed' } });
    const first = await connected();
    connection.writeAudio?.(new Uint8Array(1280).fill(1));
    first.socket.terminate();
    await eventually(() => expect(noted('lost')).toHaveLength(1));
    expect(noted('lost')[0]).toMatchObject({ severity: 'warning', extras: { retryInMs: 500 } });
    connection.send(state('speaking'));
    for (let i = 0; i < 20; i += 1) connection.writeAudio?.(new Uint8Array(1280).fill(2));
    await clock.advance(500);
    const second = await connected(2);
    expect(second.signature).toBe('valid');
    expect(second.headers['x-svc-signature-timestamp']).not.toBe(first.headers['x-svc-signature-timestamp']);
    connection.writeAudio?.(new Uint8Array(2560).fill(3));
    await eventually(() => expect(second.audio.byteLength).toBe(1280));
    expect(second.messages).toEqual([state('speaking')]);
    expect(new Set(samplesFromBytes(second.audio))).toEqual(new Set([2 * 0x0303]));
  });

  it('reconnects with an increasing delay even after normal closes', async () => {
    open();
    for (const [nth, delayMs] of [500, 1000, 2000].entries()) {
      const accepted = await connected(nth + 1);
      accepted.socket.close(1000, 'done');
      await eventually(() => expect(noted('lost')).toHaveLength(nth + 1));
      expect(noted('lost')[nth]).toMatchObject({
        text: expect.stringContaining('1000 (done)'),
        extras: { retryInMs: delayMs },
      });
      await clock.advance(delayMs);
    }
    const steady = await connected(4);
    for (let pings = 0; pings < 2; pings += 1) {
      const pinged = new Promise((resolve) => steady.socket.once('ping', resolve));
      await clock.advance(PING_EVERY_MS);
      await pinged;
      // Arrives after the response to the ping.
      steady.say({ type: 'ping', timestamp: pings });
      await eventually(() => expect(messages).toHaveLength(pings + 1));
    }
    steady.socket.terminate();
    await eventually(() => expect(noted('lost')).toHaveLength(4));
    expect(noted('lost')[3]?.extras).toEqual({ retryInMs: 500 });
  });

  it('is detected when the server stops responding', async () => {
    open();
    const { socket } = await connected();
    socket.pause();
    await clock.advance(2 * PING_EVERY_MS);
    expect(noted('lost')).toMatchObject([{ text: expect.stringContaining('did not respond') }]);
  });

  it('has bounded buffers that drop audio before messages and log it once', async () => {
    const connection = open({ audio: { sampleRateHz: 16_000, channelMode: 'separated' } });
    const accepted = await connected();
    accepted.socket.pause();
    // More than the socket buffers hold.
    for (let second = 0; second < 500; second += 1) {
      connection.writeAudio?.(new Uint8Array(64_000));
      if (second % 50 === 0) connection.send(state('speaking'));
      await settle();
    }
    expect(noted('overflow')).toHaveLength(1);
    expect(noted('overflow')[0]).toMatchObject({ severity: 'warning', extras: { droppedMessages: 0 } });
    accepted.socket.resume();
    await eventually(() => expect(accepted.messages).toHaveLength(10));
    expect(accepted.audio.byteLength).toBeLessThan(0.6 * 500 * 64_000);
    expect(noted('lost')).toEqual([]);
  });
});

describe('a data connection at the end of the call', () => {
  it('closes with 1000 after all messages were sent', async () => {
    const connection = open();
    const accepted = await connected();
    for (let i = 0; i < 100; i += 1) connection.send({ type: 'pong', timestamp: i });
    await Promise.all([connection.close('call_ended'), connection.close('call_ended')]);
    expect(await accepted.closed).toBe(1000);
    expect(accepted.messages).toHaveLength(100);
    connection.send({ type: 'pong', timestamp: 101 });
    accepted.say({ type: 'ping', timestamp: 1 });
    expect(messages).toEqual([]);
    expect(noted('lost')).toEqual([]);
  });

  it('closes with 1012 when the call is only interrupted', async () => {
    const connection = open();
    const accepted = await connected();
    await connection.close('interrupted');
    expect(await accepted.closed).toBe(1012);
  });

  it('cancels a connection attempt and a pending retry', async () => {
    server.handshake = 'ignore';
    const connecting = open();
    await clock.advance(0);
    await eventually(() => expect(server.attempts).toBe(1));
    await connecting.close('call_ended');
    server.handshake = 503;
    const waiting = open();
    await clock.advance(0);
    await eventually(() => expect(noted('failed')).toHaveLength(1));
    await waiting.close('call_ended');
    await clock.advance(60_000);
    expect(server.attempts).toBe(2);
  });

  it('does not wait for a server that never closes', async () => {
    const connection = open();
    const accepted = await connected();
    accepted.socket.pause();
    const closing = connection.close('call_ended');
    await clock.advance(2000);
    await closing;
  });
});
