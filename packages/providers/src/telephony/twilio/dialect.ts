import { Type } from 'typebox';
import { ends, ignored, Name, reading, readsDtmf, readsMark, readsMedia, type Dialect } from '../dialect.ts';
import { MU_LAW_8K } from '../stream-format.ts';

const Start = Type.Object({
  start: Type.Object({
    streamSid: Name,
    mediaFormat: Type.Object({ encoding: Type.Literal('audio/x-mulaw'), sampleRate: Type.Literal(8000) }),
  }),
});

/** Always PCMU at 8 kHz. */
export const twilioDialect: Dialect = {
  reads: {
    connected: ignored,
    start: reading('start', Start, ({ start: { streamSid } }) => ({
      type: 'start',
      start: { streamId: streamSid, input: MU_LAW_8K, output: { encoding: 'mu_law', sampleRateHz: 8000 } },
    })),
    media: readsMedia,
    dtmf: readsDtmf,
    mark: readsMark,
    stop: ends,
  },
  closesWhenDone: false,

  writes({ streamId }) {
    const streamSid = JSON.stringify(streamId);
    return {
      chunkSamples: 1,
      audio: (payload) => `{"event":"media","streamSid":${streamSid},"media":{"payload":"${payload}"}}`,
      mark: (name) => `{"event":"mark","streamSid":${streamSid},"mark":{"name":"${name}"}}`,
      clear: () => `{"event":"clear","streamSid":${streamSid}}`,
    };
  },
};
