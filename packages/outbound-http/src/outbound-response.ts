import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Deadline } from './deadline.ts';
import { OutboundError } from './outbound-error.ts';

/** A response with an unread body. Read the body to its end, leave the loop over it, or call `close`. */
export interface OutboundResponse {
  readonly status: number;
  /** `name` in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Final URL after redirects. */
  readonly url: string;
  /** Decompressed body, readable once. Throws an OutboundError if it is too long, too slow or incomplete. */
  readonly body: AsyncIterable<Buffer>;
  /** Reads the whole body. */
  bytes(): Promise<Buffer>;
  /** Drops the rest of the body. Idempotent. */
  close(): void;
}

export function outboundResponse(
  message: IncomingMessage,
  parts: { url: URL; maxBytes: number; deadline: Deadline },
): OutboundResponse {
  const { deadline, maxBytes } = parts;
  const close = (): void => {
    message.destroy();
    deadline.end();
  };
  async function* read(): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* decoded(limited(message, maxBytes), message.headers['content-encoding'], maxBytes);
    } catch (thrown) {
      throw deadline.errorFor(thrown);
    } finally {
      close();
    }
  }
  const body = read();
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    url: parts.url.href,
    body,
    async bytes() {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    close,
  };
}

/**
 * Limited before and after decompression: protects against decompression bombs, and against endless input that
 * decompresses to nothing.
 */
async function* decoded(
  wire: AsyncGenerator<Buffer, void, undefined>,
  encoding: string | undefined,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  const first = await wire.next();
  // Responses without a body may have a Content-Encoding as well.
  if (first.done) return;
  const whole = startingWith(first.value, wire);
  const decoder = decoderOf(encoding);
  if (decoder === undefined) {
    yield* whole;
    return;
  }
  pipeline(whole, decoder, () => {
    // The reader receives the error: the decoder is destroyed with it.
  });
  yield* limited(decoder, maxBytes);
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield first;
  yield* rest;
}

async function* limited(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new OutboundError('outbound_too_large', `the response is longer than ${maxBytes} bytes`, {
        retryable: false,
      });
    }
    yield chunk;
  }
}

/** Encodings that no request accepts, and combinations of several. */
const UNSUPPORTED = /deflate|compress|zstd|,/u;

/** Undefined if the body is not compressed. Some servers send other values, such as `UTF-8`, which have no meaning. */
function decoderOf(header = ''): Duplex | undefined {
  const encoding = header.trim().toLowerCase();
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    default:
      if (!UNSUPPORTED.test(encoding)) return undefined;
      throw new OutboundError('outbound_failed', 'the response has an unknown content encoding', {
        retryable: false,
      });
  }
}
