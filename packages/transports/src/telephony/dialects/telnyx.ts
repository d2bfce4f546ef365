import { Type } from 'typebox';
import {
  ends,
  ignored,
  malformed,
  Name,
  reading,
  readsDtmf,
  readsMark,
  readsMedia,
  type Dialect,
} from '../dialect.ts';
import { MU_LAW_8K, type SentFormat, type StreamFormat } from '../stream-format.ts';

/** The provider does not play shorter chunks. */
const MIN_CHUNK_MS = 20;

const LINEAR_RATES_HZ = [8000, 16_000, 24_000];

const MediaFormat = Type.Object({
  encoding: Type.String({ maxLength: 64 }),
  sample_rate: Type.Integer(),
  channels: Type.Optional(Type.Literal(1)),
});

const Start = Type.Object({ stream_id: Name, start: Type.Object({ media_format: MediaFormat }) });

const Refusal = Type.Object({
  payload: Type.Optional(
    Type.Object({ title: Type.Optional(Type.String()), detail: Type.Optional(Type.String()) }),
  ),
});

/**
 * `start` has the user's codec, which is that of the phone call. The agent's codec is the one requested for the stream:
 * PCMU, or L16 for streams of L16. L16 is little-endian.
 */
export const telnyx: Dialect = {
  reads: {
    connected: ignored,
    start: reading('start', Start, ({ stream_id: streamId, start: { media_format: format } }) => {
      const input = inputFormat(format.encoding.toUpperCase(), format.sample_rate);
      if (!input) return malformed(`start: ${format.encoding} at ${format.sample_rate} Hz is not supported`);
      return { type: 'start', start: { streamId, input, output: outputFormat(input) } };
    }),
    media: readsMedia,
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

function inputFormat(encoding: string, sampleRateHz: number): StreamFormat | null {
  if (encoding === 'L16') {
    return LINEAR_RATES_HZ.includes(sampleRateHz) ? { encoding: 'linear16', sampleRateHz } : null;
  }
  if (sampleRateHz !== 8000) return null;
  if (encoding === 'PCMU' || encoding === 'AUDIO/X-MULAW') return MU_LAW_8K;
  return encoding === 'PCMA' ? { encoding: 'a_law', sampleRateHz } : null;
}

function outputFormat({ encoding, sampleRateHz }: StreamFormat): SentFormat {
  return encoding === 'linear16' ? { encoding, sampleRateHz } : { encoding: 'mu_law', sampleRateHz: 8000 };
}
