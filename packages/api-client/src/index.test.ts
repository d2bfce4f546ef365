import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createApiClient } from './index.ts';

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

async function serve(listener: RequestListener) {
  const requests: Pick<IncomingMessage, 'method' | 'headers'>[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('createApiClient', () => {
  it.each([301, 302, 307, 308])('rejects a POST that a proxy redirects with %s', async (status) => {
    const service = await serve((_request, response) => response.end('{"results": []}'));
    const proxy = await serve(({ url }, response) =>
      response.writeHead(status, { location: service.url + (url ?? '') }).end(),
    );
    const api = createApiClient({ baseUrl: proxy.url, apiKey: 'key' });
    await expect(api.POST('/api/calls', { body: { systemPrompt: 'Be kind.' } })).rejects.toThrow(
      `POST ${proxy.url}/api/calls: the server redirects to ${service.url}/api/calls: use its address as baseUrl`,
    );
    expect(service.requests).toEqual([]);
  });

  it('rejects a GET that a proxy redirects permanently', async () => {
    const proxy = await serve((_request, response) =>
      response.writeHead(301, { location: 'https://calls.test/api/calls' }).end(),
    );
    const api = createApiClient({ baseUrl: proxy.url, apiKey: 'key' });
    await expect(api.GET('/api/calls')).rejects.toThrow('redirects to https://calls.test/api/calls');
  });

  it('follows the redirect of a download without the API key', async () => {
    const storage = await serve((_request, response) => response.end('audio'));
    const service = await serve((_request, response) => {
      response.writeHead(302, { location: `${storage.url}/recording` }).end();
    });
    const api = createApiClient({ baseUrl: service.url, apiKey: 'key' });
    const { data } = await api.GET('/api/calls/{call_id}/recording', {
      params: { path: { call_id: 'a' } },
      parseAs: 'text',
    });
    expect(data).toBe('audio');
    expect([service.requests, storage.requests].map(([each]) => each?.headers['x-api-key'])).toEqual([
      'key',
      undefined,
    ]);
  });
});
