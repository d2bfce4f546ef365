import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dialog, IncomingInvite, InviteOutcome } from '../calls.ts';
import type { SipEndpoint, SipEndpointOptions } from '../endpoint-options.ts';
import { NO_NAMES, rawRequest } from '../testing/simulated-network.ts';
import { openSipEndpoint } from './open-sip-endpoint.ts';

const OFFER = 'v=0\r\no=caller\r\n';
const ANSWER = 'v=0\r\no=callee\r\n';
const HOST = '127.0.0.1';

const open: AsyncDisposable[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((endpoint) => endpoint[Symbol.asyncDispose]()));
});

async function endpoint(options: Partial<SipEndpointOptions> = {}): Promise<SipEndpoint> {
  const opened = await openSipEndpoint({
    host: HOST,
    port: 0,
    address: HOST,
    names: NO_NAMES,
    clock: systemClock,
    log: silentLogger,
    onInvite: (invite) => invite.reject(404, 'Not Found'),
    onMessage: () => undefined,
    ...options,
  });
  open.push(opened);
  return opened;
}

function call(caller: SipEndpoint, to: string): Promise<InviteOutcome> {
  const from = `sip:caller@${HOST}`;
  return caller.invite({ to, from, credentials: null, sdp: OFFER, ringLimitMs: 5000 }).answered;
}

async function client(port: number): Promise<Socket> {
  const socket = connect({ host: HOST, port });
  sockets.push(socket);
  socket.setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
}

async function answerTo(socket: Socket, text: string): Promise<unknown> {
  socket.write(text);
  const [answer] = (await once(socket, 'data')) as unknown[];
  return answer;
}

