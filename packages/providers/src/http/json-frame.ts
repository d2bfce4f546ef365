import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Validator } from '@calls/foundation/schema/validator';

/** Parses a provider's message. Throws `malformed` if it is not JSON or does not match its schema. */
export function parseFrame<T>(provider: string, validator: Validator<T>, text: string): T {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
    return validator.parse(frame);
  } catch (thrown) {
    // JSON parse errors quote the input, which may contain spoken words, so they are not passed on.
    const cause = thrown instanceof SyntaxError ? undefined : thrown;
    throw new ProviderError(provider, 'malformed', 'a message does not follow the protocol', { cause });
  }
}

/** Decodes a base64 field; throws `malformed` for invalid base64. */
export function parseBase64(provider: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  // Node skips invalid characters; the result would be noise.
  if (bytes.length < Math.floor((text.length * 3) / 4) - 2)
    throw new ProviderError(provider, 'malformed', 'the audio is not base64');
  return bytes;
}
