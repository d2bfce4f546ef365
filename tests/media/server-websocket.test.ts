import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerWebSocketSpec } from '@calls/api-contract/call-spec';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import { systemClock } from '@calls/foundation/clock';
import { serverWebSocketSpec } from '@calls/testkit/call-spec';
import { connectSockets } from '@calls/testkit/socket-pair';
import { describeMediaTransport } from '@calls/testkit/conformance/media-transport';
import { MAX_FRAGMENTS, MAX_FRAME_BYTES } from '@calls/transports/client-socket/client-socket';
import { ServerWebSocketTransport } from '@calls/transports/server-websocket/transport';
import { requireQuick } from '@calls/testkit/long-form';
import { readServerMessage } from '../support/contract/read-published.ts';
import { WebSocket } from 'ws';

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** A transport and its client over a real connection. */
async function connect(changed: Partial<ServerWebSocketSpec> = {}) {
  const ends = await connectSockets({ maxPayload: MAX_FRAME_BYTES, maxFragments: MAX_FRAGMENTS });
  const { client, socket } = ends;
  const transport = new ServerWebSocketTransport({
    socket,
    spec: serverWebSocketSpec(changed),
    clock: systemClock,
  });
  cleanUps.push(() => {
    ends[Symbol.dispose]();
    void transport.close('hangup');
  });
  return { transport, client, next: () => nextEvent(transport) };
}

async function nextEvent(transport: ServerWebSocketTransport): Promise<TransportEvent> {
  const { value } = await transport.events.next();
  if (!value) throw new Error('the transport has ended');
  return value;
}

async function nextOf<T extends TransportEvent['type']>(
  transport: ServerWebSocketTransport,
  type: T,
): Promise<TransportEvent & { type: T }> {
  for (;;) {
    const event = await nextEvent(transport);
    if (event.type === type) return event as TransportEvent & { type: T };
  }
}

describeMediaTransport('ServerWebSocketTransport', {
  connect: async () => {
    const { transport, client } = await connect();
    const samples: number[] = [];
    const messages: ServerMessage[] = [];
    client.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) messages.push(readServerMessage(data.toString()));
      else for (let at = 0; at < data.length; at += 2) samples.push(data.readInt16LE(at));
    });
    return {
      transport,
      client: {
        speak: (spoken) => client.send(spoken),
        say: (message) => client.send(JSON.stringify(message)),
        hangUp: () => client.close(1000),
        // Frames arrive in order, so a pong confirms everything before the ping.
        async settled() {
          if (client.readyState !== WebSocket.OPEN) return;
          client.ping();
          await Promise.race([once(client, 'pong'), once(client, 'close')]);
        },
        playedSamples: () => samples,
        messages: () => messages,
        clears: () => messages.filter(({ type }) => type === 'playback_clear_buffer').length,
      },
    };
  },
});

