import type { IncomingMessage } from 'node:http';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { WebSocket } from 'ws';
import { cloning } from './cloning.ts';
import { deliver, speech, type SpokenPiece } from './spoken.ts';
import type { HttpStandIn, SocketStandIn, StandInDeps } from './stand-in.ts';

const Unit = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));
const VOICE = {
  voice_settings: Type.Optional(
    Type.Object(
      {
        stability: Unit,
        similarity_boost: Unit,
        style: Unit,
        use_speaker_boost: Type.Optional(Type.Boolean()),
        speed: Type.Optional(Type.Number({ minimum: 0.7, maximum: 1.2 })),
      },
      { additionalProperties: false },
    ),
  ),
  pronunciation_dictionary_locators: Type.Optional(
    Type.Array(
      Type.Object({
        pronunciation_dictionary_id: Type.String(),
        version_id: Type.Optional(Type.String()),
      }),
    ),
  ),
};
const body = compileValidator(
  'body',
  Type.Object(
    {
      text: Type.String(),
      model_id: Type.String(),
      language_code: Type.Optional(Type.String()),
      previous_text: Type.Optional(Type.String()),
      ...VOICE,
    },
    { additionalProperties: false },
  ),
);
const message = compileValidator(
  'message',
  Type.Object({ text: Type.String(), ...VOICE }, { additionalProperties: false }),
);

const refusal = ({ headers }: IncomingMessage, { apiKey }: StandInDeps) =>
  headers['xi-api-key'] === apiKey
    ? undefined
    : { status: 401, body: { detail: { status: 'invalid_api_key', message: 'Invalid API key' } } };

/** Returns the sample rate of `output_format`. Throws if the format is not documented. */
function rateOf(url: URL): number {
  const format = url.searchParams.get('output_format') ?? '';
  if (!/^pcm_(8000|16000|22050|24000|44100)$/.test(format)) throw new Error(`no output format ${format}`);
  return Number(format.slice(4));
}

/** The characters of a piece of speech: its words, each followed by a space. */
function characters({ words }: SpokenPiece): { chars: string[]; startsMs: number[]; endsMs: number[] } {
  const chars: string[] = [];
  const startsMs: number[] = [];
  const endsMs: number[] = [];
  for (const { word, startMs, endMs } of words) {
    const eachMs = (endMs - startMs) / word.length;
    for (let i = 0; i < word.length; i += 1) {
      chars.push(word.charAt(i));
      startsMs.push(startMs + i * eachMs);
      endsMs.push(startMs + (i + 1) * eachMs);
    }
    chars.push(' ');
    startsMs.push(endMs);
    endsMs.push(endMs);
  }
  return { chars, startsMs, endsMs };
}

/** ElevenLabs' `POST /v1/text-to-speech/{voice}/stream/with-timestamps`. */
export const elevenLabs: HttpStandIn = {
  provider: 'provider1',
  path: /^\/v1\/text-to-speech\/[^/]+\/stream\/with-timestamps$/,
  refusal,
  async serve(exchange, { settings }) {
    const { text } = body.parse(exchange.body);
    await deliver(
      {
        seen: exchange.seen,
        left: exchange.left,
        piece(piece) {
          const { chars, startsMs, endsMs } = characters(piece);
          const alignment = {
            characters: chars,
            character_start_times_seconds: startsMs.map((ms) => ms / 1000),
            character_end_times_seconds: endsMs.map((ms) => ms / 1000),
          };
          exchange.head('application/json');
          const fields = { audio_base64: piece.pcm.toString('base64'), normalized_alignment: null };
          exchange.write(
            `${JSON.stringify({ ...fields, alignment: chars.length > 0 ? alignment : null })}\n`,
          );
        },
        end() {
          exchange.head('application/json');
          exchange.response.end();
        },
        fail(status, said, isLate) {
          if (isLate) exchange.cut();
          else exchange.json(status, { detail: { status: 'failed', message: said } });
        },
        garbage() {
          exchange.head('application/json');
          exchange.response.end('{"audio": 1}\n');
        },
        cut: () => exchange.cut(),
      },
      settings(),
      await speech(text, rateOf(exchange.url)),
    );
  },
};

/** ElevenLabs' WebSocket `/v1/text-to-speech/{voice}/stream-input`: receives text until an empty one, then responds. */
export const elevenLabsStreamInput: SocketStandIn = {
  provider: 'provider1',
  path: /^\/v1\/text-to-speech\/[^/]+\/stream-input$/,
  refusal,
  serve(socket: WebSocket, request, { settings, log }) {
    const url = new URL(request.url ?? '', 'http://stand-in');
    const left = new AbortController();
    let asked: { first: unknown; text: string } | undefined;
    socket.on('close', () => left.abort());
    const send = (fields: object): void => socket.send(JSON.stringify(fields));
    socket.on('message', (data: Buffer) => {
      const parsed = message.parse(JSON.parse(data.toString('utf8')));
      if (asked === undefined) {
        if (parsed.text !== ' ') {
          send({ message: 'The first text must be a space.', error: 'invalid_message', code: 1008 });
          socket.close(1008, 'invalid_message');
          return;
        }
        asked = { first: parsed, text: '' };
        return;
      }
      asked.text += parsed.text;
      if (parsed.text !== '') return;
      const text = asked.text.trim();
      const seen = log.add({
        provider: 'provider1',
        path: request.url ?? '',
        headers: {},
        asked: { ...asked, text },
      });
      const answer = async (): Promise<void> =>
        deliver(
          {
            seen,
            left: left.signal,
            piece(piece) {
              const { chars, startsMs, endsMs } = characters(piece);
              const alignment = {
                chars,
                charStartTimesMs: startsMs.map((ms) => ms - piece.startMs),
                charDurationsMs: endsMs.map((ms, i) => ms - (startsMs[i] ?? 0)),
              };
              send({ audio: piece.pcm.toString('base64'), isFinal: null, alignment });
            },
            end() {
              send({ isFinal: true });
              socket.close(1000);
            },
            fail(_status, said) {
              send({ message: said, error: 'failed', code: 1008 });
              socket.close(1008, 'failed');
            },
            garbage: () => socket.send('no JSON'),
            cut: () => socket.terminate(),
          },
          settings(),
          await speech(text, rateOf(url)),
        );
      void answer();
    });
  },
};

const cloneForm = cloning('files', {
  name: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  labels: Type.Optional(Type.String()),
});

/** ElevenLabs' `POST /v1/voices/add`. */
export const elevenLabsCloning: HttpStandIn = {
  provider: 'provider1',
  path: /^\/v1\/voices\/add$/,
  refusal,
  serve(exchange, deps) {
    cloneForm(exchange, deps, {
      voice: { voice_id: 'c38kUX8pkfYO2kHyqfFy', requires_verification: false },
      error: (message) => ({ detail: { status: 'voice_limit_reached', message } }),
    });
    return Promise.resolve();
  },
};
