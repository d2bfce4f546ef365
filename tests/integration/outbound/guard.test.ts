import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { WebSocket, WebSocketServer } from 'ws';
import { Target } from './targets.ts';

const LIMITS = { timeoutMs: 60_000, maxResponseBytes: 10_000 };
/** DNS records of this test. */
const zone = new Map<string, readonly string[]>();
const asked: string[] = [];
const names = {
  addresses(hostname: string): Promise<readonly string[]> {
    asked.push(hostname);
    const found = zone.get(hostname);
    return found
      ? Promise.resolve(found)
      : Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }));
  },
};

/** Listens on every address of this machine and receives any request that passes the guard. */
const canary = await Target.http((_request, response) => response.end('canary')).listen('::');
const redirector = await Target.http((request, response) => {
  const location = new URL(request.url ?? '', 'http://x').searchParams.get('to') ?? '';
  response.writeHead(302, { location }).end('moved');
}).listen();
/** Allows no private addresses. */
const closed = createOutboundHttp({ allowPrivateNetworks: false, names });
/** Allows only the address of the redirecting server. */
const narrow = createOutboundHttp({ allowPrivateNetworks: ['127.0.0.1'], names });
/** Allows all private networks. */
const open = createOutboundHttp({ allowPrivateNetworks: true, names });
beforeEach(() => {
  canary.connections = 0;
  zone.clear();
});
afterAll(async () => {
  for (const client of [closed, narrow, open]) await client[Symbol.asyncDispose]();
  await canary[Symbol.asyncDispose]();
  await redirector[Symbol.asyncDispose]();
});

async function textOf(client: OutboundHttp, url: string, maxRedirects = 0): Promise<string> {
  const response = await client.request({ method: 'GET', url, maxRedirects, ...LIMITS });
  return (await response.bytes()).toString();
}

/** Spellings of hosts that lead to this machine or into private networks. */
const HOSTS = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0177.0x0.0.1',
  '00000177.0.0.1',
  '%31%32%37.0.0.1',
  '127.0.0.%31',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '0',
  '0.0.0.0',
  '0x0',
  '0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛocalhost',
  'a.localhost',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
  '198.18.0.1',
];

/** Addresses that a name may resolve to. */
const ADDRESSES = [
  '127.0.0.1',
  '127.0.0.53',
  '0.0.0.0',
  '10.0.0.1',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fe80::1',
  'fe80::1%lo',
  'fd00::1',
  'fd00:ec2::254',
];

const OTHER_URLS = [
  ['file:///etc/passwd', 'scheme'],
  ['ftp://127.0.0.1/', 'scheme'],
  ['gopher://127.0.0.1:6379/_x', 'scheme'],
  ['data:text/plain,x', 'scheme'],
  ['ws://127.0.0.1/', 'scheme'],
  ['unix:/var/run/docker.sock', 'scheme'],
  ['http://user:password@example.com/', 'credentials'],
  ['http://example.com@127.0.0.1/', 'credentials'],
  ['http://example.com:80@127.0.0.1/', 'credentials'],
  ['http://', 'malformed_url'],
  ['//127.0.0.1/', 'malformed_url'],
  ['http://127.0.0.1:99999/', 'malformed_url'],
  ['http://1.2.3.4.5.6.7.08/', 'malformed_url'],
  [`http://example.com/${'x'.repeat(9000)}`, 'malformed_url'],
  ['', 'malformed_url'],
] as const;

const REFUSED = { code: 'outbound_refused', retryable: false };

