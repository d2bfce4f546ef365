import { G722_RATE_HZ } from '@calls/audio/g722';
import { Type } from 'typebox';
import {
  ends,
  ignored,
  malformed,
  Name,
  reading,
  readsDtmf,
  readsMark,
  readsNumberedMedia,
  type Dialect,
} from '../dialect.ts';
import { OPUS_INPUT_RATE_HZ, MU_LAW_8K, type InputFormat, type StreamFormat } from '../stream-format.ts';

/** The provider does not play shorter chunks. */
const MIN_CHUNK_MS = 20;

const LINEAR_RATES_HZ = [8000, 16_000, 24_000];
const OPUS_RATES_HZ = [8000, 16_000, 24_000, 48_000];

const MediaFormat = Type.Object({
  encoding: Type.String({ maxLength: 64 }),
  sample_rate: Type.Integer(),
  channels: Type.Optional(Type.Literal(1)),
});

/** Set by customers' own XML or API requests (`<Parameter>`, `custom_parameters`), since `start` lacks the agent's codec. */
const Parameters = Type.Object({
  bidirectionalCodec: Type.Optional(Type.String({ maxLength: 64 })),
  bidirectionalSamplingRate: Type.Optional(Type.String({ pattern: '^[0-9]{4,5}$' })),
});

const Start = Type.Object({
  stream_id: Name,
  start: Type.Object({
    media_format: MediaFormat,
    custom_parameters: Type.Optional(Type.Union([Parameters, Type.Null()])),
  }),
});

const Refusal = Type.Object({
  payload: Type.Optional(
    Type.Object({ title: Type.Optional(Type.String()), detail: Type.Optional(Type.String()) }),
  ),
});

/**
 * `start` has the user's codec. The agent's codec is the one that the stream was requested with: PCMU, the one named by
 * the parameters, or L16 for streams of L16.
 */
export const telnyxDialect: Dialect = {
  reads: {
    connected: ignored,
    start: reading('start', Start, ({ stream_id: streamId, start }) => {
      const { media_format: format, custom_parameters: given } = start;
      const input = inputOf(format.encoding, format.sample_rate);
      if (!input) return malformed(`start: ${format.encoding} at ${format.sample_rate} Hz is not supported`);
      const { bidirectionalCodec: codec, bidirectionalSamplingRate: rate = '8000' } = given ?? {};
      const output = codec === undefined ? defaultOutput(input) : formatOf(codec, Number(rate));
      if (!output) return malformed(`start: bidirectionalCodec ${codec} at ${rate} Hz is not supported`);
      return { type: 'start', start: { streamId, input, output } };
    }),
    // The order of these frames is not guaranteed.
    media: readsNumberedMedia,
    dtmf: readsDtmf,
    mark: readsMark,
    error: reading('error', Refusal, ({ payload }) =>
      malformed(`error: ${[payload?.title, payload?.detail].filter(Boolean).join(': ')}`),
    ),
    stop: ends,
  },
  closesWhenDone: false,

  writes({ output }) {
    return {
      chunkSamples: (output.sampleRateHz * MIN_CHUNK_MS) / 1000,
      audio: (payload) => `{"event":"media","media":{"payload":"${payload}"}}`,
      mark: (name) => `{"event":"mark","mark":{"name":"${name}"}}`,
      clear: () => '{"event":"clear"}',
    };
  },
};

/**
 * Opus is only received. A sent chunk may be longer than one packet, and the provider's documentation does not say how
 * to delimit packets.
 */
function inputOf(name: string, sampleRateHz: number): InputFormat | null {
  if (name.toUpperCase() !== 'OPUS') return formatOf(name, sampleRateHz);
  return OPUS_RATES_HZ.includes(sampleRateHz) ? { encoding: 'opus', sampleRateHz: OPUS_INPUT_RATE_HZ } : null;
}

function formatOf(name: string, sampleRateHz: number): StreamFormat | null {
  const encoding = name.toUpperCase();
  if (encoding === 'L16') {
    return LINEAR_RATES_HZ.includes(sampleRateHz) ? { encoding: 'linear16', sampleRateHz } : null;
  }
  // Its RTP clock is 8000 Hz (RFC 3551, 4.5.2).
  if (encoding === 'G722' && [8000, 16_000].includes(sampleRateHz)) {
    return { encoding: 'g722', sampleRateHz: G722_RATE_HZ };
  }
  if (sampleRateHz !== 8000) return null;
  if (encoding === 'PCMU' || encoding === 'AUDIO/X-MULAW') return MU_LAW_8K;
  return encoding === 'PCMA' ? { encoding: 'a_law', sampleRateHz } : null;
}

function defaultOutput(input: InputFormat): StreamFormat {
  return input.encoding === 'linear16' ? input : MU_LAW_8K;
}
