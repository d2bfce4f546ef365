import type { ServerWebSocketSpec } from '@calls/api-contract/call-spec';
import {
  isEnabled,
  SERVER_WEB_SOCKET_DEFAULTS,
  type ServerMessage,
} from '@calls/api-contract/data-messages/server-messages';
import { bytesFromSamples } from '@calls/audio/pcm';
import { PcmByteJoiner } from '@calls/audio/pcm-byte-joiner';
import type { AudioFormat, CloseReason, MediaTransport } from '@calls/conversation/ports/media-transport';
import { TransportEvents } from '@calls/conversation/ports/transport-events';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { WebSocket } from 'ws';
import { ClientSocket } from '../client-socket/client-socket.ts';
import { readDataMessage } from '../data-message.ts';
import { CHECK_EVERY_MS, MediaTimeout } from '../media-timeout.ts';
import { TimedInput } from '../timed-input.ts';

/** Two frames: with one, each frame waits until the previous one was played, and audio takes longer than real time. */
const MIN_LEAD_MS = 40;
/** A client with more unread audio is disconnected. */
const MAX_UNSENT_MS = 10_000;
const IN_BINARY_FRAME = 'dropped a data message in a binary frame: send it in a text frame';

export interface ServerWebSocketOptions {
  socket: WebSocket;
  spec: ServerWebSocketSpec;
  clock: Clock;
}

/**
 * A client that streams raw PCM (signed 16-bit little-endian, mono) in binary messages of any length, and data messages
 * in text messages.
 */
export class ServerWebSocketTransport implements MediaTransport {
  readonly inputFormat: AudioFormat;
  readonly outputFormat: AudioFormat;
  readonly outputLeadMs: number;
  readonly events = new TransportEvents();
  readonly #socket: ClientSocket;
  readonly #spec: ServerWebSocketSpec;
  readonly #clock: Clock;
  readonly #joiner = new PcmByteJoiner();
  readonly #input: TimedInput;
  readonly #timeout: MediaTimeout;
  #checkTimer: Timer;

  constructor({ socket, spec, clock }: ServerWebSocketOptions) {
    this.#spec = spec;
    this.#clock = clock;
    this.inputFormat = { sampleRateHz: spec.inputSampleRateHz };
    this.outputFormat = { sampleRateHz: spec.outputSampleRateHz };
    this.outputLeadMs = Math.max(MIN_LEAD_MS, spec.clientBufferMs);
    this.#input = new TimedInput(spec.inputSampleRateHz, (event) => this.events.push(event));
    const maxUnsentBytes = Math.max(256 * 1024, (MAX_UNSENT_MS * spec.outputSampleRateHz * 2) / 1000);
    this.#timeout = new MediaTimeout(clock.nowMs());
    this.#socket = new ClientSocket(
      { socket, maxUnsentBytes, clock },
      {
        onText: (bytes) => this.events.push(readDataMessage(bytes)),
        onBinary: (bytes) => {
          if (isDataMessage(bytes)) this.events.push({ type: 'malformed', detail: IN_BINARY_FRAME });
          else this.#onAudio(bytes);
        },
        onEnd: (reason, detail) => {
          this.#checkTimer.cancel();
          this.events.push({ type: 'closed', reason, detail });
          this.events.close();
        },
      },
    );
    this.#checkTimer = this.#scheduleCheck();
  }

  write(samples: Int16Array): void {
    // Copies `samples`, because the caller reuses them while the socket may still hold them.
    this.#socket.send(Buffer.from(bytesFromSamples(samples)));
  }

  clear(): void {
    this.send({ type: 'playback_clear_buffer' });
  }

  send(message: ServerMessage): void {
    if (isEnabled(message, this.#spec.dataMessages, SERVER_WEB_SOCKET_DEFAULTS)) {
      this.#socket.send(JSON.stringify(message));
    }
  }

  probe(): void {
    this.#socket.checkLife();
  }

  close(reason: CloseReason): Promise<void> {
    return this.#socket.close(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close('system_error');
  }

  #onAudio(bytes: Buffer): void {
    if (bytes.byteLength === 0) return;
    const nowMs = this.#clock.nowMs();
    this.#timeout.received(nowMs);
    this.#input.audio(this.#joiner.push(bytes), nowMs);
  }

  #check(): void {
    const nowMs = this.#clock.nowMs();
    this.#input.check(nowMs);
    const { mediaIdleTimeoutMs } = this.#spec;
    if (this.#timeout.check(nowMs) >= (mediaIdleTimeoutMs ?? Infinity)) {
      this.#socket.end('connection_error', `no audio received for ${mediaIdleTimeoutMs} ms`);
      return;
    }
    this.#checkTimer = this.#scheduleCheck();
    this.#socket.check(nowMs);
  }

  #scheduleCheck(): Timer {
    return this.#clock.setTimer(CHECK_EVERY_MS, () => this.#check());
  }
}

/** Whether the bytes of a binary frame are JSON with a type, and therefore not audio. */
function isDataMessage(bytes: Buffer): boolean {
  if (bytes[0] !== 0x7b || bytes.at(-1) !== 0x7d) return false;
  return readDataMessage(bytes).type !== 'malformed';
}
