import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KnownResponses } from './known-responses.ts';

const { fetch } = globalThis;
const FILE = '/api/calls';

/** What the server received: the URL and the entity tag that the client has. */
let received: [string, string | null][];
let content: string;

beforeEach(() => {
  received = [];
  content = 'one';
  globalThis.fetch = (input) => {
    const { url, headers } = input as Request;
    const known = headers.get('If-None-Match');
    received.push([new URL(url).pathname, known]);
    const ETag = `W/"${content}"`;
    return Promise.resolve(
      known === ETag
        ? new Response(null, { status: 304, headers: { ETag } })
        : Response.json({ content }, { headers: { ETag } }),
    );
  };
});
afterEach(() => {
  globalThis.fetch = fetch;
});

async function read(responses: KnownResponses, path: string): Promise<unknown> {
  const response = await responses.fetch(new Request(`http://console.test${path}`));
  expect(response.status).toBe(200);
  return response.json();
}

describe('KnownResponses', () => {
  it('returns the stored response when the server responds with 304', async () => {
    const responses = new KnownResponses();
    for (let time = 0; time < 3; time += 1) expect(await read(responses, FILE)).toEqual({ content: 'one' });
    content = 'two';
    expect(await read(responses, FILE)).toEqual({ content: 'two' });
    expect(await read(responses, FILE)).toEqual({ content: 'two' });
    expect(received.map(([, tag]) => tag)).toEqual([null, 'W/"one"', 'W/"one"', 'W/"one"', 'W/"two"']);
  });

  it('removes the least recently used responses above its limit, and all responses when the account changes', async () => {
    const responses = new KnownResponses();
    await read(responses, FILE);
    for (let index = 0; index < 32; index += 1) await read(responses, `/api/agents/${index}`);
    await read(responses, FILE);
    responses.clear();
    await read(responses, FILE);
    expect(received.filter(([path]) => path === FILE)).toEqual(Array(3).fill([FILE, null]));
  });
});
