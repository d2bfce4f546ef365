import { randomBytes } from 'node:crypto';
import {
  ProtocolError,
  type PhoneFacts,
  type ProviderStandIn,
  type StreamFormat,
  type StreamProtocol,
} from './provider.ts';
import { messageReader } from './stream-messages.ts';

/** Default format when the URL in the applet has no sample rate. */
export const VOICEBOT_FORMAT: StreamFormat = { encoding: 'l16', sampleRateHz: 8000 };

const ACCOUNT_SID = 'exchange1';
const CHUNK_UNIT_BYTES = 320;
/** Smaller chunks make jitter audible; larger ones arrive too late. */
const MIN_CHUNK_BYTES = 3200;
const MAX_CHUNK_BYTES = 100_000;

const readMessage = messageReader('stream_sid');

/** Exotel's Voicebot applet, which only connects a call to a WebSocket. */
export function exotel(): ProviderStandIn {
  return {
    name: 'telephony4',
    newCallId: () => randomBytes(16).toString('hex'),
    newStreamId: () => randomBytes(16).toString('hex'),
    dialling: null,
    verbsOf() {
      throw new ProtocolError('calls of telephony4 do not support XML');
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
  // The documentation does not say what happens to marks after a clear, so none is reported.
  cleared: () => [],
  read(message, { streamId }) {
    const read = readMessage(message, streamId);
    if (read.kind === 'audio') {
      const { length } = read.payload;
      if (length % CHUNK_UNIT_BYTES !== 0 || length < MIN_CHUNK_BYTES || length > MAX_CHUNK_BYTES) {
        throw new ProtocolError(`${length} bytes of audio: must be a multiple of 320 from 3200 to 100000`);
      }
    }
    return read;
  },
};
