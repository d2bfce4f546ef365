import { randomBytes } from 'node:crypto';
import {
  ProtocolError,
  type PhoneFacts,
  type ProviderStandIn,
  type StreamFormat,
  type StreamProtocol,
} from './provider.ts';
import { messageReader } from './stream-messages.ts';

/** Of a call whose applet names a WebSocket and no sample rate. */
export const VOICEBOT_FORMAT: StreamFormat = { encoding: 'l16', sampleRateHz: 8000 };

const ACCOUNT_SID = 'exchange1';
const CHUNK_UNIT_BYTES = 320;
/** Smaller chunks make jitter audible; larger ones arrive too late. */
const MIN_CHUNK_BYTES = 3200;
const MAX_CHUNK_BYTES = 100_000;

const readMessage = messageReader('stream_sid');

/** Exotel's voice-bot applet: it connects a call with a WebSocket, and that is all. */
export function telephony4(): ProviderStandIn {
  return {
    name: 'telephony4',
    newCallId: () => randomBytes(16).toString('hex'),
    newStreamId: () => randomBytes(16).toString('hex'),
    dialling: null,
    verbsOf() {
      throw new ProtocolError('its calls follow no XML');
    },
    parametersOf: () => ({}),
    signed: () => ({}),
    stream: STREAM,
  };
}

const callIds = (call: PhoneFacts): object => ({ call_sid: call.callId, account_sid: ACCOUNT_SID });

const STREAM: StreamProtocol = {
  chunkMs: 100,
  opening: (stream) => [
    { event: 'connected' },
    {
      event: 'start',
      sequence_number: String(stream.sequence()),
      stream_sid: stream.streamId,
      start: {
        stream_sid: stream.streamId,
        ...callIds(stream.call),
        from: stream.call.from,
        to: stream.call.to,
        custom_parameters: {},
        media_format: { encoding: 'audio/x-raw', sample_rate: '8000', bit_rate: '16' },
      },
    },
  ],
  media: (stream, chunk, payload) => ({
    event: 'media',
    sequence_number: String(stream.sequence()),
    stream_sid: stream.streamId,
    media: { chunk: String(chunk), timestamp: String(Math.round(stream.nowMs)), payload },
  }),
  digit: (stream, digit) => ({
    event: 'dtmf',
    sequence_number: String(stream.sequence()),
    stream_sid: stream.streamId,
    dtmf: { digit, duration: '100' },
  }),
  played: (stream, name) => ({
    event: 'mark',
    sequence_number: String(stream.sequence()),
    stream_sid: stream.streamId,
    mark: { name },
  }),
  stop: (stream) => ({
    event: 'stop',
    sequence_number: String(stream.sequence()),
    stream_sid: stream.streamId,
    stop: { ...callIds(stream.call), reason: 'callended' },
  }),
  // The documentation does not define the result of marks, so none is reported here.
  cleared: () => [],
  read(message, { streamId }) {
    const read = readMessage(message, streamId);
    if (read.kind === 'audio') {
      const { length } = read.payload;
      if (length % CHUNK_UNIT_BYTES !== 0 || length < MIN_CHUNK_BYTES || length > MAX_CHUNK_BYTES) {
        throw new ProtocolError(`${length} bytes of audio: no multiple of 320 from 3.2 kB to 100 kB`);
      }
    }
    return read;
  },
};
