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
import { MU_LAW_8K, type StreamFormat } from '../stream-format.ts';

/** Exotel accepts chunks of at least 3200 bytes in multiples of 320. With short chunks, network jitter is audible. */
const CHUNK_SAMPLES = 1600;

/** The provider sends rates as text. */
const MediaFormat = Type.Object({
  encoding: Type.Optional(Type.String({ maxLength: 64 })),
  sample_rate: Type.Enum(['8000', '16000', '24000', 8000, 16_000, 24_000]),
});

/** Names of PCMU, which the applet's parameter `MediaFormat` selects. */
const MU_LAW = /mu-?law|ulaw|pcmu/iu;
/** Names of L16. `base64`, the default, is the encoding of the payload. */
const LINEAR = /^$|base64|raw|slin|l16|linear|pcm/iu;

const Start = Type.Object({
  start: Type.Object({ stream_sid: Name, media_format: Type.Optional(MediaFormat) }),
});

/** The same format in both directions: L16, 8 kHz unless the stream requests another rate, or PCMU. */
export const exotelDialect: Dialect = {
  reads: {
    connected: ignored,
    start: reading('start', Start, ({ start: { stream_sid: streamId, media_format: given } }) => {
      const format = formatOf(given?.encoding ?? '', Number(given?.sample_rate ?? 8000));
      if (!format) return malformed(`start: ${given?.encoding} at ${given?.sample_rate} Hz is not supported`);
      return { type: 'start', start: { streamId, input: format, output: format } };
    }),
    media: readsMedia,
    dtmf: readsDtmf,
    mark: readsMark,
    clear: ignored,
    stop: ends,
  },
  closesWhenDone: false,

  writes({ streamId }) {
    const streamSid = JSON.stringify(streamId);
    return {
      chunkSamples: CHUNK_SAMPLES,
      audio: (payload) => `{"event":"media","stream_sid":${streamSid},"media":{"payload":"${payload}"}}`,
      mark: (name) => `{"event":"mark","stream_sid":${streamSid},"mark":{"name":"${name}"}}`,
      clear: () => `{"event":"clear","stream_sid":${streamSid}}`,
    };
  },
};

function formatOf(encoding: string, sampleRateHz: number): StreamFormat | null {
  if (MU_LAW.test(encoding)) return sampleRateHz === 8000 ? MU_LAW_8K : null;
  return LINEAR.test(encoding) ? { encoding: 'linear16', sampleRateHz } : null;
}
