import { createServer, type ServerResponse, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { TELEPHONY_ACCOUNTS } from '@calls/providers/telephony/telephony-vendors';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { requestHangUp, requestPhoneCall, type RequestOutcome } from './request-phone-call.ts';

type Answer = (response: ServerResponse) => unknown;

let server: Server;
let baseUrl: string;
let outbound: OutboundHttp;
let clock: VirtualClock;
let answers: Answer[];
let requests: number;

beforeEach(async () => {
  clock = new VirtualClock();
  outbound = createOutboundHttp({ allowPrivateNetworks: true, clock });
  answers = [];
  requests = 0;
  server = createServer((request, response) => {
    requests += 1;
    request.resume().once('end', () => answers.shift()?.(response));
  });
  baseUrl = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});
afterEach(async () => {
  await outbound[Symbol.asyncDispose]();
  await closeServer(server);
});

const request = { path: '/calls', headers: {}, body: '{}' };
const dialect = TELEPHONY_ACCOUNTS.telephony1.dialling;
const requested = (url = baseUrl, http = outbound): Promise<RequestOutcome> =>
  requestPhoneCall({ outbound: http, clock }, { baseUrl: url, request, dialect });
const says =
  (status: number, body: string, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** Advances the time until the outcome settles. */
async function inTime<T>(outcome: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = outcome.finally(() => (isSettled = true));
  while (!isSettled) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await clock.advance(100);
  }
  return settled;
}

describe('phone call request', () => {
  it('is accepted with any 2xx', async () => {
    answers.push(says(201, '{"sid":"CA1"}'), says(200, 'no JSON'), says(202, 'x'.repeat(100_000)));
    expect(await requested()).toEqual({ kind: 'accepted', providerCallId: 'CA1' });
    expect(await requested(`${baseUrl}/`)).toEqual({ kind: 'accepted', providerCallId: null });
    expect(await requested()).toEqual({ kind: 'accepted', providerCallId: null });
  });

  it("is refused with the provider's message and not retried", async () => {
    const refusals: [Answer, string, string | null][] = [
      [says(400, '{"message":"Invalid number"}'), 'the response status was 400', 'Invalid number'],
      [says(401, ''), 'the response status was 401', null],
      [says(500, '<html>'), 'the response status was 500', null],
      [says(503, '{"message":"busy"}'), 'the response status was 503', 'busy'],
      [says(404, `{"message":"${'x'.repeat(100_000)}"}`), 'the response status was 404', null],
      [
        (response) => response.writeHead(302, { location: '/calls' }).end(),
        'the response status was 302',
        null,
      ],
    ];
    for (const [answer, reason, said] of refusals) {
      answers.push(answer);
      expect(await requested()).toEqual({ kind: 'refused', reason, said });
    }
    expect(requests).toBe(refusals.length);
  });

  const busy = (retryAfter?: string): Answer =>
    says(429, '{"message":"Too many"}', retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  const refusedAsBusy = { kind: 'refused', reason: 'the response status was 429', said: 'Too many' };

  it('is retried with growing pauses while the provider counts too many calls', async () => {
    answers.push(busy(), busy(), busy(), says(201, '{"sid":"CA1"}'));
    expect(await inTime(requested())).toEqual({ kind: 'accepted', providerCallId: 'CA1' });
    expect(requests).toBe(4);
    answers.push(...Array.from({ length: 20 }, () => busy()));
    const startedMs = clock.nowMs();
    expect(await inTime(requested())).toEqual(refusedAsBusy);
    expect(clock.nowMs() - startedMs).toBeLessThanOrEqual(12_000);
    expect(requests - 4).toBeGreaterThanOrEqual(4);
    expect(requests - 4).toBeLessThanOrEqual(7);
  });

  it('is retried after the time that the provider asks for, or refused if that is too late', async () => {
    answers.push(busy('6'), says(201, '{"sid":"CA1"}'), busy('60'));
    const startedMs = clock.nowMs();
    expect(await inTime(requested())).toEqual({ kind: 'accepted', providerCallId: 'CA1' });
    expect(clock.nowMs() - startedMs).toBeGreaterThanOrEqual(6000);
    expect(await requested()).toEqual(refusedAsBusy);
    answers.push(busy('Mon, 30 Nov 2026 12:00:00 GMT'), says(201, '{"sid":"CA2"}'));
    expect(await inTime(requested())).toEqual({ kind: 'accepted', providerCallId: 'CA2' });
    expect(requests).toBe(5);
  });

  it('is refused when the provider is unreachable', async () => {
    const unreachable = baseUrl;
    await new Promise((resolve) => server.close(resolve));
    const reason = 'the connection was refused';
    expect(await inTime(requested(unreachable))).toEqual({ kind: 'refused', reason, said: null });
  });

  it('respects the network restrictions of the HTTP client', async () => {
    const guarded = createOutboundHttp({ allowPrivateNetworks: false, clock });
    const outcome = await requested(baseUrl, guarded);
    await guarded[Symbol.asyncDispose]();
    expect(outcome).toEqual({
      kind: 'refused',
      reason: 'the URL leads to a loopback address; OUTBOUND_ALLOW_PRIVATE can allow it',
      said: null,
    });
    expect(requests).toBe(0);
  });

  it('has an unclear result and is not retried when the provider may have accepted it', async () => {
    answers.push(
      (response) => response.socket?.destroy(),
      says(504, ''),
      says(502, ''),
      () => undefined,
    );
    const unclear = { kind: 'unclear', reason: 'the connection was closed before the response was complete' };
    expect(await inTime(requested())).toEqual(unclear);
    expect(await requested()).toEqual({ kind: 'unclear', reason: 'the response status was 504' });
    expect(await requested()).toEqual({ kind: 'unclear', reason: 'the response status was 502' });
    expect(await inTime(requested())).toEqual({
      kind: 'unclear',
      reason: 'no complete response within 12000 ms',
    });
    expect(requests).toBe(4);
  });
});

describe('request to hang up', () => {
  const request = { method: 'DELETE', path: '/calls/1', headers: {} } as const;
  const hangUp = (): Promise<number> => requestHangUp({ outbound, clock }, { baseUrl: baseUrl, request });

  it('is retried while the provider counts too many requests, for 5 s', async () => {
    answers.push(says(429, ''), says(429, ''), says(204, ''));
    expect(await inTime(hangUp())).toBe(204);
    answers.push(says(404, ''));
    expect(await hangUp()).toBe(404);
    expect(requests).toBe(4);
    answers.push(...Array.from({ length: 9 }, () => says(429, '')));
    expect(await inTime(hangUp())).toBe(429);
    expect(requests).toBeLessThan(9);
  });

  it('does not occupy a connection to the provider after the response', async () => {
    // More than the connections to one origin.
    answers.push(...Array.from({ length: 40 }, () => says(200, '{"status":"completed"}')));
    for (let i = 0; i < 40; i += 1) expect(await hangUp()).toBe(200);
  });
});
