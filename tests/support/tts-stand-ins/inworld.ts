import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';
import { deliver, speech, type SpokenPiece } from './spoken.ts';
import type { HttpStandIn, SocketStandIn } from './stand-in.ts';

const VOICE = {
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
  timestampType: Type.Optional(Type.Enum(['WORD', 'CHARACTER'])),
  timestampTransportStrategy: Type.Optional(Type.Enum(['SYNC', 'ASYNC'])),
};
const Create = Type.Object(VOICE, { additionalProperties: false });
const body = compileValidator(
  'body',
  Type.Object({ text: Type.String({ maxLength: 2000 }), ...VOICE }, { additionalProperties: false }),
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

const refusal: SocketStandIn['refusal'] = ({ headers }, { apiKey }) =>
  headers.authorization === `Basic ${apiKey}`
    ? undefined
    : { status: 401, body: { code: 16, message: 'Invalid authorization credentials', details: [] } };

function codeOf(httpStatus: number): number {
  if (httpStatus === 429) return RESOURCE_EXHAUSTED;
  return httpStatus < 500 ? INVALID_ARGUMENT : INTERNAL;
}

function timestampInfo(words: SpokenPiece['words']): object {
  return {
    wordAlignment: {
      words: words.map(({ word }) => word),
      wordStartTimeSeconds: words.map(({ startMs }) => startMs / 1000),
      wordEndTimeSeconds: words.map(({ endMs }) => endMs / 1000),
    },
  };
}

/** Inworld's `POST /tts/v1/voice:stream`, which its client uses, with the same fields as the WebSocket. */
export const inworldStream: HttpStandIn = {
  provider: 'provider5',
  path: /^\/tts\/v1\/voice:stream$/,
  refusal,
  async serve(exchange, { settings }) {
    const { text, audioConfig } = body.parse(exchange.body);
    const { sampleRateHertz, speakingRate } = audioConfig;
    await deliver(
      {
        seen: exchange.seen,
        left: exchange.left,
        piece({ pcm, words }) {
          exchange.head('application/json');
          const audio = { audioContent: pcm.toString('base64'), usage: {} };
          const timing = words.length > 0 ? { timestampInfo: timestampInfo(words) } : {};
          exchange.write(`${JSON.stringify({ result: { ...audio, ...timing } })}\n`);
        },
        end: () => void exchange.response.end(),
        fail: (status, message) => exchange.json(status, { code: codeOf(status), message, details: [] }),
        garbage: () => void exchange.response.end('nothing'),
        cut: () => exchange.cut(),
      },
      settings(),
      await speech(text, sampleRateHertz, speakingRate),
    );
  },
};

/** Inworld's WebSocket `/tts/v1/voice:streamBidirectional`. */
export const inworld: SocketStandIn = {
  provider: 'provider5',
  path: /^\/tts\/v1\/voice:streamBidirectional$/,
  refusal,
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
            send(contextId, { audioChunk: { audioContent: '', timestampInfo: timestampInfo(words) } });
          },
          end() {
            send(contextId, { flushCompleted: {} });
            send(contextId, { contextClosed: {} });
            contexts.delete(contextId);
            if (settings().behaviour === 'once') socket.close();
          },
          fail(status, said) {
            send(contextId, {}, { code: codeOf(status), message: said, details: [] });
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
