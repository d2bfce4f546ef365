import type { Validator } from '@calls/api-contract/validation/validator';
import { ProviderError } from '@calls/conversation/ports/provider-error';

/** What a provider's message says. `malformed` where it is no JSON or breaks its schema. */
export function parseFrame<T>(provider: string, validator: Validator<T>, text: string): T {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
    return validator.parse(frame);
  } catch (thrown) {
    // A JSON parser's message quotes what it read, which may be spoken words: it is not passed on.
    const cause = thrown instanceof SyntaxError ? undefined : thrown;
    throw new ProviderError(provider, 'malformed', 'a message does not speak the protocol', { cause });
  }
}

/** The bytes of a base64 field; `malformed` where it holds something else. */
export function parseBase64(provider: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  // Node reads what it can and leaves out the rest, which would be noise.
  if (bytes.length < Math.floor((text.length * 3) / 4) - 2)
    throw new ProviderError(provider, 'malformed', 'the audio is not base64');
  return bytes;
}
