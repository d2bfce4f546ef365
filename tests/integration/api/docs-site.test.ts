import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
afterAll(() => harness.stop());

async function get(path: string, headers: Record<string, string> = {}, url = harness.url): Promise<Response> {
  const response = await fetch(`${url}${path}`, { headers, redirect: 'manual' });
  // Read completely so that the connection can be reused.
  const body = await response.arrayBuffer();
  return new Response([304, 308].includes(response.status) ? null : body, response);
}

describe('the documentation site', () => {
  it('serves pages that load scripts and styles only from the site itself', async () => {
    const page = await get('/docs/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    const html = await page.text();
    expect(html).not.toMatch(/<script>|<style|style="/u);
    const links = [...html.matchAll(/(?:src|href)="([^"#]+)/gu)].map(([, path]) => path!);
    expect(links.length).toBeGreaterThan(15);
    for (const path of new Set(links)) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  it.each([
    ['/docs/assets/site.css', 'text/css; charset=utf-8'],
    ['/docs/assets/search.js', 'text/javascript; charset=utf-8'],
    ['/docs/assets/search-index.json', 'application/json; charset=utf-8'],
    ['/docs/assets/icon.svg', 'image/svg+xml'],
    ['/docs/glossary', 'text/html; charset=utf-8'],
  ])('serves %s as %s, and responds with 304 when the browser has it cached', async (path, mediaType) => {
    const first = await get(path);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, mediaType]);
    const known = { 'If-None-Match': first.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' };
    expect((await get(path, known)).status).toBe(304);
  });

  it.each([
    ['/docs', '/docs/'],
    ['/docs/internals', '/docs/internals/'],
  ])('redirects %s to %s', async (path, target) => {
    const response = await get(path);
    expect([response.status, response.headers.get('location')]).toEqual([308, target]);
  });

  it('returns an HTML page to browsers and a JSON error to other clients for unknown paths', async () => {
    for (const path of ['/docs/none', '/docs/..%2fpackage.json', '/docs/assets/none.js']) {
      const page = await get(path, { Accept: 'text/html' });
      expect([path, page.status, await page.text()]).toEqual([
        path,
        404,
        expect.stringContaining('<h1>Page not found</h1>'),
      ]);
      const json = await get(path, { Accept: 'application/json' });
      expect([json.status, await json.json()]).toMatchObject([404, { code: 'not_found' }]);
    }
  });

  it('explains how to build the site when it has not been built', async () => {
    const url = await harness.addReplica({}, { docsSiteDirectory: join(import.meta.dirname, 'not-built') });
    const page = await get('/docs/', {}, url);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('npm run setup')]);
  });
});
