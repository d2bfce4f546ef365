import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { GuardedAgents } from './guarded-agents.ts';
import { OutboundError } from './outbound-error.ts';
import type { Hop } from './redirect.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Headers that frame the message or select the connection. Those of callers are dropped. */
const RESERVED_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const ENCODINGS = 'gzip, br';

/** Sends one request and resolves with the head of the response. `signal` aborts it, including the body. */
export function exchange(hop: Hop, agents: GuardedAgents, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isSecure = hop.url.protocol === 'https:';
    const request = (isSecure ? httpsRequest : httpRequest)(hop.url, {
      method: hop.method,
      headers: headersOf(hop),
      agent: isSecure ? agents.https : agents.http,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    // Called without an error, unlike the `signal` option: just after a response ends, its socket has no
    // error listener, and an error would end the process.
    const onAbort = (): void => void request.destroy();
    signal.addEventListener('abort', onAbort, { once: true });
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => {
      signal.removeEventListener('abort', onAbort);
      reject(
        new OutboundError('outbound_failed', 'the connection was closed before a response arrived', {
          retryable: true,
        }),
      );
    });
    if (signal.aborted) request.destroy();
    else request.end(hop.body);
  });
}

function headersOf({ headers, body, method }: Hop): OutgoingHttpHeaders {
  const given = Object.entries(headers).filter(([name]) => !RESERVED_HEADERS.has(name.toLowerCase()));
  const length = body === undefined ? undefined : Buffer.byteLength(body);
  return {
    'accept-encoding': ENCODINGS,
    ...Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])),
    ...(length === undefined && (method === 'GET' || method === 'HEAD')
      ? {}
      : { 'content-length': length ?? 0 }),
  };
}
