import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { StreamFormat, StreamProtocol } from '../telephony/provider.ts';
import { checked } from '../telephony/stream-messages.ts';

export const TIN_CAN_FORMAT: StreamFormat = { encoding: 'l16', sampleRateHz: 16_000 };

const Message = compileValidator(
  'message',
  Type.Union([
    Type.Object({ event: Type.Literal('sound'), data: Type.String() }),
    Type.Object({ event: Type.Literal('mark'), name: Type.String() }),
    Type.Object({ event: Type.Literal('clear') }),
  ]),
);

/** The vendor side of a Tin Can media stream. */
export const tinCanStream: StreamProtocol = {
  chunkMs: 20,
  opening: ({ streamId }) => [{ event: 'hello', line: streamId }],
  media: (_stream, _chunk, data) => ({ event: 'sound', data }),
  digit: () => ({ event: 'key' }),
  played: (_stream, name) => ({ event: 'played', name }),
  stop: () => ({ event: 'bye' }),
  cleared: (_stream, marks) => marks.map((name) => ({ event: 'played', name })),
  read(received) {
    const message = checked(Message, received);
    switch (message.event) {
      case 'sound':
        return { kind: 'audio', payload: Buffer.from(message.data, 'base64') };
      case 'mark':
        return { kind: 'mark', name: message.name };
      case 'clear':
        return { kind: 'clear' };
    }
  },
};
