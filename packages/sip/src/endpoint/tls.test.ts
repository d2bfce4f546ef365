import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect, createServer, type ConnectionOptions, type Server, type TLSSocket } from 'node:tls';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { CertificateAuthority, type Certificate } from '@calls/testkit/certificates';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Dialog, InviteOutcome } from '../calls.ts';
import type { SipEndpoint, SipEndpointOptions, SipTlsOptions } from '../endpoint-options.ts';
import { rawRequest } from '../testing/simulated-network.ts';
import type { NameService } from '../transport/resolve.ts';
import { openSipEndpoint } from './open-sip-endpoint.ts';

const OFFER = 'v=0\r\no=caller\r\n';
const ANSWER = 'v=0\r\no=callee\r\n';
const HOST = '127.0.0.1';
const NAME = 'pbx.test';

const names: NameService = {
  addresses: () => Promise.resolve([HOST]),
  services: () => Promise.resolve([]),
  pointers: () => Promise.resolve([]),
};

let authority: CertificateAuthority;
let stranger: CertificateAuthority;
let own: Certificate;
const open: AsyncDisposable[] = [];
const sockets: Socket[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  [authority, stranger] = await Promise.all([CertificateAuthority.create(), CertificateAuthority.create()]);
  own = await authority.issue(`DNS:${NAME}`);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  await Promise.all(open.splice(0).map((endpoint) => endpoint[Symbol.asyncDispose]()));
});
afterAll(async () => {
  await Promise.all([authority[Symbol.asyncDispose](), stranger[Symbol.asyncDispose]()]);
});

interface TestOptions extends Partial<Omit<SipEndpointOptions, 'tls'>> {
  tls?: Partial<SipTlsOptions>;
}

async function endpoint({ tls, ...options }: TestOptions = {}): Promise<SipEndpoint & { tlsPort: number }> {
  const opened = await openSipEndpoint({
    host: HOST,
    port: 0,
    address: HOST,
    tls: { port: 0, name: NAME, ...own, caFile: authority.caFile, requiresClientCertificate: false, ...tls },
    names,
    clock: systemClock,
    log: silentLogger,
    onInvite: (invite) => invite.reject(404, 'Not Found'),
    onMessage: () => undefined,
    ...options,
  });
  open.push(opened);
  const { tlsPort } = opened;
  if (tlsPort === null) throw new Error('no TLS');
  return { ...opened, tlsPort };
}

function call(caller: SipEndpoint, to: string): Promise<InviteOutcome> {
  const from = `sip:caller@${NAME}`;
  return caller.invite({ to, from, credentials: null, sdp: OFFER, ringLimitMs: 5000 }).answered;
}

async function client(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const ca = await readFile(authority.caFile, 'utf8');
  const socket = connect({ host: HOST, port, servername: NAME, ca, ...options });
  sockets.push(socket);
  socket.on('error', () => undefined);
  return socket;
}

async function answerTo(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = (await once(socket, 'data')) as unknown[];
  return String(answer);
}

async function pemOf({ certificateFile, keyFile }: Certificate): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key };
}