describe('a forbidden address is not reached', () => {
  it('although the canary server there is reachable without the guard', async () => {
    zone.set('canary.test', ['127.0.0.1']);
    for (const host of ['127.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'canary.test']) {
      expect(await textOf(open, canary.url('/', host))).toBe('canary');
    }
    // The URL parser normalizes two of the hosts to the same origin.
    expect(canary.connections).toBe(5);
  });

  it.each(HOSTS)('through host %s', async (host) => {
    const url = canary.url('/', host);
    expect(() => closed.assertAllowedUrl(url)).toThrow(expect.objectContaining(REFUSED));
    await expect(textOf(closed, url)).rejects.toMatchObject(REFUSED);
    expect(canary.connections).toBe(0);
  });

  it.each(ADDRESSES)('through a name that resolves to %s', async (address) => {
    zone.set('evil.test', [address]);
    await expect(textOf(closed, canary.url('/', 'evil.test'))).rejects.toMatchObject(REFUSED);
    zone.set('mixed.test', ['93.184.215.14', '2606:4700::1111', address]);
    await expect(textOf(closed, canary.url('/', 'mixed.test'))).rejects.toMatchObject(REFUSED);
    expect(canary.connections).toBe(0);
  });

  it.each(OTHER_URLS)('through URL %#', async (url, rule) => {
    expect(() => closed.assertAllowedUrl(url)).toThrow(expect.objectContaining({ rule }));
    await expect(textOf(open, url)).rejects.toMatchObject({ rule });
  });

  it.each(['127.0.0.2', '127.2', '[::1]', '[::ffff:127.0.0.2]', 'evil.test', '169.254.169.254', '0.0.0.0'])(
    'by a redirect to %s',
    async (host) => {
      zone.set('evil.test', ['127.0.0.2']);
      const target = canary.url('/', host);
      await expect(textOf(narrow, redirector.url(`/?to=${target}`), 3)).rejects.toMatchObject(REFUSED);
      const twice = redirector.url(`/?to=${encodeURIComponent(redirector.url(`/?to=${target}`))}`);
      await expect(textOf(narrow, twice, 3)).rejects.toMatchObject(REFUSED);
      expect(canary.connections).toBe(0);
    },
  );

  it.each(['file:///etc/passwd', 'http://a:b@127.0.0.1/', 'ws://127.0.0.1/', '//user@127.0.0.1/'])(
    'by a redirect to the URL %s',
    async (target) => {
      await expect(
        textOf(narrow, redirector.url(`/?to=${encodeURIComponent(target)}`), 3),
      ).rejects.toMatchObject(REFUSED);
    },
  );

  it('through a name that changes between check and connection, because it is resolved once', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    asked.length = 0;
    const rebinding = createOutboundHttp({
      allowPrivateNetworks: ['127.0.0.1'],
      names: {
        addresses(hostname) {
          asked.push(hostname);
          return Promise.resolve(answers.shift() ?? ['127.0.0.2']);
        },
      },
    });
    await using target = await Target.http((_request, response) => {
      response.setHeader('connection', 'close').end('own');
    }).listen();
    const url = target.url('/', 'rebind.test');
    rebinding.assertAllowedUrl(url);
    expect(await textOf(rebinding, url)).toBe('own');
    expect(asked).toEqual(['rebind.test']);
    await expect(textOf(rebinding, url)).rejects.toMatchObject(REFUSED);
    expect(target.connections).toBe(1);
    await rebinding[Symbol.asyncDispose]();
  });

  it('through a WebSocket client with the guarded agent', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((listening) => server.once('listening', listening));
    const { port } = server.address() as { port: number };
    const outcome = (url: string, agentUrl = url): Promise<string> =>
      new Promise((settle) => {
        const socket = new WebSocket(url, { agent: narrow.agentFor(agentUrl) });
        socket.once('open', () => {
          socket.terminate();
          settle('open');
        });
        socket.once('error', (error) => settle(error.message));
      });
    zone.set('good.test', ['127.0.0.1']);
    zone.set('evil.test', ['127.0.0.2']);
    expect(await outcome(`ws://127.0.0.1:${port}/`)).toBe('open');
    expect(await outcome(`ws://good.test:${port}/`)).toBe('open');
    expect(await outcome(`ws://evil.test:${port}/`)).toContain('loopback');
    expect(() => narrow.agentFor(`ws://127.0.0.2:${port}/`)).toThrow(expect.objectContaining(REFUSED));
    // The agent checks addresses itself, independent of the URL.
    expect(await outcome(`ws://127.0.0.2:${canary.port}/`, `ws://127.0.0.1:${port}/`)).toContain('loopback');
    expect(await outcome(`ws://[::1]:${canary.port}/`, `ws://127.0.0.1:${port}/`)).toContain('loopback');
    expect(canary.connections).toBe(0);
    await new Promise((done) => server.close(done));
  });

  it('and the error does not contain the address', async () => {
    zone.set('evil.test', ['10.11.12.13']);
    await expect(textOf(closed, 'http://evil.test/')).rejects.toThrow(/^(?!.*10\.11).*private/u);
  });
});

describe('allowed addresses', () => {
  it('need no DNS lookup at creation', () => {
    asked.length = 0;
    for (const url of [
      'http://example.com/',
      'https://example.com:8443/x?y#z',
      'https://8.8.8.8/',
      'http://redis/',
    ]) {
      expect(() => closed.assertAllowedUrl(url)).not.toThrow();
    }
    expect(() => closed.assertAllowedUrl('wss://example.com/', ['ws:', 'wss:'])).not.toThrow();
    expect(() => closed.assertAllowedUrl('https://example.com/', ['ws:', 'wss:'])).toThrow(
      expect.objectContaining(REFUSED),
    );
    expect(asked).toEqual([]);
  });

  it('are reachable by names with an allowed address and by localhost', async () => {
    zone.set('own.test', ['127.0.0.1']);
    await using target = await Target.http((_request, response) => response.end('own')).listen();
    expect(await textOf(narrow, target.url('/', 'own.test'))).toBe('own');
    expect(await textOf(narrow, target.url('/', 'localhost'))).toBe('own');
  });

  it('report an unknown name as a temporary error', async () => {
    await expect(textOf(closed, 'http://nowhere.test/')).rejects.toMatchObject({
      code: 'outbound_failed',
      retryable: true,
    });
    zone.set('empty.test', []);
    await expect(textOf(closed, 'http://empty.test/')).rejects.toMatchObject({ code: 'outbound_failed' });
  });
});
