import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { createResampler } from '@calls/audio/resampler';
import { WebSocket, type RawData } from 'ws';
import { joinUrlOf, readMessage, type CallerMedium } from './caller-medium.ts';

const RECEIVED_RATE_HZ = 16_000;

/** The server WebSocket with raw samples. */
export function websocketMedium(sampleRateHz: number): CallerMedium {
  return {
    kind: 'serverWebSocket',
    sampleRateHz,
    /** The default of `clientBufferSizeMs`. */
    aheadMs: 60,
    createVoice() {
      const resampler = createResampler(sampleRateHz, RECEIVED_RATE_HZ);
      return Promise.resolve({
        encode: ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
        decode: ({ buffer, byteOffset, byteLength }) =>
          resampler.process(new Int16Array(buffer, byteOffset, byteLength / 2)),
        [Symbol.dispose]: () => resampler.close(),
      });
    },
    async connect(createCall, events) {
      const { onOpen, onAudio, onLost } = events;
      const call = await createCall({ serverWebSocket: { inputSampleRate: sampleRateHz } });
      const socket = new WebSocket(joinUrlOf(call), { perMessageDeflate: false });
      socket.on('message', (data, isBinary) => {
        if (isBinary) onAudio((byteLengthOf(data) * 500) / sampleRateHz);
        else readMessage(JSON.parse(textOf(data)) as ServerMessage, events);
      });
      socket.on('error', (error) => onLost(error.message));
      socket.on('close', (code, reason) => onLost(`closed with ${code} ${reason.toString()}`));
      await new Promise<void>((resolve, reject) => {
        socket.once('open', () => {
          // Messages may arrive before the promise is settled.
          onOpen();
          resolve();
        });
        socket.once('error', reject);
      });
      return {
        packets: { received: 0, lost: 0 },
        send: (frame) => socket.send(frame),
        async hangUp() {
          const closed = new Promise((resolve) => socket.once('close', resolve));
          socket.close(1000);
          await closed;
        },
      };
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function byteLengthOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.byteLength, 0) : data.byteLength;
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString();
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data).toString();
}
