import {
  checkResourceAllowed,
  ClientCredentialsProvider,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  fetchToken,
  resourceUrlFromServerUrl,
  OAuthError,
  type AuthorizationServerMetadata,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { abortable, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { shortened } from '@calls/foundation/shortened';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { OutboundResponse } from '@calls/outbound-http/outbound-response';
import { asResponse } from './guarded-fetch.ts';
import { McpError } from './mcp-error.ts';

/** A client of the client credentials grant (OAuth 2.1), registered with the authorization server of an MCP server. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  /** Default: the scopes that the MCP server names. */
  scope?: string;
  /** Default: discovered from the metadata of the MCP server. */
  tokenUrl?: string;
}

/** What access tokens are for. */
export interface TokenGrant {
  /** URL of the MCP server. */
  url: string;
  accountId: string;
  client: OAuthClient;
}

export interface AccessToken {
  value: string;
  /** Undefined if the authorization server does not say it. */
  lifetimeMs: number | undefined;
  endpoint: TokenEndpoint;
}

/** Where the tokens for an MCP server come from. */
export interface TokenEndpoint {
  metadata: AuthorizationServerMetadata;
  /** Identifier of the MCP server for the authorization server (RFC 8707). */
  resource: string;
  scope: string | undefined;
}

interface Deps {
  outbound: OutboundHttp;
  clock: Clock;
}

/** Time limit of discovery and the token request together. */
const LIMIT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_DETAIL_CHARS = 300;
/** Tokens that a header can carry. */
const TOKEN = /^[!-~]{1,8192}$/u;

/**
 * Gets an access token with the client credentials grant. `known`: an endpoint that was discovered before. Rejects with an
 * McpError `mcp_unauthorized`.
 */
export async function requestAccessToken(
  grant: TokenGrant,
  { outbound, clock }: Deps,
  known?: TokenEndpoint,
): Promise<AccessToken> {
  const overdue = new AbortController();
  const timer = clock.setTimer(LIMIT_MS, () =>
    overdue.abort(unauthorized(`OAuth did not succeed within ${LIMIT_MS / 1000} s`)),
  );
  const { signal } = overdue;
  const send = guardedSend(outbound, { owner: grant.accountId, signal });
  try {
    const endpoint = known ?? (await abortable(tokenEndpoint(grant, send), signal));
    return await abortable(tokenFrom(endpoint, grant, withoutRedirects(send)), signal);
  } catch (thrown) {
    throw signal.aborted ? signal.reason : thrown;
  } finally {
    timer.cancel();
  }
}

async function tokenFrom(
  endpoint: TokenEndpoint,
  grant: TokenGrant,
  fetchFn: FetchLike,
): Promise<AccessToken> {
  const { metadata, resource } = endpoint;
  const { clientId, clientSecret } = grant.client;
  const { issuer: expectedIssuer, token_endpoint: tokenUrl } = metadata;
  const provider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer });
  const scope = grant.client.scope ?? endpoint.scope;
  const failed = `the token request to ${tokenUrl} failed`;
  const tokens = await fetchToken(provider, expectedIssuer, {
    metadata,
    resource,
    fetchFn,
    ...(scope !== undefined && { scope }),
  }).catch((thrown: unknown) => {
    throw unauthorized(`${failed}: ${reason(thrown)}`, thrown);
  });
  const { access_token: value, token_type: type, expires_in: lifetimeS } = tokens;
  if (type.toLowerCase() !== 'bearer') throw unauthorized(`${failed}: the token type is not Bearer`);
  if (!TOKEN.test(value)) throw unauthorized(`${failed}: the access token is malformed`);
  return { value, lifetimeMs: lifetimeS === undefined ? undefined : Math.max(lifetimeS, 0) * 1000, endpoint };
}

