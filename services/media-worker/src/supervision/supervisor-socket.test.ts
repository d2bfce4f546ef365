import { once } from 'node:events';
import type {
  SupervisionMessage,
  SupervisorMessage,
} from '@calls/api-contract/supervision/supervisor-messages';
import type { SupervisedCall, Supervisor } from '@calls/conversation/ports/supervisor';
import type { SupervisorClaims } from '@calls/secrets/join-tokens/supervisor-tokens';
import { connectSockets, type SocketPair } from '@calls/testkit/socket-pair';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SupervisorSocket } from './supervisor-socket.ts';

const CLAIMS: SupervisorClaims = {
  callId: 'c1',
  supervisorId: 'ann',
  name: null,
  mode: 'barge',
  sampleRateHz: 48_000,
  channelMode: 'separated',
  expiresAtMs: 0,
};
const BYTES_PER_MS = 48 * 2 * 2;
/** 100 ms of the call, in the format of a recording. */
const AUDIO_MS = 100;
const AUDIO_BYTES = AUDIO_MS * 16 * 4;

let clock: VirtualClock;
let pair: SocketPair;
let messages: SupervisionMessage[];
let receivedBytes: number;
let supervisors: Supervisor[];
let commands: SupervisorMessage[];
let spoken: number;
let left: number;

beforeEach(async () => {
  clock = new VirtualClock();
  pair = await connectSockets();
  messages = [];
  receivedBytes = 0;
  pair.client.on('message', (data: Buffer, isBinary) => {
    if (isBinary) receivedBytes += data.byteLength;
    else messages.push(JSON.parse(data.toString()) as SupervisionMessage);
  });
  supervisors = [];
  commands = [];
  spoken = 0;
  left = 0;
});
afterEach(() => {
  pair[Symbol.dispose]();
  expect(clock.pendingTimers).toBe(0);
});

const call: { callId: string; supervise: (supervisor: Supervisor) => SupervisedCall } = {
  callId: 'c1',
  supervise: (supervisor) => {
    supervisors.push(supervisor);
    return {
      takenOverBy: null,
      receive: (message) => commands.push(message),
      speak: (samples) => {
        spoken += samples.length;
      },
      leave: () => {
        left += 1;
      },
    };
  },
};

function serve(claims: Partial<SupervisorClaims> = {}): Supervisor {
  const { socket } = pair;
  expect(SupervisorSocket.serve(call, { socket, claims: { ...CLAIMS, ...claims }, clock })).toBeNull();
  return supervisors[0]!;
}

/** The first message of this type. */
async function received<T extends SupervisionMessage['type']>(
  type: T,
): Promise<Extract<SupervisionMessage, { type: T }>> {
  for (;;) {
    const found = messages.find((message) => message.type === type);
    if (found) return found as Extract<SupervisionMessage, { type: T }>;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function close(): Promise<void> {
  const closed = once(pair.socket, 'close');
  pair.client.close(1000);
  await closed;
}

describe('SupervisorSocket', () => {
  it('describes the connection, and passes on messages and audio', async () => {
    serve();
    expect(await received('supervision_started')).toEqual({
      type: 'supervision_started',
      callId: 'c1',
      supervisorId: 'ann',
      mode: 'barge',
      sampleRate: 48_000,
      channels: 2,
      takenOverBy: null,
    });
    pair.client.send(Buffer.alloc(960));
    pair.client.send('{"type":"take_over"}');
    pair.client.send('not JSON');
    expect(await received('refused')).toEqual({
      type: 'refused',
      message: '',
      reason: 'malformed',
      detail: 'is not JSON',
    });
    expect([spoken, commands]).toEqual([480, [{ type: 'take_over' }]]);
    await close();
    expect(left).toBe(1);
  });

  it('drops the oldest audio of a slow connection and reports its duration', async () => {
    const supervisor = serve();
    pair.client.pause();
    let sentMs = 0;
    while (pair.socket.bufferedAmount < 200 * BYTES_PER_MS) {
      supervisor.writeAudio(new Uint8Array(AUDIO_BYTES));
      sentMs += AUDIO_MS;
    }
    // The socket is full: half a second of audio is queued, the rest is dropped.
    for (let i = 0; i < 30; i += 1) supervisor.writeAudio(new Uint8Array(AUDIO_BYTES));
    expect(pair.socket.bufferedAmount).toBeLessThan(300 * BYTES_PER_MS);
    pair.client.resume();
    while (pair.socket.bufferedAmount > 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(500);
    const { durationMs } = await received('audio_dropped');
    expect(durationMs).toBeGreaterThan(2000);
    await close();
    expect(receivedBytes / BYTES_PER_MS).toBeLessThan(sentMs + 30 * AUDIO_MS - durationMs + 1);
  });

  it('ends a connection that does not respond', async () => {
    serve();
    pair.client.pause();
    const closed = once(pair.socket, 'close');
    await clock.advance(25_000);
    await closed;
    expect(left).toBe(1);
  });

  it('closes with the reason for the end of the supervision', async () => {
    const supervisor = serve();
    const closed = once(pair.client, 'close') as Promise<[number, Buffer]>;
    const released = once(pair.socket, 'close');
    supervisor.end('interrupted');
    const [code, reason] = await closed;
    await released;
    expect([code, reason.toString()]).toEqual([1012, 'interrupted']);
  });
});
