import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Router } from 'express';
import { onlyMethods } from './route-guards.ts';

const LIBRARY = 'openapi-explorer/dist/browser/openapi-explorer.min.js';
const FILE = 'openapi-explorer.min.js';
const CACHE_SECONDS = 86_400;

/** Colours of the page in both colour schemes; the library has no dark scheme. */
const START = `const explorer = document.querySelector('openapi-explorer');
const dark = matchMedia('(prefers-color-scheme: dark)');
const names = ['bg-color', 'text-color', 'header-color', 'primary-color', 'secondary-color', 'nav-bg-color',
  'nav-text-color', 'nav-hover-bg-color', 'nav-hover-text-color'];
const schemes = {
  light: ['#ffffff', '#22262e', '#22262e', '#2a5bd7', '#2a5bd7', '#f3f4f7', '#3a404c', '#e3e7f0', '#16181d'],
  dark: ['#16181d', '#d9dce3', '#d9dce3', '#8fb4ff', '#8fb4ff', '#1d2027', '#d9dce3', '#2a2f3a', '#ffffff'],
};
function paint() {
  const colours = dark.matches ? schemes.dark : schemes.light;
  names.forEach((name, i) => explorer.setAttribute(name, colours[i]));
}
dark.addEventListener('change', paint);
paint();`;

const STYLE = `:root { color-scheme: light dark } body { margin: 0; height: 100vh; font-family: system-ui, sans-serif }
openapi-explorer { --font-regular: system-ui, sans-serif; --font-mono: ui-monospace, monospace }
[slot=nav-header] { display: block; padding: 16px 24px 0; color: light-dark(#2a5bd7, #8fb4ff) }`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Calls: API reference</title>
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
<style>${STYLE}</style>
<script type="module" src="/docs/api/${FILE}"></script>
</head>
<body>
<openapi-explorer spec-url="/api/schema/?format=json" collapse table server-url="" hide-server-selection hide-components>
<a slot="nav-header" href="/docs/">Documentation</a>
</openapi-explorer>
<noscript>This page needs JavaScript. The OpenAPI document is at <a href="/api/schema/">/api/schema/</a>.</noscript>
<script>${START}</script>
</body>
</html>
`;

/** `/docs/api`: the API reference. The page loads nothing from other hosts. */
export function docsRoutes(): Router {
  const require = createRequire(import.meta.url);
  const path = require.resolve(LIBRARY);
  const { version } = require('openapi-explorer/package.json') as { version: string };
  const scriptHash = createHash('sha256').update(START).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${scriptHash}'`,
    // The library adds inline styles to its elements.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ].join('; ');
  let packed: Promise<Buffer> | undefined;
  const router = Router();
  router
    .route('/docs/api')
    .get((_request, response) => {
      response
        .set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' })
        .type('html')
        .send(PAGE);
    })
    .all(onlyMethods('GET'));
  router.get(`/docs/api/${FILE}`, async (request, response) => {
    response.set('Vary', 'Accept-Encoding');
    if (request.headers.range !== undefined || request.acceptsEncodings('gzip') !== 'gzip') {
      response.set('ETag', `"openapi-explorer-${version}"`);
      response.sendFile(FILE, { root: dirname(path), maxAge: CACHE_SECONDS * 1000 });
      return;
    }
    packed ??= readFile(path).then((script) => promisify(gzip)(script, { level: 9 }));
    response
      .set({
        'Cache-Control': `public, max-age=${CACHE_SECONDS}`,
        'Content-Encoding': 'gzip',
        ETag: `"openapi-explorer-${version}-gzip"`,
      })
      .type('js')
      .send(await packed);
  });
  return router;
}
