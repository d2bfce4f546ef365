import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import { newId } from '@calls/foundation/ids';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

/** Maximum compressed size of the script of the reference page. */
const MAX_TRANSFERRED_BYTES = 600_000;
/** Methods that a path accepts although the API description does not list them. */
const IMPLIED = ['HEAD', 'OPTIONS'];

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(`${harness.url}${path}`, { headers });
  // Read completely so that the connection can be reused.
  return new Response(await response.arrayBuffer(), response);
}

describe('/api/schema/', () => {
  it('returns the API description without a key in the requested format', async () => {
    const json = await get('/api/schema/?format=json');
    expect(json.headers.get('content-type')).toContain('application/json');
    const document = (await json.json()) as OpenApiDocument;
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: harness.url }]);
    expect(document.paths['/api/calls']).toHaveProperty('post.operationId', 'startCall');
    expect(document.webhooks).toHaveProperty('callEvent.post.operationId', 'callEvent');
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['ServerMessage', 'ClientMessage']),
    );
    for (const path of ['/api/schema/?format=yaml&lang=en', '/api/schema', '/api/schema/']) {
      const yaml = await get(path);
      expect(yaml.status).toBe(200);
      expect(parse(await yaml.text())).toEqual(document);
    }
    const typed = await get('/api/schema/', { Accept: 'application/vnd.oai.openapi+json' });
    expect(typed.headers.get('content-type')).toContain('application/vnd.oai.openapi+json');
    expect(await typed.json()).toEqual(document);
  });

  it('rejects other formats and methods', async () => {
    expect((await get('/api/schema/?format=xml')).status).toBe(400);
    const posted = await fetch(`${harness.url}/api/schema/`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('describes only paths and methods that are served', async () => {
    const account = await harness.account();
    const described = Map.groupBy(operations, ({ path }) => path);
    expect(described.size).toBeGreaterThan(50);
    for (const [path, here] of described) {
      const response = await account.request(path.replaceAll(/\{\w+\}/gu, newId()), { method: 'OPTIONS' });
      const allowed = response.headers
        .get('allow')
        ?.split(', ')
        .filter((method) => !IMPLIED.includes(method));
      expect({ path, status: response.status, methods: allowed?.sort() }).toEqual({
        path,
        status: 204,
        methods: here.map(({ method }) => method).sort(),
      });
    }
  });
});

describe('/docs/api', () => {
  it('serves a page without external resources', async () => {
    const page = await get('/docs/api');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    const needed = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/gu)].map(([, path]) => path!);
    expect(needed.length).toBeGreaterThan(2);
    for (const path of needed) expect([path, (await get(path)).status]).toEqual([path, 200]);
    const script = await fetch(`${harness.url}/docs/api/openapi-explorer.min.js`);
    expect(script.headers.get('content-encoding')).toBe('gzip');
    expect(Number(script.headers.get('content-length'))).toBeLessThan(MAX_TRANSFERRED_BYTES);
    expect((await script.arrayBuffer()).byteLength).toBeGreaterThan(MAX_TRANSFERRED_BYTES);
    expect((await get('/docs/api/package.json')).status).toBe(404);
    expect((await get('/docs/api/..%2fpackage.json')).status).toBe(404);
  });
});
