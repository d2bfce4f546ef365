import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { TextDecoder } from 'node:util';
import type { ToolHttp, ToolHttpResponse } from '@calls/conversation/ports/tools';
import { MAX_TOOL_REDIRECTS } from '@calls/conversation/tools/http-request';
import { AppError } from '@calls/foundation/errors';
import { MAX_BODY_BYTES } from '@calls/foundation/schema/count-values';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { OutboundResponse } from '@calls/outbound-http/outbound-response';

/** Maximum length of a response for the model; the rest is truncated. */
export const MAX_RESPONSE_BYTES = 64 * 1024;
/** Maximum length of a new stage. A longer one is an error, because a part is useless. */
export const MAX_STAGE_BYTES = MAX_BODY_BYTES;

/** Sends the requests of HTTP tools through the guarded client, at most once each. */
export function createToolHttp(outbound: OutboundHttp): ToolHttp {
  return {
    async send({ method, url, headers, body }, { timeoutMs, signal, accountId }) {
      try {
        const response = await outbound.request({
          method,
          url,
          headers,
          ...(body !== undefined && { body }),
          timeoutMs,
          // Higher than the amount that is read, so that a long response is truncated instead of rejected.
          maxResponseBytes: 2 * MAX_STAGE_BYTES,
          maxRedirects: MAX_TOOL_REDIRECTS,
          signal,
          owner: accountId,
        });
        return { ...(await answerOf(response)), isRedirected: response.url !== new URL(url).href };
      } catch (thrown) {
        if (!(thrown instanceof OutboundError)) throw thrown;
        throw toolHttpError(thrown, timeoutMs);
      }
    },
  };
}

async function answerOf(response: OutboundResponse): Promise<ToolHttpResponse> {
  const headers = headersByName(response.headers);
  const isStage = headers['x-svc-response-type']?.trim().toLowerCase() === 'new-stage';
  const limitBytes = isStage ? MAX_STAGE_BYTES : MAX_RESPONSE_BYTES;
  const decoder = textDecoderOf(headers['content-type']);
  let body = '';
  let leftBytes = limitBytes;
  for await (const chunk of response.body) {
    body += decoder.decode(chunk.subarray(0, leftBytes), { stream: true });
    leftBytes -= chunk.length;
    if (leftBytes >= 0) continue;
    if (isStage)
      throw new AppError('tool_answer_too_large', `the new stage is longer than ${limitBytes} bytes`);
    return { status: response.status, headers, body: `${body} […cut off: longer than ${limitBytes} bytes]` };
  }
  return { status: response.status, headers, body: body + decoder.decode() };
}

/** Describes the error for the tool's owner and the model, without details of the request. */
function toolHttpError(error: OutboundError, timeoutMs: number): AppError {
  const options = { retryable: error.retryable, cause: error };
  switch (error.code) {
    case 'outbound_timeout':
      return new AppError(
        'tool_timeout',
        `the tool did not respond completely within ${timeoutMs / 1000} s`,
        options,
      );
    case 'outbound_refused':
      return new AppError('tool_refused', `the tool URL is not allowed: ${error.message}`, options);
    case 'outbound_too_large':
      return new AppError(
        'tool_answer_too_large',
        `the tool's response is invalid: ${error.message}`,
        options,
      );
    default:
      return new AppError('tool_failed', `no usable response from the tool: ${error.message}`, options);
  }
}

/** Decodes a body in the charset of its content type; UTF-8 if it has none or an unknown one. */
function textDecoderOf(contentType = ''): TextDecoder {
  const charset = /;\s*charset="?([^";\s]+)/iu.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** One value per name. Node decodes header bytes as Latin-1; valid UTF-8 is decoded as such. */
function headersByName(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const bytes = Buffer.from(Array.isArray(value) ? value.join(', ') : value, 'latin1');
      return [[name, isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')]];
    }),
  );
}
