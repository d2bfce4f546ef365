import { afterAll, describe, expect, it } from '@jest/globals';
import type { ToolHttpResponse } from '@calls/conversation/ports/tools';
import { findFreePorts } from '@calls/local-stack/free-port';
import { createToolHttp, MAX_RESPONSE_BYTES, MAX_STAGE_BYTES } from '@calls/media-worker/tools/tool-http';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { callSignatureHeaders } from '@calls/outbound-http/request-signature';
import { startToolServer } from '../support/tool-server/start-tool-server.ts';

const SECRETS = ['a shared secret of theirs', 'the next shared secret'];
const CALL_ID = '0190f3a0-0000-7000-8000-000000000001';

const server = await startToolServer({ secrets: SECRETS });
const outbound = createOutboundHttp({ allowPrivateNetworks: ['127.0.0.1'] });
afterAll(async () => {
  await outbound[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const signed = () => callSignatureHeaders(CALL_ID, SECRETS, Date.now());

function send(
  path: string,
  options: {
    timeoutMs?: number;
    signal?: AbortSignal;
    headers?: Record<string, string>;
    via?: OutboundHttp;
  } = {},
): Promise<ToolHttpResponse> {
  const {
    timeoutMs = 60_000,
    signal = new AbortController().signal,
    headers = signed(),
    via = outbound,
  } = options;
  const url = path.startsWith('http') ? path : `${server.url}${path}`;
  const request = { method: 'POST' as const, url, headers, body: '{"city":"Köln"}' };
  return createToolHttp(via).send(request, { accountId: 'account', timeoutMs, signal });
}

describe('HTTP tool requests', () => {
  it('are sent unmodified and signed, and any response status is returned', async () => {
    await server.script('/weather', {
      status: 418,
      headers: { 'X-Svc-Agent-Reaction': 'listens' },
      body: 'süß',
    });
    const response = await send('/weather');
    expect(response).toMatchObject({ status: 418, body: 'süß' });
    expect(response.headers['x-svc-agent-reaction']).toBe('listens');
    expect(await server.requests('/weather')).toMatchObject([
      { method: 'POST', body: { city: 'Köln' }, signature: 'valid' },
    ]);
  });

  it('are rejected by a server when unsigned or signed with another secret', async () => {
    await server.script('/signed', {});
    const foreign = callSignatureHeaders(CALL_ID, ['a different secret'], Date.now());
    const old = callSignatureHeaders(CALL_ID, SECRETS, Date.now() - 61_000);
    for (const headers of [{}, foreign, old]) expect((await send('/signed', { headers })).status).toBe(401);
    expect((await send('/signed')).status).toBe(200);
  });

  it('decode response headers in UTF-8 or Latin-1 and bodies in their declared charset', async () => {
    const state = Buffer.from('{"name":"Jörg 🙂"}').toString('latin1');
    await server.script('/state', {
      headers: {
        'X-Svc-Update-Call-State': state,
        'X-Old': 'Jörg',
        'Content-Type': 'text/plain; charset=utf-16le',
      },
      body: 'a\0b\0',
    });
    const { headers, body } = await send('/state');
    expect(headers).toMatchObject({ 'x-svc-update-call-state': '{"name":"Jörg 🙂"}', 'x-old': 'Jörg' });
    expect(body).toBe('ab');
  });

  it('truncate long responses, and accept longer new-stage responses up to their own limit', async () => {
    const long = 'ö'.repeat(MAX_RESPONSE_BYTES);
    const stage = { 'X-Svc-Response-Type': 'new-stage' };
    await server.script('/long', { body: long }, { body: long, headers: stage });
    await server.script('/long-stage', { body: 'x'.repeat(MAX_STAGE_BYTES + 1), headers: stage });
    const { body } = await send('/long');
    expect(body).toBe(`${'ö'.repeat(MAX_RESPONSE_BYTES / 2)} […cut off: longer than 65536 bytes]`);
    expect((await send('/long')).body).toBe(long);
    await expect(send('/long-stage')).rejects.toMatchObject({ code: 'tool_answer_too_large' });
  });

  it('report failures without the address and without secrets', async () => {
    await server.script('/hang', { failure: 'hang' });
    await server.script('/cut', { body: 'half', failure: 'cut' });
    await server.script('/refuse', { failure: 'refuse' });
    await server.script('/deflate', { headers: { 'Content-Encoding': 'deflate' }, body: 'x' });
    await server.script('/gzip', { headers: { 'Content-Encoding': 'gzip' }, body: 'not compressed' });
    await server.script('/br', { headers: { 'Content-Encoding': 'br' }, body: 'not compressed' });
    const cases = [
      ['/hang', 'tool_timeout', 'the tool did not respond completely within 0.2 s'],
      [
        '/cut',
        'tool_failed',
        'no usable response from the tool: the connection was closed before the response was complete',
      ],
      [
        '/refuse',
        'tool_failed',
        'no usable response from the tool: the connection was closed before the response was complete',
      ],
      [
        `http://127.0.0.1:${await findFreePorts(1)}/?token=s3cret`,
        'tool_failed',
        'no usable response from the tool: the connection was refused',
      ],
      [
        '/deflate',
        'tool_failed',
        'no usable response from the tool: the response has an unknown content encoding',
      ],
      [
        '/gzip',
        'tool_failed',
        'no usable response from the tool: the response cannot be decoded with its Content-Encoding',
      ],
      [
        '/br',
        'tool_failed',
        'no usable response from the tool: the response cannot be decoded with its Content-Encoding',
      ],
      [
        'http://10.1.2.3/',
        'tool_refused',
        'the tool URL is not allowed: the URL leads to a private address; OUTBOUND_ALLOW_PRIVATE can allow it',
      ],
    ] as const;
    for (const [path, code, message] of cases) {
      const options = code === 'tool_timeout' ? { timeoutMs: 200 } : {};
      await expect(send(path, options)).rejects.toMatchObject({ code, message });
    }
  });

  it('do not reach local addresses unless allowed, not even through redirects', async () => {
    await server.script('/away', { status: 307, headers: { Location: 'http://169.254.169.254/latest' } });
    await expect(send('/away')).rejects.toMatchObject({ code: 'tool_refused' });
    await using guarded = createOutboundHttp({ allowPrivateNetworks: false });
    const refused = {
      code: 'tool_refused',
      message:
        'the tool URL is not allowed: the URL leads to a loopback address; OUTBOUND_ALLOW_PRIVATE can allow it',
    };
    await expect(send('/weather', { via: guarded })).rejects.toMatchObject(refused);
  });

  it('retain their signature only on redirects to the same server', async () => {
    await using other = await startToolServer();
    await other.script('/there', { body: 'other' });
    await server.script('/here', { body: 'same' });
    await server.script('/moved', { status: 307, headers: { Location: '/here' } });
    await server.script('/gone', { status: 307, headers: { Location: `${other.url}/there` } });
    expect((await send('/moved')).body).toBe('same');
    expect((await send('/gone')).body).toBe('other');
    const [redirected] = await other.requests();
    expect(redirected?.signature).toBe('absent');
    expect(redirected?.body).toEqual({ city: 'Köln' });
  });

  it('report whether the tool redirected them', async () => {
    await server.script('/moved', { status: 301, headers: { Location: '/missing' } });
    expect(await send('/moved')).toMatchObject({ status: 404, isRedirected: true });
    expect(await send('/missing')).toMatchObject({ status: 404, isRedirected: false });
  });

  it('end with the abort reason of the call', async () => {
    await server.script('/hang', { failure: 'hang' });
    const givingUp = new AbortController();
    const response = send('/hang', { signal: givingUp.signal });
    const reason = new Error('the user speaks');
    givingUp.abort(reason);
    await expect(response).rejects.toBe(reason);
  });

  it('reach other servers while one is unresponsive', async () => {
    await using dead = await startToolServer();
    await dead.script('/hang', { failure: 'hang' });
    await server.script('/quick', { body: 'here' });
    const givingUp = new AbortController();
    const stuck = Array.from({ length: 200 }, () =>
      send(`${dead.url}/hang`, { timeoutMs: 40_000, signal: givingUp.signal }).catch(() => 'given up'),
    );
    expect((await send('/quick')).body).toBe('here');
    givingUp.abort(new Error('enough'));
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(['given up']));
  });
});