async function tokenEndpoint({ url, client }: TokenGrant, send: Send): Promise<TokenEndpoint> {
  const server = resourceUrlFromServerUrl(url);
  // It may contain keys of the MCP server, which the authorization server must not get.
  server.search = '';
  if (client.tokenUrl !== undefined) {
    const metadata = {
      issuer: client.tokenUrl,
      authorization_endpoint: client.tokenUrl,
      response_types_supported: [],
    };
    return {
      metadata: { ...metadata, token_endpoint: client.tokenUrl },
      resource: server.href,
      scope: undefined,
    };
  }
  const challenge = await challengeOf(url, send);
  const fetchFn = withoutRedirects(send);
  const { resourceMetadataUrl } = challenge;
  const ofResource = await discoverOAuthProtectedResourceMetadata(
    server,
    resourceMetadataUrl && { resourceMetadataUrl },
    fetchFn,
  ).catch((thrown: unknown) => {
    throw undiscovered(`the protected resource metadata of the MCP server: ${reason(thrown)}`, thrown);
  });
  const { resource, authorization_servers: issuers = [], scopes_supported: scopes } = ofResource;
  if (!checkResourceAllowed({ requestedResource: server, configuredResource: resource })) {
    throw undiscovered(
      `the protected resource metadata is for another server, ${shortened(resource, MAX_DETAIL_CHARS)}`,
    );
  }
  const [issuer] = issuers;
  if (issuer === undefined)
    throw undiscovered('the protected resource metadata names no authorization server');
  const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn }).catch((thrown: unknown) => {
    throw undiscovered(
      `the metadata of the authorization server ${shortened(issuer, MAX_DETAIL_CHARS)}: ${reason(thrown)}`,
      thrown,
    );
  });
  if (!metadata)
    throw undiscovered(`the authorization server ${shortened(issuer, MAX_DETAIL_CHARS)} has no metadata`);
  return { metadata, resource, scope: challenge.scope ?? scopes?.join(' ') };
}

/** What the server says about its authorization if a request has no token; empty if it says nothing. */
async function challengeOf(url: string, send: Send): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const response = await send(url, { headers: { accept: 'text/event-stream' } }).catch((thrown: unknown) => {
    throw undiscovered(`the MCP server: ${reason(thrown)}`, thrown);
  });
  response.close();
  const header = response.headers['www-authenticate'];
  if (response.status !== 401 || header === undefined) return {};
  return extractWWWAuthenticateParams(new Response(null, { headers: { 'www-authenticate': header } }));
}

/** Sends a request of the SDK with the guarded HTTP client. */
type Send = (...of: Parameters<FetchLike>) => Promise<OutboundResponse>;

function guardedSend(
  outbound: OutboundHttp,
  { owner, signal }: { owner: string; signal: AbortSignal },
): Send {
  return (url, init = {}) => {
    const { body } = init;
    return outbound.request({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url: String(url),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...((typeof body === 'string' || body instanceof URLSearchParams) && { body: body.toString() }),
      timeoutMs: LIMIT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      signal,
      owner,
    });
  };
}

/** Rejects redirects, because they could lead the client secret elsewhere. */
function withoutRedirects(send: Send): FetchLike {
  return async (url, init) => {
    const response = await send(url, init);
    if (response.status < 300 || response.status >= 400) return withoutNulls(asResponse(response));
    response.close();
    throw unauthorized(`${String(url)} responded with a redirect, and redirects are not followed`);
  };
}

/** Removes members that are null, which some servers send in place of optional ones, and which the SDK rejects. */
async function withoutNulls(response: Response): Promise<Response> {
  const { status, headers } = response;
  const text = await response.text();
  if (text === '') return new Response(null, { status, headers });
  try {
    const compact = JSON.stringify(JSON.parse(text, (_key, value: unknown) => value ?? undefined));
    return new Response(compact, { status, headers });
  } catch {
    return new Response(text, { status, headers });
  }
}

function undiscovered(problem: string, cause?: unknown): McpError {
  return unauthorized(`OAuth discovery failed: ${problem}`, cause);
}

function unauthorized(message: string, cause?: unknown): McpError {
  const retryable = cause instanceof OutboundError && cause.retryable;
  return new McpError('mcp_unauthorized', message, { retryable, cause });
}

function reason(thrown: unknown): string {
  const text = thrown instanceof OAuthError ? `${thrown.code}: ${thrown.message}` : toError(thrown).message;
  return shortened(text, MAX_DETAIL_CHARS);
}
