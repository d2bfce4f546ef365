import { Type } from 'typebox';
import { ends, ignored, Name, reading, readsDtmf, readsMark, readsMedia, type Dialect } from '../dialect.ts';
import type { SentFormat } from '../stream-format.ts';

/** Exotel accepts chunks of at least 3200 bytes in multiples of 320. With short chunks, network jitter is audible. */
const CHUNK_SAMPLES = 1600;

/** The encoding has several names and is always L16. Rates are text. */
const MediaFormat = Type.Object({
  sample_rate: Type.Enum(['8000', '16000', '24000', 8000, 16_000, 24_000]),
});

const Start = Type.Object({
  start: Type.Object({ stream_sid: Name, media_format: Type.Optional(MediaFormat) }),
});

/** L16, little-endian, the same rate in both directions: 8 kHz unless the stream requests another rate. */
export const exotel: Dialect = {
  reads: {
    connected: ignored,
    start: reading('start', Start, ({ start: { stream_sid: streamId, media_format: given } }) => {
      const format: SentFormat = { encoding: 'linear16', sampleRateHz: Number(given?.sample_rate ?? 8000) };
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
