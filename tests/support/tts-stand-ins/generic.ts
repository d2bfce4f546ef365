import { buildWavHeader } from '@calls/audio/wav-header';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { deliver, speech } from './spoken.ts';
import type { HttpStandIn } from './stand-in.ts';

/** Format of requests, as the operator of this endpoint defined it. */
const body = compileValidator(
  'body',
  Type.Object({ say: Type.Object({ words: Type.String() }), rateHz: Type.Integer() }),
);

/** A TTS endpoint of a customer. */
export const generic: HttpStandIn = {
  provider: 'generic',
  path: /^\/speak$/,
  refusal: ({ headers }, { apiKey }) =>
    headers['x-key'] === apiKey ? undefined : { status: 401, body: { detail: 'Invalid API key' } },
  async serve(exchange, { settings }) {
    const { say, rateHz } = body.parse(exchange.body);
    const { genericAnswer } = settings();
    const whole: Buffer[] = [];
    const begin = (): void => {
      if (exchange.response.headersSent) return;
      switch (genericAnswer) {
        case 'wav':
          exchange.head('audio/wav');
          exchange.response.write(buildWavHeader({ sampleRateHz: rateHz }));
          return;
        case 'pcm':
          // Like many endpoints, this one does not include the sample rate in the media type.
          exchange.head('application/octet-stream');
          return;
        case 'json_lines':
          exchange.head('application/x-ndjson');
          exchange.write('{"status":"started"}\n');
          return;
        default:
          exchange.head('application/json');
      }
    };
    await deliver(
      {
        seen: exchange.seen,
        left: exchange.left,
        piece({ pcm }) {
          if (genericAnswer === 'json_base64' || genericAnswer === 'json_hex') {
            whole.push(pcm);
            return;
          }
          begin();
          exchange.write(
            genericAnswer === 'json_lines'
              ? `${JSON.stringify({ result: { audio: pcm.toString('base64') } })}\n`
              : pcm,
          );
        },
        end() {
          begin();
          const encoding = genericAnswer === 'json_hex' ? 'hex' : 'base64';
          const audio = Buffer.concat(whole).toString(encoding);
          exchange.response.end(
            whole.length > 0 ? JSON.stringify({ data: [{ audio }] }, null, 1) : undefined,
          );
        },
        fail(status, message, isLate) {
          if (isLate) exchange.cut();
          else exchange.json(status, { detail: message });
        },
        garbage() {
          exchange.head('text/html');
          exchange.response.end('<html>It works!</html>');
        },
        cut: () => exchange.cut(),
      },
      settings(),
      await speech(say.words, rateHz),
    );
  },
};
