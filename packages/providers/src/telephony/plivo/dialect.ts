import { Type } from 'typebox';
import { ends, ignored, Name, reading, readsDtmf, readsMedia, type Dialect } from '../dialect.ts';
import type { StreamFormat } from '../stream-format.ts';

const LINEAR = 'audio/x-l16';
const MU_LAW = 'audio/x-mulaw';

const MediaFormat = Type.Union([
  Type.Object({
    encoding: Type.Literal(LINEAR),
    sampleRate: Type.Union([Type.Literal(8000), Type.Literal(16_000)]),
  }),
  Type.Object({ encoding: Type.Literal(MU_LAW), sampleRate: Type.Literal(8000) }),
]);

const Start = Type.Object({ start: Type.Object({ streamId: Name, mediaFormat: MediaFormat }) });

/** The same format in both directions. The stream ends only by closing the connection. */
export const plivoDialect: Dialect = {
  reads: {
    start: reading('start', Start, ({ start: { streamId, mediaFormat } }) => {
      const encoding = mediaFormat.encoding === LINEAR ? 'linear16' : 'mu_law';
      const format: StreamFormat = { encoding, sampleRateHz: mediaFormat.sampleRate };
      return { type: 'start', start: { streamId, input: format, output: format } };
    }),
    media: readsMedia,
    dtmf: readsDtmf,
    playedStream: reading('playedStream', Type.Object({ name: Name }), ({ name }) => ({
      type: 'played',
      mark: name,
    })),
    clearedAudio: ignored,
    stop: ends,
  },
  closesWhenDone: true,

  writes({ streamId: id, output: { encoding, sampleRateHz } }) {
    const streamId = JSON.stringify(id);
    const media = `"contentType":"${encoding === 'linear16' ? LINEAR : MU_LAW}","sampleRate":${sampleRateHz}`;
    return {
      chunkSamples: 1,
      audio: (payload) => `{"event":"playAudio","media":{${media},"payload":"${payload}"}}`,
      mark: (name) => `{"event":"checkpoint","streamId":${streamId},"name":"${name}"}`,
      clear: () => `{"event":"clearAudio","streamId":${streamId}}`,
      digits: (digits) => `{"event":"sendDTMF","dtmf":"${digits}"}`,
    };
  },
};