describe('ServerWebSocketTransport', () => {
  it('accepts frames of any length, even if split within a sample', async () => {
    const { client, next } = await connect();
    const bytes = Buffer.from(Int16Array.from([1, -2, 300, -32_768]).buffer);
    client.send(bytes.subarray(0, 3));
    client.send(bytes.subarray(3));
    const parts: number[] = [];
    while (parts.length < 4) {
      const event = await next();
      if (event.type === 'audio') parts.push(...event.samples);
    }
    expect(parts).toEqual([1, -2, 300, -32_768]);
  });

  it('reports data messages in binary frames, which are not audio', async () => {
    const { client, next } = await connect();
    client.send(Buffer.from('{"type": "user_text_message", "text": "Hello?"}'));
    client.send(Buffer.from('{not JSON}'));
    expect(await next()).toEqual({
      type: 'malformed',
      detail: 'dropped a data message in a binary frame: send it in a text frame',
    });
    expect((await next()).type).toBe('audio');
  });

  it.each([
    [0, 40],
    [20, 40],
    [60, 60],
  ])(
    'takes audio ahead of playback for a client that buffers %d ms: %d ms',
    async (clientBufferMs, leadMs) => {
      const { transport } = await connect({ clientBufferMs });
      expect(transport.outputLeadMs).toBe(leadMs);
    },
  );

  it('sends unmodified audio and enabled messages', async () => {
    const { transport, client } = await connect({ dataMessages: { state: false, debug: true } });
    const received: (string | number[])[] = [];
    client.on('message', (data: Buffer, isBinary: boolean) => {
      received.push(isBinary ? [...data] : (JSON.parse(data.toString()) as { type: string }).type);
    });
    const frame = Int16Array.from([1, 256]);
    transport.write(frame);
    frame.fill(0);
    transport.send({ type: 'state', state: 'listening' });
    transport.send({ type: 'debug', message: 'x' });
    transport.send({ type: 'user_started_speaking', callTimestamp: '0s' });
    transport.clear();
    await transport.close('agent_hangup');
    expect(received).toEqual([[1, 0, 0, 1], 'debug', 'playback_clear_buffer']);
  });

  it.each([
    ['{"type":"ping","timestamp":1}', 'data'],
    ['{"type":"ping"}', 'malformed'],
    ['{"type":"dance"}', 'unknown_data'],
    ['{', 'malformed'],
    ['[]', 'malformed'],
    ['null', 'malformed'],
    ['"x"', 'malformed'],
    ['{"type":"constructor"}', 'unknown_data'],
    [JSON.stringify({ type: 'user_text_message', text: 'x'.repeat(1_000_000) }), 'malformed'],
    ['\u0000\uffff', 'malformed'],
  ])('reports %.40j as %s and continues', async (text, expected) => {
    const { client, next, transport } = await connect();
    client.send(text);
    expect((await next()).type).toBe(expected);
    client.send(JSON.stringify({ type: 'ping', timestamp: 7 }));
    expect(await nextOf(transport, 'data')).toEqual({
      type: 'data',
      message: { type: 'ping', timestamp: 7 },
    });
  });

  it('buffers two seconds of a ten-minute burst and reports the rest as dropped', async () => {
    const { client, transport } = await connect();
    const second = Buffer.alloc(32_000);
    for (let i = 0; i < 600; i += 1) client.send(second);
    let acceptedMs = 0;
    let droppedMs = 0;
    while (acceptedMs + droppedMs < 599_999) {
      const event = await nextEvent(transport);
      if (event.type === 'audio') acceptedMs += event.samples.length / 16;
      if (event.type === 'input_dropped') droppedMs += event.durationMs;
    }
    expect(acceptedMs).toBeGreaterThanOrEqual(2000);
    requireQuick(acceptedMs, 10_000);
  });

  it('closes the connection on an oversized frame', async () => {
    const { client, transport } = await connect();
    client.send(Buffer.alloc(MAX_FRAME_BYTES + 1));
    expect((await nextOf(transport, 'closed')).reason).toBe('lost');
    const [code] = (await once(client, 'close')) as [number];
    expect(code).toBe(1009);
  });

  it('closes the connection on a message of too many frames', async () => {
    const { client } = await connect();
    for (let sent = 0; sent <= MAX_FRAGMENTS; sent += 1) client.send('x', { fin: false });
    const [code] = (await once(client, 'close')) as [number];
    expect(code).toBe(1008);
  });

  it('requests silence when audio stops arriving', async () => {
    const { client, transport } = await connect();
    client.send(Buffer.alloc(640));
    expect((await nextOf(transport, 'input_missing')).durationMs).toBeGreaterThanOrEqual(280);
  });

  it('ends with connection_error when no media arrives for mediaIdleTimeout', async () => {
    const { client, transport } = await connect({ mediaIdleTimeoutMs: 300 });
    client.send(JSON.stringify({ type: 'ping', timestamp: 1 }));
    expect(await nextOf(transport, 'closed')).toMatchObject({ reason: 'connection_error' });
  });

  it.each([
    [1000, 'hangup'],
    [1001, 'hangup'],
    [3999, 'lost'],
  ])('treats close code %d as %s', async (code, reason) => {
    const { client, transport } = await connect();
    client.close(code);
    expect((await nextOf(transport, 'closed')).reason).toBe(reason);
  });

  it('reports a broken connection as lost', async () => {
    const { client, transport } = await connect();
    client.terminate();
    expect((await nextOf(transport, 'closed')).reason).toBe('lost');
  });

  it('reports an unresponsive client as lost soon after a probe, and no other client', async () => {
    const [alive, dead] = [await connect(), await connect()];
    // Simulates a network failure: no response and no close.
    dead.client.pause();
    for (const { transport } of [alive, dead]) transport.probe();
    const startMs = performance.now();
    expect(await nextOf(dead.transport, 'closed')).toMatchObject({
      reason: 'lost',
      detail: 'the client no longer responds',
    });
    requireQuick(performance.now() - startMs, 12_000);
    alive.client.send(JSON.stringify({ type: 'ping', timestamp: 1 }));
    expect(await nextOf(alive.transport, 'data')).toMatchObject({ message: { type: 'ping' } });
  });

  it('disconnects a client that never reads', async () => {
    const { client, transport } = await connect();
    client.pause();
    const frame = new Int16Array(16_000);
    let event: TransportEvent | undefined;
    void nextOf(transport, 'closed').then((closed) => {
      event = closed;
    });
    for (let i = 0; i < 2000 && !event; i += 1) {
      transport.write(frame);
      await new Promise(setImmediate);
    }
    expect(event).toMatchObject({
      reason: 'lost',
      detail: 'the client reads too slowly',
    });
  });

  it('closes with 1012 when the call moves to another worker', async () => {
    const { client, transport } = await connect();
    const closed = once(client, 'close') as Promise<[number, Buffer]>;
    await transport.close('service_restart');
    const [code, reason] = await closed;
    expect([code, reason.toString()]).toEqual([1012, '']);
  });

  it('sends the end reason to the client and does not wait for an unresponsive one', async () => {
    const { client, transport } = await connect();
    const closed = once(client, 'close') as Promise<[number, Buffer]>;
    await transport.close('timeout');
    const [code, reason] = await closed;
    expect([code, reason.toString()]).toEqual([1000, 'timeout']);
    await transport.close('hangup');
  });
});
