import { afterAll, describe, expect, it } from '@jest/globals';
import type { ApiError } from '@calls/api-contract/rest/common';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { DnsServer, type DnsRecords } from '@calls/testkit/dns-server';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { CUSTOMER_HOST, LocalNetwork } from '../support/outbound/local-network.ts';
import { urlFields } from '../support/outbound/url-fields.ts';
import { waysOf, type Way } from '../support/outbound/ways.ts';
import { startTestStack } from '../support/start-stack.ts';

/** Attempts so far, each with its own URL and API feature. */
let attempts = 0;

const network = await LocalNetwork.open((request, response) => {
  const [path, target = ''] = (request.url ?? '').split('?to=');
  const [, status] = /^\/(30\d)\//u.exec(path ?? '') ?? [];
  if (request.url === '/robots.txt' && request.headers.host?.startsWith('robots.')) {
    response.writeHead(302, { location: network.url('127.0.0.1') }).end();
  } else if (status) response.writeHead(Number(status), { location: decodeURIComponent(target) }).end();
  else response.writeHead(404).end('"nothing is here"');
});
const dns = await DnsServer.start();
const standIn = await startAiStandIn();
const canary = network.url('127.0.0.1');
const stack = await startTestStack({
  env: {
    LLM_BASE_URL: standIn.baseUrl,
    LLM_MODEL: 'stand-in',
    OUTBOUND_ALLOW_PRIVATE: CUSTOMER_HOST,
    OUTBOUND_DNS_SERVERS: dns.address,
    // A proxy would resolve names itself without checking the address.
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: canary,
    HTTPS_PROXY: canary,
    NO_PROXY: new URL(standIn.baseUrl).host,
  },
});
const api = new Api(stack);
const ways = waysOf({ api, standIn });
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
  await network[Symbol.asyncDispose]();
});

const MAX_USES = 5;
/** Most requests arrive within this time, even on a busy machine. */
const ARRIVAL_LIMIT_MS = 20_000;

/** Hosts that are rejected when a URL is submitted. */
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127。0。0。1',
  'LOCALHOST.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '0.0.0.0',
  '10.0.0.1',
  '169.254.169.254',
  'user@127.0.0.1',
];

/** Addresses of names in the customer zone. Changing names resolve to the customer server first. */
const NAMES: Readonly<Record<string, readonly DnsRecords[]>> = {
  loopback: [{ A: ['127.0.0.1'] }],
  another: [{ A: ['127.0.0.3'] }],
  six: [{ AAAA: ['::1'] }],
  mapped: [{ AAAA: ['::ffff:127.0.0.1'] }],
  nat64: [{ AAAA: ['64:ff9b::7f00:1'] }],
  unspecified: [{ A: ['0.0.0.0'] }],
  unspecified6: [{ AAAA: ['::'] }],
  alias: [{ CNAME: 'localhost', A: ['127.0.0.1'] }],
  mixed: [{ A: [CUSTOMER_HOST, '127.0.0.1'] }],
  mixed6: [{ A: [CUSTOMER_HOST], AAAA: ['::1'] }],
  rebinding: [{ A: [CUSTOMER_HOST] }, { A: ['127.0.0.1'] }],
  allowed: [{ A: [CUSTOMER_HOST] }],
};

/** Redirect targets of the customer server. */
function redirectTargets(way: string): string[] {
  const there = (host: string): string => network.url(host);
  dns.set(`redirected.${way}.test`, { A: ['127.0.0.1'] });
  return [
    there('127.0.0.1'),
    there('127.1'),
    there('2130706433'),
    there('localhost'),
    there('[::1]'),
    there('[::ffff:127.0.0.3]'),
    there('0'),
    there(`redirected.${way}.test`),
    there(`${CUSTOMER_HOST}@127.0.0.1`),
    `//127.0.0.1:${network.port}/`,
    `\\\\127.0.0.1:${network.port}\\`,
    network.url(CUSTOMER_HOST, `/307/?to=${encodeURIComponent(there('127.0.0.1'))}`),
    'file:///etc/passwd',
    'data:text/plain,own',
  ];
}