/** A TLS server with this certificate. */
async function server(certificate: Certificate): Promise<number> {
  const listening = createServer(await pemOf(certificate), (socket) => sockets.push(socket));
  servers.push(listening);
  listening.listen(0, HOST);
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('SIP endpoint with TLS', () => {
  it.each(['sips:agent@', 'sip:agent@'])('carries whole calls to %s over one connection', async (start) => {
    const accepted: Promise<Dialog>[] = [];
    const transports = new Set<string>();
    const onMessage: SipEndpointOptions['onMessage'] = ({ peer, text }) => {
      transports.add(`${peer.transport} ${peer.port}`);
      texts.push(text);
    };
    const texts: string[] = [];
    const callee = await endpoint({
      onInvite: (invite) => accepted.push(invite.accept(ANSWER)),
    });
    const caller = await endpoint({ onMessage });
    const isSecure = start.startsWith('sips');
    for (const hangsUp of ['caller', 'callee'] as const) {
      const to = `${start}${NAME}:${callee.tlsPort}${isSecure ? '' : ';transport=tls'}`;
      const answer = await call(caller, to);
      if (answer.kind !== 'answered') throw new Error(answer.reason);
      const callees = await accepted.at(-1);
      await (hangsUp === 'caller' ? answer.dialog : callees)?.bye();
      expect(await answer.dialog.ended).toEqual({ by: hangsUp === 'caller' ? 'local' : 'remote' });
    }
    expect([...transports]).toEqual([`tls ${callee.tlsPort}`]);
    const invite = texts.find((text) => text.startsWith('INVITE'));
    expect(invite).toContain(`Via: SIP/2.0/TLS ${NAME}:${caller.tlsPort};`);
    const contact = isSecure
      ? `<sips:${NAME}:${caller.tlsPort}>`
      : `<sip:${NAME}:${caller.tlsPort};transport=tls>`;
    expect(invite).toContain(`Contact: ${contact}`);
  });

  it.each([
    ['of an unknown authority', () => stranger.issue(`DNS:${NAME}`)],
    ['for another host', () => authority.issue('DNS:other.test,URI:sip:pbx.test.evil.test')],
    ['that has expired', () => authority.issue(`DNS:${NAME}`, -1)],
  ])('rejects a server certificate %s', async (_what, issue) => {
    const port = await server(await issue());
    const answer = await call(await endpoint(), `sips:agent@${NAME}:${port}`);
    expect(answer).toMatchObject({ kind: 'failed', cause: 'unreachable', status: null });
  });

  it('accepts a server certificate for the SIP domain, and sends the domain as SNI', async () => {
    const invited = Promise.withResolvers<string>();
    const listening = createServer(await pemOf(await authority.issue(`URI:sip:${NAME}`)), (socket) => {
      sockets.push(socket);
      socket.once('data', () => invited.resolve(String(socket.servername)));
    });
    servers.push(listening);
    listening.listen(0, HOST);
    await once(listening, 'listening');
    const address = listening.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    void call(await endpoint(), `sips:agent@${NAME}:${address.port}`);
    expect(await invited.promise).toBe(NAME);
  });

  it('requires a client certificate of the configured authority, and presents its own', async () => {
    const strict = await endpoint({
      tls: { requiresClientCertificate: true },
      onInvite: (invite) => invite.reject(486, 'Busy Here'),
    });
    const withoutCertificate = await client(strict.tlsPort);
    await closed(withoutCertificate);
    const foreign = await client(strict.tlsPort, await pemOf(await stranger.issue('DNS:caller.test')));
    await closed(foreign);
    const known = await client(strict.tlsPort, await pemOf(await authority.issue('DNS:caller.test')));
    expect(await answerTo(known, rawRequest('OPTIONS'))).toMatch(/^SIP\/2\.0 200 OK\r\n/u);
    expect(await call(await endpoint(), `sips:agent@${NAME}:${strict.tlsPort}`)).toMatchObject({
      status: 486,
    });
  });

  it('accepts requests to a sips URI over TLS only', async () => {
    const { port, tlsPort } = await endpoint();
    const request = rawRequest('OPTIONS').replace('OPTIONS sip:', 'OPTIONS sips:');
    expect(await answerTo(await client(tlsPort), request)).toMatch(/^SIP\/2\.0 200 /u);
    const plain = connectTcp({ host: HOST, port });
    sockets.push(plain);
    expect(await answerTo(plain, request)).toMatch(/^SIP\/2\.0 416 /u);
  });

  it('counts connections without a handshake towards the limit until they are closed', async () => {
    const { tlsPort } = await endpoint({ limits: { connectionsPerAddress: 1 } });
    const silent = connectTcp({ host: HOST, port: tlsPort });
    sockets.push(silent);
    await once(silent, 'connect');
    await closed(await client(tlsPort));
    silent.destroy();
    (await freed(tlsPort)).destroy();
    await freed(tlsPort);
  });

  it('uses changed certificate files for new connections, and the previous ones while the files do not match', async () => {
    const clock = new VirtualClock();
    const first = await authority.issue(`DNS:${NAME}`);
    const second = await authority.issue(`DNS:${NAME}`);
    const { tlsPort } = await endpoint({ clock, tls: first });
    const serialOf = async (): Promise<string> => {
      const socket = await client(tlsPort);
      await once(socket, 'secureConnect');
      return socket.getPeerCertificate().serialNumber;
    };
    const before = await serialOf();
    await copyFile(second.keyFile, first.keyFile);
    await clock.advance(60_000);
    expect(await serialOf()).toBe(before);
    await copyFile(second.certificateFile, first.certificateFile);
    for (let after = before; after === before; after = await serialOf()) await clock.advance(60_000);
  });

  it('fails to open if it cannot use a file, and names it', async () => {
    const other = await authority.issue(`DNS:${NAME}`);
    const garbage = join(authority.folder, 'garbage.pem');
    const missing = join(authority.folder, 'missing.pem');
    const empty = join(authority.folder, 'empty.pem');
    await Promise.all([writeFile(garbage, 'not PEM'), writeFile(empty, '')]);
    const notPem = 'is not a PEM certificate';
    const cases: [Partial<SipTlsOptions>, string][] = [
      [{ certificateFile: missing }, `cannot read ${missing}`],
      [{ keyFile: missing }, `cannot read ${missing}`],
      [{ caFile: missing }, `cannot read ${missing}`],
      [{ certificateFile: garbage }, `${garbage} ${notPem}`],
      [{ caFile: garbage }, `${garbage} ${notPem}`],
      [{ certificateFile: empty }, `${empty} ${notPem}`],
      [{ keyFile: garbage }, `${garbage} is not a PEM private key without a passphrase`],
      [{ keyFile: other.keyFile }, `${other.keyFile} is not the key of ${own.certificateFile}`],
    ];
    for (const [tls, message] of cases)
      await expect(endpoint({ tls })).rejects.toMatchObject({ file: Object.keys(tls)[0], message });
  });
});

/** A connection that the server accepts; it may still be closing the previous one. */
async function freed(port: number): Promise<TLSSocket> {
  for (;;) {
    const socket = await client(port);
    const opened = new Promise<true>((resolve) => socket.once('secureConnect', () => resolve(true)));
    if (await Promise.race([opened, closed(socket)])) return socket;
  }
}

/** Unlike `once`, does not reject if the socket fails. */
function closed(socket: Socket): Promise<false> {
  return new Promise((resolve) => socket.once('close', () => resolve(false)));
}
