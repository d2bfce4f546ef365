import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/**
 * Sends a JSON response. To GET, it has an entity tag, and the response is 304 if the client already has this content.
 * The tag is weak, because the same content may be compressed in several ways.
 */
export function sendJson(request: Request, response: Response, body: unknown): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.json(body);
    return;
  }
  const text = JSON.stringify(body);
  const tag = createHash('sha256').update(text).digest('base64url');
  response.set('ETag', `W/"${tag}"`).vary('Accept-Encoding');
  // `request.fresh` would ignore the condition of browsers' scripts, which `fetch` sends with `Cache-Control: no-cache`.
  if (request.get('If-None-Match')?.includes(`"${tag}"`)) response.status(304).end();
  else response.type('json').send(text);
}
