import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import { systemClock, withTimeout } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { createLegTokens } from '@calls/secrets/join-tokens/leg-tokens';
import { createSupervisorTokens } from '@calls/secrets/join-tokens/supervisor-tokens';
import { callSpec, serverWebSocketSpec } from '@calls/testkit/call-spec';
import { RawConnection } from '@calls/testkit/raw-connection';
import { LoopbackTransport } from '@calls/testkit/scripted/loopback-transport';
import { scriptedServices } from '@calls/testkit/scripted/scripted-services';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InlineOpus } from '@calls/transports/opus/inline-opus';
import { HostedCall } from '../calls/hosted-call.ts';
import type { WebSocket } from 'ws';
import { createClientMedia, type ClientMedia } from './client-media.ts';
import type { CallLocation } from './find-call.ts';
import { JoinServer, REFUSAL_LINGER_MS } from './join-server.ts';
import { WhipEndpoint } from './whip-endpoint.ts';

const CALL_ID = randomUUID();
const tokens = createJoinTokens(['a secret that is long enough for tokens']);

let clock: VirtualClock;
let server: JoinServer;
let port: number;
let outcomes: string[];
const open: RawConnection[] = [];

async function start(
  trustedProxies = 0,
  found: CallLocation = { kind: 'nowhere', reason: 'unknown_call' },
  media: ClientMedia = createClientMedia(null, new InlineOpus(), clock),
): Promise<void> {
  const joins = {
    tokens,
    onNoCapacity: () => undefined,
    onJoin: (outcome: string) => void outcomes.push(outcome),
    log: silentLogger,
  };
  server = new JoinServer({
    ...joins,
    supervisorTokens: createSupervisorTokens(['a secret that is long enough for tokens']),
    legTokens: createLegTokens(['a secret that is long enough for tokens']),
    phoneLegs: { connect: () => false },
    media,
    whip: new WhipEndpoint({ ...joins, webRtc: null }),
    trustedProxies,
    clock,
  });
  port = await server.listenToClients({ find: () => Promise.resolve(found) }, { port: 0, isShared: false });
}

