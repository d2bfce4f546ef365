import type { IceServer } from '@calls/api-contract/signalling/signal-messages';
import type { ServerResponse } from 'node:http';

export interface HttpResponse {
  status: number;
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string;
}

/** Any page may join: the token is the permission. */
const COMMON_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Location, Link, Allow, Accept-Post, Retry-After',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** Answers OPTIONS, whether or not it is a preflight request (RFC 9725, 4.2). */
export function optionsOf(allow: string): HttpResponse {
  return {
    status: 200,
    headers: {
      allow,
      ...(allow.includes('POST') && { 'accept-post': 'application/sdp' }),
      'access-control-allow-methods': allow,
      'access-control-allow-headers': 'Authorization, Content-Type, If-Match',
      'access-control-max-age': '86400',
    },
  };
}

/** Uses the REST API's error format, which follows RFC 9457. */
export function problem(
  status: number,
  code: string,
  detail: string,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ detail, code }),
  };
}

export function sendResponse(
  response: ServerResponse,
  { status, headers = {}, body = '' }: HttpResponse,
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { ...COMMON_HEADERS, ...headers }).end(body);
}

/** RFC 9725, 4.6. */
export function iceServerLinks(servers: readonly IceServer[]): string[] {
  return servers.flatMap(({ urls, username, credential }) =>
    urls.map((url) => {
      const access =
        username === undefined
          ? ''
          : `; username=${JSON.stringify(username)}; credential=${JSON.stringify(credential ?? '')}; credential-type="password"`;
      return `<${url}>; rel="ice-server"${access}`;
    }),
  );
}
