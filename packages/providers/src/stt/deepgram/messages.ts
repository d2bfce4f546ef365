import { ProviderError } from '@calls/engine-ports/provider-error';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { parseFrame } from '../../http/json-frame.ts';
import { refusalMessage } from '../../http/refusal.ts';

/** Adapter name for errors. */
export const DEEPGRAM = 'deepgram';

export const CLOSE_STREAM = { type: 'CloseStream' };

/** The provider refuses more tokens of key terms. A token has at least one byte. */
export const MAX_KEY_TERM_BYTES = 500;

const typedMessage = compileValidator('speech message', Type.Object({ type: Type.String() }));

const errorMessage = compileValidator(
  'error',
  Type.Object({ description: Type.Optional(Type.String()), message: Type.Optional(Type.String()) }),
);

/** The type of a message. Throws a ProviderError for errors and malformed messages. */
export function readType(text: string, confidential: readonly string[]): string {
  const { type } = parseFrame(DEEPGRAM, typedMessage, text, confidential);
  if (type !== 'Error') return type;
  const { description, message } = parseFrame(DEEPGRAM, errorMessage, text, confidential);
  throw new ProviderError(DEEPGRAM, 'refused', refusalMessage(description ?? message ?? '', confidential));
}