beforeEach(() => {
  clock = new VirtualClock();
  outcomes = [];
});
afterEach(async () => {
  for (const connection of open.splice(0)) connection[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

function heldCall(overrides: Partial<CallSpec>): HostedCall {
  return new HostedCall({
    spec: callSpec({ callId: CALL_ID, createdAtMs: clock.wallMs(), ...overrides }),
    lease: { callId: CALL_ID, workerId: 'w1', epoch: 1 },
    services: scriptedServices(clock),
    events: { write: () => undefined },
    resumeFrom: null,
    log: silentLogger,
  });
}

async function connection(text: string): Promise<RawConnection> {
  const made = await RawConnection.open(port);
  open.push(made);
  return made.say(text);
}

function upgradeRequest(path: string, headers: readonly string[] = []): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: media.test',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function upgrade(path: string, headers?: readonly string[]): Promise<RawConnection> {
  return connection(upgradeRequest(path, headers));
}

const badJoin = (headers?: readonly string[]): Promise<RawConnection> =>
  upgrade(`/join/${CALL_ID}?token=forged`, headers);

/** Waits until the server has sent this text. Throws if the connection ends before. */
async function said(client: RawConnection, wanted: string | RegExp): Promise<void> {
  const ended = client.closed.then(() => 'ended' as const);
  while (client.received.search(wanted) === -1) {
    const next = new Promise<null>((resolve) => setImmediate(resolve, null));
    if ((await Promise.race([next, ended])) === 'ended' && client.received.search(wanted) === -1) {
      throw new Error(`the connection ended after ${JSON.stringify(client.received)}`);
    }
  }
}

/** The close code in the only frame that a rejected client receives. */
function closeCode({ received }: RawConnection): number {
  const frame = Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1');
  return frame.readUInt16BE(2);
}

describe('join with an invalid token', () => {
  it('closes with code 4401, and after at most a second if the client does not respond', async () => {
    await start();
    const client = await badJoin();
    await said(client, 'bad_token');
    expect(closeCode(client)).toBe(4401);
    let isClosed = false;
    void client.closed.then(() => (isClosed = true));
    await clock.advance(REFUSAL_LINGER_MS - 1);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await client.closed;
    expect(clock.pendingTimers).toBe(0);
    expect(outcomes).toEqual(['bad_token']);
  });

  it('responds to HTTP requests with 401 and closes the connection', async () => {
    await start();
    const headers = { 'content-type': 'application/sdp' };
    const request = httpRequest({ port, path: `/join/${CALL_ID}`, method: 'POST', headers, agent: false });
    request.end('v=0');
    const [response] = (await once(request, 'response')) as [{ statusCode: number; headers: object }];
    expect(response.statusCode).toBe(401);
    expect(response.headers).toMatchObject({ connection: 'close' });
  });
});

describe('join at the end of joinTimeout', () => {
  it.each([true, false])('succeeds if the media is set up soon afterwards: %p', async (isSetUp) => {
    const call = heldCall({ joinTimeoutMs: 2000 });
    const opened = Promise.withResolvers<MediaTransport | null>();
    await start(0, { kind: 'here', call }, { open: () => opened.promise });
    const token = await tokens.sign({ callId: CALL_ID, expiresAtMs: Date.now() + 60_000 });
    await said(await upgrade(`/join/${CALL_ID}?token=${token}`), '101 Switching Protocols');
    await clock.advance(2500);
    const transport = new LoopbackTransport(clock);
    opened.resolve(isSetUp ? transport : null);
    await clock.advance(100);
    expect(call.isJoined).toBe(isSetUp);
    transport.hangUp();
    await clock.advance(100);
    expect(await call.released).toEqual({ kind: 'ended', reason: isSetUp ? 'hangup' : 'unjoined' });
  });
});

describe('join with the medium of another kind of client', () => {
  it('is refused with code 4422, and the call still waits for its client', async () => {
    const call = heldCall({ medium: serverWebSocketSpec() });
    await start(0, { kind: 'here', call });
    const token = await tokens.sign({ callId: CALL_ID, expiresAtMs: Date.now() + 60_000 });
    const client = await upgrade(`/join/${CALL_ID}?token=${token}&medium=webRtc`);
    await said(client, 'other_medium');
    expect(closeCode(client)).toBe(4422);
    expect(call.isLive).toBe(false);
    expect(outcomes).toEqual(['other_medium']);
    await upgrade(`/join/${CALL_ID}?token=${token}&medium=serverWebSocket`);
    while (!call.isJoined) await new Promise((resolve) => setImmediate(resolve));
    call.end('hangup');
  });
});

describe('joined client', () => {
  it('has left after its close frame, even if it does not close the connection', async () => {
    const socket = Promise.withResolvers<WebSocket>();
    const media: ClientMedia = {
      open: (_call, opened) => {
        socket.resolve(opened);
        return Promise.resolve(null);
      },
    };
    await start(0, { kind: 'here', call: heldCall({}) }, media);
    const token = await tokens.sign({ callId: CALL_ID, expiresAtMs: Date.now() + 60_000 });
    const client = connect({ port, allowHalfOpen: true });
    client.write(upgradeRequest(`/join/${CALL_ID}?token=${token}`));
    client.resume();
    const closed = once(await socket.promise, 'close');
    client.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]));
    const [code] = (await withTimeout(systemClock, closed, 15_000, 'the end')) as [number];
    expect(code).toBe(1000);
    client.destroy();
  });
});

describe('forwarded connection', () => {
  it('is closed when its worker is lost', async () => {
    const worker = createServer((socket) => socket.on('error', () => undefined));
    await once(worker.listen(0, '127.0.0.1'), 'listening');
    const url = `ws://127.0.0.1:${(worker.address() as AddressInfo).port}`;
    await start(0, { kind: 'there', holder: { workerId: 'w2', url } });
    const forwarded = once(worker, 'connection');
    const token = await tokens.sign({ callId: CALL_ID, expiresAtMs: Date.now() + 60_000 });
    const client = await upgrade(`/join/${CALL_ID}?token=${token}`);
    const [peer] = (await forwarded) as [Socket];
    await once(peer, 'data');
    server.workerLost('w3');
    expect(outcomes).toEqual(['forwarded']);
    server.workerLost('w2');
    await client.closed;
    peer.destroy();
    worker.close();
  });
});

describe('WebSocket upgrade', () => {
  it.each(['/elsewhere', '/join/none'])(
    'of path %s is rejected with 404, and the connection closed',
    async (path) => {
      await start();
      expect(await (await upgrade(path)).statusAtEnd()).toBe(404);
    },
  );
});
