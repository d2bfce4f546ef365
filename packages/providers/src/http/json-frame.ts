import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Validator } from '@calls/foundation/schema/validator';
import { refusalMessage } from './refusal.ts';

/**
 * Parses a provider's message. Throws `malformed` if it is not JSON or does not match its schema. The error quotes the
 * provider's own error message, if there is one, without `confidential` texts.
 */
export function parseFrame<T>(
  provider: string,
  validator: Validator<T>,
  text: string,
  confidential: readonly string[],
): T {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
    return validator.parse(frame);
  } catch (thrown) {
    // JSON parse errors quote the input, which may contain spoken words, so they are not included.
    const cause = thrown instanceof SyntaxError ? undefined : thrown;
    const said = typeof frame === 'object' ? refusalMessage(frame, confidential) : '';
    const message = `a message does not follow the protocol${said === '' ? '' : `: ${said}`}`;
    throw new ProviderError(provider, 'malformed', message, { cause });
  }
}

/** Decodes a base64 field, which may have line breaks; throws `malformed` for invalid base64. */
export function parseBase64(provider: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  // Node skips invalid characters; the result would be noise.
  const isWhole = (length: number): boolean => bytes.length >= Math.floor((length * 3) / 4) - 2;
  if (!isWhole(text.length) && !isWhole(text.replaceAll(/\s/g, '').length))
    throw new ProviderError(provider, 'malformed', 'the audio is not base64');
  return bytes;
}
