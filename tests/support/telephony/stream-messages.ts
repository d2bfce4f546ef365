import { compileValidator, ValidationError, type Validator } from '@calls/foundation/schema/validator';
import { Type, type TProperties } from 'typebox';
import { ProtocolError, type StreamMessage } from './provider.ts';

const PAYLOAD = Type.String({ minLength: 4, pattern: '^[A-Za-z0-9+/]+={0,2}$' });

/**
 * Parses `media`, `mark` and `clear` as three of the providers define them. `idField`: field with the stream id, if
 * required.
 */
export function messageReader(
  idField: 'streamSid' | 'stream_sid' | null,
): (message: unknown, streamId: string) => StreamMessage {
  const id: TProperties = idField === null ? {} : { [idField]: Type.String() };
  const validator = compileValidator(
    'message',
    Type.Union([
      Type.Object({ event: Type.Literal('media'), media: Type.Object({ payload: PAYLOAD }), ...id }),
      Type.Object({
        event: Type.Literal('mark'),
        mark: Type.Object({ name: Type.String({ minLength: 1 }) }),
        ...id,
      }),
      Type.Object({ event: Type.Literal('clear'), ...id }),
    ]),
  );
  return (message, streamId) => {
    const read = checked(validator, message);
    const named = idField === null ? streamId : (read as Record<string, unknown>)[idField];
    if (named !== streamId) throw new ProtocolError(`a message for another stream: ${String(named)}`);
    switch (read.event) {
      case 'media':
        return { kind: 'audio', payload: Buffer.from(read.media.payload, 'base64') };
      case 'mark':
        return { kind: 'mark', name: read.mark.name };
      case 'clear':
        return { kind: 'clear' };
    }
  };
}

/** Validates a message. Throws a ProtocolError if it is invalid. */
export function checked<T>(validator: Validator<T>, message: unknown): T {
  try {
    return validator.parse(message);
  } catch (thrown) {
    if (thrown instanceof ValidationError) throw new ProtocolError(thrown.message, { cause: thrown });
    throw thrown;
  }
}
