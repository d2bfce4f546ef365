import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { toError } from '@calls/foundation/errors';
import { closeServer } from '@calls/foundation/listen';
import { ValidationError } from '@calls/foundation/schema/validator';
import { checkCallSignature, type SignatureVerdict } from '../call-signature.ts';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { Scripts, scriptValidator, type ScriptedResponse } from './script.ts';

export interface SeenToolRequest {
  method: string;
  path: string;
  /** Parameters by name. Repeated parameters have an array of values. */
  query: Record<string, string | string[]>;
  headers: IncomingHttpHeaders;
  /** Parsed if it is JSON, otherwise text; null if there is none. */
  body: unknown;
  atMs: number;
  signature: SignatureVerdict;
  /** Status of the API when the call is requested with the call token; null without a token or an API URL. */
  callTokenStatus: number | null;
  /** Whether the connection was closed before the response. */
  aborted: boolean;
}

export interface ToolServerConfig {
  /** Requests that are not signed with all these secrets get 401. If empty, signatures are not checked. */
  secrets: readonly string[];
  /** API that verifies call tokens. */
  apiUrl: string | null;
}

const MAX_SEEN = 1000;

export async function listen(config: ToolServerConfig): Promise<AsyncDisposable & { port: number }> {
  const scripts = new Scripts();
  const seen: SeenToolRequest[] = [];

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://tool-server');
    const body = asJson(await text(request));
    if (url.pathname === '/-/script') {
      scripts.set(scriptValidator.parse(body));
      response.writeHead(204).end();
    } else if (url.pathname === '/-/requests') {
      response.end(JSON.stringify(seen));
    } else {
      const tool = await seenRequest(request, url, body, config);
      seen.push(tool);
      response.once('close', () => {
        tool.aborted = !response.writableFinished;
      });
      if (seen.length > MAX_SEEN) seen.shift();
      if (config.secrets.length > 0 && tool.signature !== 'valid') {
        response.writeHead(401).end(`the signature is ${tool.signature}`);
        return;
      }
      await answer(response, scripts.next(url.pathname) ?? { status: 404, body: 'no such tool' });
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => {
      response.writeHead(thrown instanceof ValidationError ? 422 : 500).end(toError(thrown).message);
    });
  });
  return { port: await listenOnLoopback(server), [Symbol.asyncDispose]: () => closeServer(server) };
}

async function seenRequest(
  request: IncomingMessage,
  url: URL,
  body: unknown,
  { secrets, apiUrl }: ToolServerConfig,
): Promise<SeenToolRequest> {
  const { headers } = request;
  const query = [...new Set(url.searchParams.keys())].map((name): [string, string | string[]] => {
    const values = url.searchParams.getAll(name);
    return [name, values.length > 1 ? values : (values[0] ?? '')];
  });
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(query),
    headers,
    body,
    atMs: Date.now(),
    signature: checkCallSignature(headers, secrets),
    callTokenStatus: apiUrl === null ? null : await verifyCallToken(headers, apiUrl),
    aborted: false,
  };
}

/** Verifies a call token like a tool server does: a token that can read the call is valid for the call. */
async function verifyCallToken(headers: IncomingHttpHeaders, apiUrl: string): Promise<number | null> {
  const token = headers['x-svc-call-token'];
  if (typeof token !== 'string') return null;
  const call = `${apiUrl}/api/calls/${String(headers['x-svc-call-id'] ?? '')}`;
  const { status } = await fetch(call, { headers: { 'X-Svc-Call-Token': token, connection: 'close' } });
  return status;
}

async function answer(response: ServerResponse, scripted: ScriptedResponse): Promise<void> {
  const { status = 200, headers = {}, body = '', delayMs = 0, failure } = scripted;
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  if (delayMs > 0) await delay(delayMs);
  switch (failure) {
    case 'hang':
      return;
    case 'refuse':
      response.destroy();
      return;
    case 'cut':
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(content) + 1 });
      response.write(content, () => response.destroy());
      return;
    case undefined:
      response.writeHead(status, headers).end(content);
  }
}

function asJson(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
