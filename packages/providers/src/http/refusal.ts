import { ProviderError } from '@calls/engine-ports/provider-error';
import { shortened } from '@calls/foundation/shortened';

/** Maximum number of bytes that are read of the body of an error response. */
export const MAX_REFUSAL_BYTES = 4096;

const MAX_MESSAGE_CHARACTERS = 200;
const REDACTED = '[…]';

/**
 * The error message of a provider for a log line: the message of common JSON error formats, or else the text. Single
 * line, bounded, and without parts of our request (keys, spoken words) that it repeats.
 */
export function refusalMessage(body: unknown, confidential: readonly string[]): string {
  let message = messageOf(body);
  for (const secret of confidential) {
    const words = secret.trim();
    if (words !== '') message = message.replaceAll(words, REDACTED);
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  const line = message.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
  return shortened(line, MAX_MESSAGE_CHARACTERS);
}

/** Like `refusalMessage`, for a body that may be JSON or text. */
export function refusalText(body: string, confidential: readonly string[]): string {
  try {
    return refusalMessage(JSON.parse(body), confidential);
  } catch {
    return refusalMessage(body, confidential);
  }
}

/** The error for a status other than 2xx. `said`: result of `refusalMessage`. `retryAfter`: the header, in seconds. */
export function refusal(provider: string, status: number, said: string, retryAfter = ''): ProviderError {
  const message = said === '' ? `status ${status}` : `status ${status}: ${said}`;
  const retryAfterMs = /^\d+(\.\d+)?$/.test(retryAfter) ? Number(retryAfter) * 1000 : null;
  return new ProviderError(provider, 'refused', message, {
    retryable: isRetryableStatus(status),
    retryAfterMs,
  });
}

/** Whether the same request may succeed later, after this status. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/**
 * Formats: OpenAI {error: {message}}; FastAPI {detail}, {detail: [{msg}]}; Ollama {error: "…"}; others {error_message},
 * {err_msg}.
 */
function messageOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (Array.isArray(body)) return messageOf(body[0]);
  if (typeof body !== 'object' || body === null) return '';
  const fields = body as Record<string, unknown>;
  for (const name of ['error', 'message', 'detail', 'error_message', 'err_msg', 'msg']) {
    const value = fields[name];
    if (value !== undefined && value !== null) return messageOf(value);
  }
  return '';
}
