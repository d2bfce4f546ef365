import { Router, type Request } from 'express';
import { readBuiltFiles, sendBuiltFile, type BuiltFiles } from '../static-files/built-files.ts';

export interface ConsoleDeps {
  /** Folder of the built console. */
  directory: string;
  /** Public URL of the media-workers, where pages join calls. */
  mediaPublicUrl: string;
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Calls</title>
<h1>The console has not been built</h1>
<p>Run <code>npm run setup</code> where the service is installed (<code>npm start</code> does it by itself), then load this page again.</p>
<p>The API is running: <a href="/docs/api">reference</a>, <a href="/healthz">health</a>.</p>
`;

/** File names under it contain a hash of the content. */
const HASHED = '/assets/';
/** Other sites may load files under it. */
const SHARED = '/sdk/';

/**
 * Serves the console: its files, and its single page for every other address that a person opens. If the console has
 * not been built, serves a page that says so.
 */
export function consoleRoutes({ directory, mediaPublicUrl }: ConsoleDeps): Router {
  const policy = contentSecurityPolicy(mediaPublicUrl);
  let files: BuiltFiles | null = null;
  const router = Router();
  router.get('/{*path}', async (request, response, next) => {
    files ??= await readBuiltFiles(directory);
    const file = request.path === '/index.html' ? undefined : files?.get(request.path);
    if (file) {
      response.set('Cache-Control', cacheControl(request.path));
      if (request.path.startsWith(SHARED)) response.set('Access-Control-Allow-Origin', '*');
      else response.set('Cross-Origin-Resource-Policy', 'same-origin');
      sendBuiltFile(request, response, file);
      return;
    }
    if (!isNavigation(request)) {
      next();
      return;
    }
    response.set({
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': policy,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy': 'microphone=(self), speaker-selection=(self), camera=(), geolocation=()',
    });
    const page = files?.get('/index.html');
    if (page) sendBuiltFile(request, response, page);
    else response.status(503).type('html').send(NOT_BUILT);
  });
  return router;
}

/** Whether a browser opens a page. Programs get a JSON error for unknown paths instead. */
function isNavigation(request: Request): boolean {
  if (request.path.startsWith('/api/') || request.path.startsWith(HASHED)) return false;
  return request.path === '/' || (request.get('Accept') ?? '').includes('text/html');
}

function cacheControl(path: string): string {
  return path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** Allows this origin only, and the media host for calls. Component styles are inline. */
function contentSecurityPolicy(mediaPublicUrl: string): string {
  const { protocol, host } = new URL(mediaPublicUrl);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ${protocol}//${host} ${protocol.replace('ws', 'http')}//${host}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "media-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
