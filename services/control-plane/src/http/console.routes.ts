import { Router, type Request } from 'express';
import { readBuiltFiles, sendBuiltFile, type BuiltFiles } from '../static-files/built-files.ts';

export interface ConsoleDeps {
  /** Of the built console. */
  directory: string;
  /** Where its pages join calls. */
  mediaPublicUrl: string;
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Calls</title>
<h1>The console has not been built</h1>
<p>Run <code>npm run setup</code> where the service is installed (<code>npm start</code> does it by itself), then load this page again.</p>
<p>The API is running: <a href="/docs/api">reference</a>, <a href="/healthz">health</a>.</p>
`;

/** Names under it hold a hash of the content. */
const HASHED = '/assets/';
/** What other sites may load. */
const SHARED = '/sdk/';

/**
 * The console: its files, and for every address that a person opens and nothing else is at, its one page, which finds out
 * itself what is to be shown there. Where there is no build yet, a page that says so.
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

/** Whether a person opens it: programs that ask for what isn't there are to get an answer that they can read. */
function isNavigation(request: Request): boolean {
  if (request.path.startsWith('/api/') || request.path.startsWith(HASHED)) return false;
  return request.path === '/' || (request.get('Accept') ?? '').includes('text/html');
}

function cacheControl(path: string): string {
  return path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** Everything from this origin; calls are joined at the media host, which is asked by HTTP where that fails. Styles of components stand in the page: those may. */
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
