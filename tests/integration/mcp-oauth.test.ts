import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@calls/foundation/clock';
import { AccessTokens } from '@calls/mcp-client/access-tokens';
import { McpConnection, type McpServer } from '@calls/mcp-client/mcp-connection';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { startMcpServer } from '../support/mcp-server/start-mcp-server.ts';

const CLIENT = { clientId: 'calls', clientSecret: 'the secret of the client' };
const LIFETIME_MS = 3_600_000;

let tokens: AccessTokens;
let passedMs = 0;
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + passedMs };

const outbound = createOutboundHttp({ allowPrivateNetworks: true });
const shop = await startMcpServer('unused', { ...CLIENT, hasMetadata: true, expiresInS: LIFETIME_MS / 1000 });
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await outbound[Symbol.asyncDispose]();
});
beforeEach(() => {
  tokens = new AccessTokens({ outbound, clock });
});

/** Lists the tools of the server in a new session. */
async function list(oauthClient: NonNullable<McpServer['oauthClient']>, url = shop.url): Promise<string[]> {
  const deps = { outbound, clock, accessTokens: tokens };
  await using connection = new McpConnection({ url, headers: {}, accountId: 'a', oauthClient }, deps);
  return (await connection.listTools({ timeoutMs: 20_000 })).map(({ name }) => name);
}

/** The token requests that happen during `act`. */
async function requestsDuring(act: () => Promise<unknown>): Promise<Record<string, string>[]> {
  const before = (await shop.seen()).tokenRequests.length;
  await act();
  return (await shop.seen()).tokenRequests.slice(before);
}

describe('an access token for an MCP server', () => {
  it('is requested once for concurrent sessions, from the discovered token endpoint', async () => {
    const requests = await requestsDuring(async () => {
      const [first] = await Promise.all([list(CLIENT), list(CLIENT)]);
      expect(first).toContain('find.order');
    });
    // The scope is that of the challenge.
    const expected = { grant_type: 'client_credentials', resource: shop.url, scope: 'orders' };
    expect(requests).toEqual([expected]);
  });

  it('is requested from the configured token endpoint with the configured scope', async () => {
    const tokenUrl = new URL('/token', shop.url).href;
    const requests = await requestsDuring(() => list({ ...CLIENT, tokenUrl, scope: 'a b' }));
    expect(requests).toEqual([{ grant_type: 'client_credentials', resource: shop.url, scope: 'a b' }]);
  });

  it('is renewed shortly before it expires', async () => {
    await list(CLIENT);
    passedMs += LIFETIME_MS * 0.8;
    expect(await requestsDuring(() => list(CLIENT))).toHaveLength(0);
    passedMs += LIFETIME_MS * 0.15;
    expect(await requestsDuring(() => list(CLIENT))).toHaveLength(1);
  });

  it('is renewed once after a 401', async () => {
    await list(CLIENT);
    await shop.revokeTokens();
    expect(await requestsDuring(() => list(CLIENT))).toHaveLength(1);
  });

  it('is not requested again after a second 401', async () => {
    await using other = await startMcpServer('static');
    const tokenUrl = new URL('/token', shop.url).href;
    const requests = await requestsDuring(() =>
      expect(list({ ...CLIENT, tokenUrl }, other.url)).rejects.toMatchObject({
        message: expect.stringContaining('HTTP status 401'),
      }),
    );
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  it('is not shared with another client, and rejected token requests are not cached', async () => {
    await list(CLIENT);
    const wrong = { ...CLIENT, clientSecret: 'wrong' };
    const requests = await requestsDuring(async () => {
      for (const _attempt of [1, 2])
        await expect(list(wrong)).rejects.toMatchObject({
          code: 'mcp_unauthorized',
          message: expect.stringMatching(
            /^the token request to http:.*\/token failed: invalid_client: unknown client$/u,
          ),
        });
    });
    expect(requests.length).toBeGreaterThanOrEqual(2);
  });

  it('is not requested when discovery fails, and the error contains the reason', async () => {
    await using bare = await startMcpServer('unused', { ...CLIENT, hasMetadata: false, expiresInS: 60 });
    await expect(list(CLIENT, bare.url)).rejects.toMatchObject({
      code: 'mcp_unauthorized',
      message: expect.stringMatching(/^OAuth discovery failed: the protected resource metadata/u),
    });
  });

  it('is not requested through redirects', async () => {
    const tokenUrl = new URL('/redirect', shop.url).href;
    await expect(list({ ...CLIENT, tokenUrl })).rejects.toThrow('redirects are not followed');
  });

  it('is not requested from forbidden addresses', async () => {
    await using guarded = createOutboundHttp({ allowPrivateNetworks: false });
    tokens = new AccessTokens({ outbound: guarded, clock });
    const requests = await requestsDuring(() =>
      expect(list({ ...CLIENT, tokenUrl: new URL('/token', shop.url).href })).rejects.toThrow(
        'the URL leads to a loopback address',
      ),
    );
    expect(requests).toEqual([]);
  });
});