/**
 * Waits for a request of the feature to the host. Uses the feature again if none arrives: not every feature repeats a
 * request whose DNS query timed out, as happens on a busy machine.
 */
async function arrival({ use }: Way, host: string): Promise<void> {
  const hasArrived = (): void => expect(network.asked.map((each) => each.split(' ')[0])).toContain(host);
  for (let uses = 1; ; uses += 1) {
    try {
      await eventually(hasArrived, ARRIVAL_LIMIT_MS);
      return;
    } catch (thrown) {
      if (uses === MAX_USES) throw thrown;
    }
    await use([network.url(host)]);
  }
}

describe('the canary server', () => {
  it('is reachable at each of its addresses', async () => {
    for (const host of ['127.0.0.1', '127.0.0.3', '[::1]', '0.0.0.0', 'localhost']) {
      expect(await (await fetch(network.url(host))).text()).toBe('canary');
    }
    expect(network.intrusions.splice(0).length).toBeGreaterThan(4);
  });
});

describe('customer URLs', () => {
  it('are rejected on submission when their host is forbidden', async () => {
    const fields = await urlFields(api);
    for (const { what, path, give, issuePath } of fields) {
      const responses = await Promise.all(
        HOSTS.map((host) => api.request<ApiError>('POST', path, give(network.url(host)))),
      );
      const refusals = responses.map(({ status, body }) => [what, status, body.errors?.[0]?.path]);
      expect(refusals).toEqual(HOSTS.map(() => [what, 400, issuePath]));
      attempts += HOSTS.length;
    }
    expect(fields.length).toBeGreaterThan(15);
  });

  it('reach no private address through DNS names, even if these change', async () => {
    const names = Object.keys(NAMES);
    for (const way of ways) {
      for (const name of names) dns.set(`${name}.${way.name}.test`, ...(NAMES[name] ?? []));
      const urlOf = (name: string): string => network.url(`${name}.${way.name}.test`);
      await way.use(names.map(urlOf));
      attempts += names.length;
    }
    const lookUpsOf = (name: string) => ways.map((way) => dns.lookUps(`${name}.${way.name}.test`));
    await eventually(() => {
      for (const name of names) expect([name, ...lookUpsOf(name)]).not.toContain(0);
    });
    // Requests for the allowed names prove that each feature sends requests. Those for the `rebinding` names may never
    // arrive: if an attempt times out after its DNS query, the next attempt gets the private address.
    for (const way of ways) await arrival(way, `allowed.${way.name}.test`);
    for (const way of ways) await way.use([network.url(`rebinding.${way.name}.test`)]);
    await eventually(() => {
      for (const way of ways) expect(dns.lookUps(`rebinding.${way.name}.test`)).toBeGreaterThan(1);
    });
    attempts += ways.length;
  });

  it('reach no private address through responses of the customer server', async () => {
    const statuses = [301, 302, 303, 307, 308];
    const expected: string[] = [];
    for (const way of ways) {
      const targets = way.followsRedirects ? redirectTargets(way.name) : [network.url('127.0.0.1')];
      const paths = targets.map(
        (target, i) => `/${statuses[i % 5]}/${way.name}-${i}?to=${encodeURIComponent(target)}`,
      );
      await way.use(paths.map((path) => network.url(CUSTOMER_HOST, path)));
      expected.push(...paths.map((path) => `${CUSTOMER_HOST} ${path}`));
    }
    const crawl = ways.find(({ name }) => name === 'crawl');
    if (!crawl) throw new Error('no feature crawls');
    dns.set('robots.test', { A: [CUSTOMER_HOST] });
    expected.push('robots.test /robots.txt');
    await crawl.use([network.url('robots.test')]);
    await arrival(crawl, 'robots.test');
    attempts += expected.length;
    await eventually(() => expect(expected.filter((each) => !network.asked.includes(each))).toEqual([]));
  });

  it('never reach the canary', async () => {
    // All pending requests have ended.
    await stack[Symbol.asyncDispose]();
    expect(attempts).toBeGreaterThan(400);
    expect(network.intrusions).toEqual([]);
  });
});
