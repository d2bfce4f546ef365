import { Router } from 'express';
import { readBuiltFiles, sendBuiltFile, type BuiltFiles } from '../static-files/built-files.ts';
import { onlyMethods } from './route-guards.ts';
import { notFound } from '../problems/problem.ts';

export interface DocsSiteDeps {
  /** Folder of the built documentation site. */
  directory: string;
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Calls documentation</title>
<h1>The documentation site has not been built</h1>
<p>Run <code>npm run setup</code> in the repository, then load this page again. The <a href="/docs/api">API reference</a> is available.</p>
`;

/** Pages load only files of the site itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** `/docs/`: the documentation site. Page URLs have no `.html`; the URL of a folder's `index.html` ends with `/`. */
export function docsSiteRoutes({ directory }: DocsSiteDeps): Router {
  let files: BuiltFiles | null = null;
  const router = Router({ strict: true });
  router.get('/docs', (_request, response) => response.redirect(308, '/docs/'));
  router
    .route('/docs/{*path}')
    .get(async (request, response) => {
      files ??= await readBuiltFiles(directory);
      response.set({
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': POLICY,
        'Cross-Origin-Resource-Policy': 'same-origin',
      });
      if (!files) {
        response.status(503).type('html').send(NOT_BUILT);
        return;
      }
      const path = request.path.slice('/docs'.length);
      const file = files.get(path) ?? files.get(path.endsWith('/') ? `${path}index.html` : `${path}.html`);
      if (file) {
        sendBuiltFile(request, response, file);
        return;
      }
      if (files.has(`${path}/index.html`)) {
        response.redirect(308, `${request.path}/`);
        return;
      }
      const page = files.get('/404.html');
      if (!page || !request.accepts('html')) throw notFound('path');
      response.status(404);
      sendBuiltFile(request, response, page);
    })
    .all(onlyMethods('GET'));
  return router;
}
