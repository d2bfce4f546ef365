import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Router } from 'express';
import { onlyMethods } from './not-allowed.ts';

/** The files of the page that are served, of all that the library brings. */
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];
const CACHE_SECONDS = 86_400;

const START = `SwaggerUIBundle({
  url: '/api/schema/?format=json', dom_id: '#reference', deepLinking: true, docExpansion: 'list', filter: true,
  defaultModelsExpandDepth: 0, validatorUrl: null, tryItOutEnabled: false,
});`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Calls: API reference</title>
<link rel="stylesheet" href="/docs/api/swagger-ui.css">
<style>body { margin: 0 } .swagger-ui .topbar { display: none }</style>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The description itself is at <a href="/api/schema/">/api/schema/</a>.</noscript>
<script src="/docs/api/swagger-ui-bundle.js"></script>
<script>${START}</script>
</body>
</html>
`;

/** `/docs/api`: the API reference as a page. It needs nothing from elsewhere. */
export function docsRoutes(): Router {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const { version } = createRequire(import.meta.url)('swagger-ui-dist/package.json') as { version: string };
  const scriptHash = createHash('sha256').update(START).digest('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${scriptHash}'`,
    // The library sets styles on elements as it goes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
  ].join('; ');
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
  router.get('/docs/api/:file', (request, response, next) => {
    if (!FILES.includes(request.params.file)) {
      next();
      return;
    }
    response.set('ETag', `"swagger-ui-${version}"`);
    response.sendFile(request.params.file, { root: folder, maxAge: CACHE_SECONDS * 1000 });
  });
  return router;
}
