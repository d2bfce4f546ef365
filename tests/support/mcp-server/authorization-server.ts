import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface OAuthOptions {
  clientId: string;
  clientSecret: string;
  /** Whether the MCP server and its authorization server publish metadata. */
  hasMetadata: boolean;
  expiresInS: number;
}

const RESOURCE_METADATA = '/metadata/of-the-shop';

/**
 * An authorization server with the client credentials grant for the MCP server in the same process. Like some frameworks,
 * it sends null for absent members.
 */
export class AuthorizationServer {
  readonly #options: OAuthOptions;
  readonly #requests: Record<string, string>[];
  readonly #tokens = new Set<string>();

  constructor(options: OAuthOptions, requests: Record<string, string>[]) {
    this.#options = options;
    this.#requests = requests;
  }

  /** Responds to requests that are not for the MCP server or have no valid token. Returns whether it responded. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const origin = `http://${request.headers.host ?? ''}`;
    const { hasMetadata } = this.#options;
    const respond = (status: number, body: object, headers: Record<string, string> = {}): true => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
      return true;
    };
    if (request.url === '/-/revoke') {
      this.#tokens.clear();
      return respond(200, {});
    }
    if (request.url === '/token') {
      const [status, body] = this.#grant(request.headers.authorization, await text(request));
      return respond(status, body);
    }
    if (request.url === RESOURCE_METADATA && hasMetadata)
      return respond(200, {
        resource: `${origin}/mcp`,
        authorization_servers: [`${origin}/tenant`],
        scopes_supported: null,
      });
    if (request.url === '/.well-known/oauth-authorization-server/tenant' && hasMetadata)
      return respond(200, {
        issuer: `${origin}/tenant`,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ['code'],
        registration_endpoint: null,
      });
    if (request.url === '/redirect') return respond(307, {}, { location: `${origin}/token` });
    if (request.url !== '/mcp') return respond(404, {});
    const [, token = ''] = /^Bearer (.+)$/u.exec(request.headers.authorization ?? '') ?? [];
    if (this.#tokens.has(token)) return false;
    const metadata = hasMetadata ? ` resource_metadata="${origin}${RESOURCE_METADATA}", scope="orders"` : '';
    return respond(401, {}, { 'www-authenticate': `Bearer${metadata}` });
  }

  #grant(authorization: string | undefined, form: string): [number, object] {
    const { clientId, clientSecret, expiresInS } = this.#options;
    const request = Object.fromEntries(new URLSearchParams(form));
    this.#requests.push(request);
    const expected = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    if (authorization !== `Basic ${expected}`)
      return [401, { error: 'invalid_client', error_description: 'unknown client' }];
    if (request['grant_type'] !== 'client_credentials') return [400, { error: 'unsupported_grant_type' }];
    const token = randomUUID();
    this.#tokens.add(token);
    const absent = { refresh_token: null, scope: null };
    return [200, { access_token: token, token_type: 'Bearer', expires_in: expiresInS, ...absent }];
  }
}
