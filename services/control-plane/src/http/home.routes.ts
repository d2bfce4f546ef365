import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Router } from 'express';
import { onlyMethods } from './not-allowed.ts';

/** `/`: one page for people who open the service in a browser. It needs nothing from elsewhere. */
export function homeRoutes(publicUrl: string): Router {
  const html = readFileSync(new URL('home-page.html', import.meta.url), 'utf8').replace('{{CURL}}', () =>
    escaped(firstCall(publicUrl)),
  );
  const policy = contentSecurityPolicy(html);
  const router = Router();
  router
    .route('/')
    .get((_request, response) => {
      response
        .set('Content-Security-Policy', policy)
        .set('Cache-Control', 'no-cache')
        .type('html')
        .send(html);
    })
    .all(onlyMethods('GET'));
  return router;
}

/** Lets the page run its own script and style, known by their hashes, and ask this origin; nothing else. */
function contentSecurityPolicy(html: string): string {
  return [
    `default-src 'none'`,
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    `connect-src 'self'`,
    `img-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

function hashOf(html: string, element: 'script' | 'style'): string {
  const text = new RegExp(`<${element}>([^]*?)</${element}>`, 'u').exec(html)?.[1] ?? '';
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function firstCall(publicUrl: string): string {
  return [
    `curl ${new URL('/api/calls', publicUrl).href} \\`,
    `  -H "X-API-Key: $(cat .data/dev-api-key)" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"systemPrompt": "You are Ada, the receptionist of a hotel.",`,
    `       "medium": {"serverWebSocket": {"inputSampleRate": 16000}}}'`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
