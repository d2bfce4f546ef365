import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { deliver, speech } from './spoken.ts';
import type { SocketStandIn } from './stand-in.ts';

const Create = Type.Object(
  {
    voiceId: Type.String(),
    modelId: Type.String(),
    audioConfig: Type.Object(
      {
        audioEncoding: Type.Literal('PCM'),
        sampleRateHertz: Type.Integer({ minimum: 8000, maximum: 48_000 }),
        speakingRate: Type.Optional(Type.Number({ minimum: 0.5, maximum: 1.5 })),
      },
      { additionalProperties: false },
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    applyTextNormalization: Type.Optional(Type.Enum(['ON', 'OFF'])),
    deliveryMode: Type.Optional(Type.Enum(['STABLE', 'BALANCED', 'CREATIVE'])),
    pronunciationDictionaryIds: Type.Optional(Type.Array(Type.String())),
    language: Type.Optional(Type.String()),
    timestampType: Type.Enum(['WORD', 'CHARACTER']),
    timestampTransportStrategy: Type.Enum(['SYNC', 'ASYNC']),
  },
  { additionalProperties: false },
);
const Empty = Type.Object({}, { additionalProperties: false });
const message = compileValidator(
  'message',
  Type.Object(
    {
      contextId: Type.String(),
      create: Type.Optional(Create),
      send_text: Type.Optional(
        Type.Object({ text: Type.String({ maxLength: 1000 }) }, { additionalProperties: false }),
      ),
      close_context: Type.Optional(Empty),
    },
    { additionalProperties: false, minProperties: 2, maxProperties: 2 },
  ),
);

interface Context {
  create: Static<typeof Create>;
  text: string;
}

const MAX_CONTEXTS = 5;
const INVALID_ARGUMENT = 3;
const INTERNAL = 13;
const RESOURCE_EXHAUSTED = 8;

/** Inworld's WebSocket `/tts/v1/voice:streamBidirectional`. */
export const provider5: SocketStandIn = {
  provider: 'provider5',
  path: /^\/tts\/v1\/voice:streamBidirectional$/,
  refusal: ({ headers }, { apiKey }) =>
    headers.authorization === `Basic ${apiKey}`
      ? undefined
      : { status: 401, body: { code: 16, message: 'Invalid authorization credentials', details: [] } },
  serve(socket, request, { settings, log }) {
    const left = new AbortController();
    const contexts = new Map<string, Context>();
    const send = (
      contextId: string,
      fields: object,
      status: object = { code: 0, message: '', details: [] },
    ): void => {
      socket.send(JSON.stringify({ result: { contextId, ...fields, status } }));
    };
    socket.on('close', () => left.abort());
    const speak = async (contextId: string, { create, text }: Context): Promise<void> => {
      const seen = log.add({
        provider: 'provider5',
        path: request.url ?? '',
        headers: {},
        asked: { create, text },
      });
      const { sampleRateHertz, speakingRate } = create.audioConfig;
      await deliver(
        {
          seen,
          left: left.signal,
          piece({ pcm, words }) {
            send(contextId, { audioChunk: { audioContent: pcm.toString('base64'), usage: {} } });
            if (words.length === 0) return;
            const wordAlignment = {
              words: words.map(({ word }) => word),
              wordStartTimeSeconds: words.map(({ startMs }) => startMs / 1000),
              wordEndTimeSeconds: words.map(({ endMs }) => endMs / 1000),
            };
            send(contextId, { audioChunk: { audioContent: '', timestampInfo: { wordAlignment } } });
          },
          end() {
            send(contextId, { flushCompleted: {} });
            send(contextId, { contextClosed: {} });
            contexts.delete(contextId);
          },
          fail(status, said) {
            const code = status === 429 ? RESOURCE_EXHAUSTED : status < 500 ? INVALID_ARGUMENT : INTERNAL;
            send(contextId, {}, { code, message: said, details: [] });
          },
          garbage: () => socket.send(JSON.stringify({ result: 'nothing' })),
          cut: () => socket.terminate(),
        },
        settings(),
        await speech(text, sampleRateHertz, speakingRate),
      );
    };
    socket.on('message', (data: Buffer) => {
      try {
        const { contextId, create, send_text: sent } = message.parse(JSON.parse(data.toString('utf8')));
        const context = contexts.get(contextId);
        if (create) {
          if (contexts.size >= MAX_CONTEXTS) throw new Error('too many contexts');
          contexts.set(contextId, { create, text: '' });
          send(contextId, { contextCreated: { voiceId: create.voiceId, modelId: create.modelId } });
        } else if (!context) {
          throw new Error(`Context ${contextId} not found`);
        } else if (sent) {
          context.text += sent.text;
        } else {
          void speak(contextId, context);
        }
      } catch (thrown) {
        socket.send(JSON.stringify({ error: { code: INVALID_ARGUMENT, message: String(thrown) } }));
      }
    });
  },
};
