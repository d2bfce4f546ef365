import type { IceServer } from '@calls/api-contract';
import type { ServerResponse } from 'node:http';

export interface HttpAnswer {
  status: number;
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string;
}

/** Any page may join: what lets in is the token. */
const COMMON_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Location, Link',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export const PREFLIGHT: HttpAnswer = {
  status: 204,
  headers: {
    'access-control-allow-methods': 'POST, DELETE, OPTIONS',
    'access-control-allow-headers': 'Authorization, Content-Type',
    'access-control-max-age': '86400',
  },
};

/** In the form of the REST API's problems. */
export function problem(
  status: number,
  code: string,
  detail: string,
  headers: HttpAnswer['headers'] = {},
): HttpAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ detail, code }),
  };
}

export function sendAnswer(response: ServerResponse, { status, headers = {}, body = '' }: HttpAnswer): void {
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
