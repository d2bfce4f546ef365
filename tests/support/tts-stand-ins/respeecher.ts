import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { deliver, speech } from './spoken.ts';
import type { SocketStandIn } from './stand-in.ts';

const Num = Type.Optional(Type.Number());
const generation = compileValidator(
  'generation',
  Type.Object(
    {
      context_id: Type.String(),
      transcript: Type.String(),
      continue: Type.Optional(Type.Boolean()),
      voice: Type.Object(
        {
          id: Type.String(),
          sampling_params: Type.Optional(
            Type.Object(
              {
                seed: Type.Optional(Type.Integer()),
                temperature: Num,
                top_k: Type.Optional(Type.Integer()),
                top_p: Num,
                min_p: Num,
                presence_penalty: Num,
                repetition_penalty: Num,
                frequency_penalty: Num,
              },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
      output_format: Type.Object({ encoding: Type.Literal('pcm_s16le'), sample_rate: Type.Integer() }),
    },
    { additionalProperties: false },
  ),
);

/** Respeecher's WebSocket `/v1/{model}/tts/websocket`. */
export const respeecher: SocketStandIn = {
  provider: 'provider6',
  path: /^\/v1\/public\/tts\/(en|ua)-rt\/tts\/websocket$/,
  refusal: ({ headers }, { apiKey }) =>
    headers['x-api-key'] === apiKey ? undefined : { status: 401, body: { detail: 'Invalid API key' } },
  serve(socket, request, { settings, log }) {
    const running = new Map<string, AbortController>();
    const send = (fields: object): void => socket.send(JSON.stringify(fields));
    socket.on('close', () => running.forEach((left) => left.abort()));
    const speak = async (asked: ReturnType<typeof generation.parse>): Promise<void> => {
      const { context_id: contextId, transcript, output_format: format } = asked;
      const left = new AbortController();
      running.set(contextId, left);
      const headers = request.headers as Record<string, string>;
      const seen = log.add({ provider: 'provider6', path: request.url ?? '', headers, asked });
      await deliver(
        {
          seen,
          left: left.signal,
          piece: ({ pcm }) => send({ type: 'chunk', context_id: contextId, data: pcm.toString('base64') }),
          end() {
            send({ type: 'done', context_id: contextId });
            if (settings().behaviour === 'once') socket.close();
          },
          fail: (status, said) =>
            send({ type: 'error', context_id: contextId, error: said, status_code: status }),
          garbage: () => socket.send(Buffer.from([1, 2, 3])),
          cut: () => socket.terminate(),
        },
        settings(),
        await speech(transcript, format.sample_rate),
      );
    };
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as { context_id?: string; cancel?: boolean };
      if (message.cancel === true) {
        running.get(message.context_id ?? '')?.abort();
        return;
      }
      try {
        void speak(generation.parse(message));
      } catch (thrown) {
        send({ type: 'error', error: String(thrown), status_code: 422 });
      }
    });
  },
};
