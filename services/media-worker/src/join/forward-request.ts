import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';

const RESPONSE_LIMIT_MS = 10_000;
const MAX_RESPONSE_BYTES = 256 * 1024;
const FORWARDED_HEADERS = ['content-type', 'authorization'];

export interface WorkerResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Forwards a client's HTTP request to another worker. Rejects if that worker does not respond. */
export function forwardRequest(
  request: IncomingMessage,
  body: string,
  workerUrl: string,
): Promise<WorkerResponse> {
  const url = new URL(request.url ?? '/', workerUrl.replace(/^ws/u, 'http'));
  const send = url.protocol === 'https:' ? requestSecure : requestPlain;
  const headers = Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(RESPONSE_LIMIT_MS);
    const sent = send(url, { method: request.method, headers, signal }, (response) => {
      readBody(response, MAX_RESPONSE_BYTES)
        .then((text) =>
          resolve({ status: response.statusCode ?? 502, headers: response.headers, body: text ?? '' }),
        )
        .catch(reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Reads text; null if it is longer than `maxBytes`. Rejects if the other side disconnects. */
export async function readBody(message: IncomingMessage, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