describe('openSipEndpoint', () => {
  it.each(['udp', 'tcp'])(
    'makes and receives calls over %s, and either side can hang up',
    async (transport) => {
      const accepted: Promise<Dialog>[] = [];
      const callee = await endpoint({
        onInvite(invite: IncomingInvite) {
          invite.ring();
          accepted.push(invite.accept(ANSWER));
        },
      });
      const caller = await endpoint();
      for (const hangsUp of ['caller', 'callee'] as const) {
        const answer = await call(caller, `sip:agent@${HOST}:${callee.port};transport=${transport}`);
        if (answer.kind !== 'answered') throw new Error(answer.reason);
        expect(answer.sdp).toBe(ANSWER);
        const callees = await accepted.at(-1);
        await (hangsUp === 'caller' ? answer.dialog : callees)?.bye();
        expect(await answer.dialog.ended).toEqual({ by: hangsUp === 'caller' ? 'local' : 'remote' });
        expect(await callees?.ended).toEqual({ by: hangsUp === 'caller' ? 'remote' : 'local' });
      }
    },
  );

  it('sends requests of a call to the address that the peer sent from if its Contact is unreachable', async () => {
    const peer = createSocket('udp4').bind(0, HOST);
    await once(peer, 'listening');
    try {
      const methods: string[] = [];
      peer.on('message', (bytes, from) => {
        const text = bytes.toString();
        const [method = ''] = text.split(' ', 1);
        methods.push(method);
        if (method === 'ACK') return;
        const copied = text.match(/^(?:Via|From|To|Call-ID|CSeq):.*$/gmu)?.join('\n') ?? '';
        const contact = `Contact: <sip:${HOST}:${peer.address().port};transport=tcp>`;
        const response = `SIP/2.0 200 OK\n${copied.replace(/^To:[^;\n]*$/mu, '$&;tag=peer')}\n${contact}`;
        const sdp = method === 'INVITE' ? ANSWER : '';
        const body = `Content-Type: application/sdp\nContent-Length: ${sdp.length}\n\n`;
        peer.send(`${response}\n${body}`.replaceAll('\n', '\r\n') + sdp, from.port, HOST);
      });
      const caller = await endpoint();
      const answer = await call(caller, `sip:agent@${HOST}:${peer.address().port}`);
      if (answer.kind !== 'answered') throw new Error(answer.reason);
      await answer.dialog.bye();
      expect([...new Set(methods)]).toEqual(['INVITE', 'ACK', 'BYE']);
    } finally {
      peer.close();
    }
  });

  it('reports an unreachable peer when the connection is refused', async () => {
    const caller = await endpoint();
    const gone = await endpoint();
    await gone[Symbol.asyncDispose]();
    expect(await call(caller, `sip:agent@${HOST}:${gone.port};transport=tcp`)).toMatchObject({
      kind: 'failed',
      cause: 'unreachable',
      status: null,
    });
  });

  it('does not call an address that mayReach excludes', async () => {
    const caller = await endpoint({ mayReach: (address) => address !== HOST });
    expect(await call(caller, `sip:agent@${HOST}`)).toMatchObject({
      cause: 'unreachable',
      reason: 'the address may not be called',
    });
  });

  it('responds to pings and requests on the TCP connection that they arrived on', async () => {
    const { port } = await endpoint();
    const socket = await client(port);
    expect(await answerTo(socket, '\r\n\r\n')).toBe('\r\n');
    expect(await answerTo(socket, rawRequest('OPTIONS'))).toMatch(/^SIP\/2\.0 200 OK\r\n/u);
  });

  it('responds over a new connection to the port of the Via if the connection of the request was closed', async () => {
    const invites: IncomingInvite[] = [];
    const { port } = await endpoint({ onInvite: (invite) => invites.push(invite) });
    const listener = createServer();
    listener.listen(0, HOST);
    await once(listener, 'listening');
    const via = `Via: SIP/2.0/TCP ${HOST}:${(listener.address() as AddressInfo).port};branch=z9hG4bK-closed`;
    const socket = await client(port);
    expect(await answerTo(socket, rawRequest('INVITE', [via]))).toMatch(/^SIP\/2\.0 100 Trying\r\n/u);
    socket.end();
    await once(socket, 'close');
    invites[0]?.ring();
    invites[0]?.reject(486, 'Busy Here');
    const [again] = (await once(listener, 'connection')) as [Socket];
    sockets.push(again);
    again.setEncoding('utf8');
    let text = '';
    for await (const chunk of again) {
      text += String(chunk);
      if (text.includes('486')) break;
    }
    listener.close();
    expect(text).toMatch(/^SIP\/2\.0 180 Ringing\r\n[^]*SIP\/2\.0 486 Busy Here\r\n/u);
  });

  describe('with a registration over TCP', () => {
    let registrar: Server;

    beforeEach(async () => {
      registrar = createServer();
      registrar.listen(0, HOST);
      await once(registrar, 'listening');
    });
    afterEach(() => {
      registrar.close();
    });

    /** A registration, and its connection at the registrar. */
    async function registered({ register }: SipEndpoint) {
      const { port } = registrar.address() as AddressInfo;
      const { promise: accepted, resolve } = Promise.withResolvers<unknown>();
      const registration = register({
        ...{ user: 'alice', contactUser: 'token', registrar: `${HOST}:${port};transport=tcp` },
        ...{ outboundProxy: null, credentials: { username: 'alice', password: 'secret' }, owner: 'account' },
        onOutcome: resolve,
      });
      const [socket] = (await once(registrar, 'connection')) as [Socket];
      sockets.push(socket);
      socket.setEncoding('utf8');
      const [request] = (await once(socket, 'data')) as [string];
      socket.write(request.replace(/^REGISTER .*/u, 'SIP/2.0 200 OK'));
      await accepted;
      return { registration, socket };
    }

    it('keeps the idle connection until the registration ends', async () => {
      const clock = new VirtualClock();
      const us = await endpoint({ clock });
      const { registration, socket } = await registered(us);
      const idleUntilClosed = async (idle: Socket): Promise<void> => {
        while (!idle.closed) {
          await clock.advance(10_000);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      await idleUntilClosed(await client(us.port));
      const closed = once(socket, 'close').then(() => 'closed');
      const answered = answerTo(socket, rawRequest('OPTIONS'));
      expect(await Promise.race([answered, closed])).toMatch(/^SIP\/2\.0 200 OK\r\n/u);
      registration.abandon();
      await idleUntilClosed(socket);
    });

    it('registers again soon after the registrar closed the connection', async () => {
      const clock = new VirtualClock();
      const { registration, socket } = await registered(await endpoint({ clock }));
      const { length } = sockets;
      registrar.once('connection', (again) => sockets.push(again));
      socket.end();
      // Before the refresh.
      for (let s = 0; s < 300 && sockets.length === length; s += 1) {
        await clock.advance(1000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(sockets).toHaveLength(length + 1);
      registration.abandon();
    });
  });

  it('closes connections that carry another protocol or exceed the limit of their address', async () => {
    const { port } = await endpoint({ limits: { connectionsPerAddress: 1 } });
    const first = await client(port);
    expect(await answerTo(first, rawRequest('OPTIONS'))).toMatch(/^SIP/u);
    const second = await client(port);
    await once(second, 'close');
    first.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(first, 'close');
  });

  it('fails to open if its UDP or TCP port is in use', async () => {
    const { port } = await endpoint();
    await expect(endpoint({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    const udp = createSocket('udp4');
    udp.bind(0, HOST);
    await once(udp, 'listening');
    await expect(endpoint({ port: udp.address().port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    udp.close();
  });
});
