import {
  isEnabled,
  malformedText,
  parseClientMessage,
  SERVER_WEB_SOCKET_DEFAULTS,
  type ServerMessage,
  type ServerWebSocketSpec,
} from '@calls/api-contract';
import { PcmByteJoiner } from '@calls/audio';
import type {
  AudioFormat,
  ClosedReason,
  CloseReason,
  MediaTransport,
  TransportEvent,
} from '@calls/conversation';
import { BoundedQueue, type Clock, type Timer } from '@calls/foundation';
import type { RawData, WebSocket } from 'ws';
import { InputClock } from './input-clock.ts';

/** Largest WebSocket message taken at all; a larger one closes the connection (RFC 6455, 1009). */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024;
/** Largest data message; a larger one is dropped with a warning. */
export const MAX_TEXT_BYTES = 256 * 1024;

const EVENT_QUEUE_CAPACITY = 4096;
/** How often the input's gaps, the media's idle time and the other side's life are looked at. */
const CHECK_EVERY_MS = 100;
const PING_EVERY_MS = 10_000;
/** How long a client may take to answer where there is doubt. */
const DOUBT_LIMIT_MS = 2000;
/** A client that takes nothing for this much audio is gone. */
const MAX_UNSENT_MS = 10_000;
const CLOSE_LIMIT_MS = 2000;
/** Close code of a call that ended; the end reason is the close reason. */
const NORMAL_CLOSURE = 1000;
/** Close code of a call that goes on elsewhere (RFC 6455 registry, "service restart"). */
const SERVICE_RESTART = 1012;

/** Codes with which a client says that it is done (RFC 6455 section 7.4.1); 1005: closed without a code. */
const CLIENT_DONE = new Set([1000, 1001, 1005]);

export interface ServerWebSocketOptions {
  socket: WebSocket;
  spec: ServerWebSocketSpec;
  clock: Clock;
}

/**
 * A client that streams raw PCM (signed 16-bit little-endian, mono) in binary frames of any length, and data messages in
 * text frames.
 */
export class ServerWebSocketTransport implements MediaTransport {
  readonly inputFormat: AudioFormat;
  readonly outputFormat: AudioFormat;
  readonly outputLeadMs: number;
  readonly events: BoundedQueue<TransportEvent>;
  readonly #socket: WebSocket;
  readonly #spec: ServerWebSocketSpec;
  readonly #clock: Clock;
  readonly #joiner = new PcmByteJoiner();
  readonly #inputClock = new InputClock();
  readonly #maxUnsentBytes: number;
  #checkTimer: Timer;
  #lastMediaMs: number;
  #lastPingMs: number;
  /** A ping is to be answered by then; null: the client has answered. */
  #answerByMs: number | null = null;
  #closed = false;
  #closing: Promise<void> | null = null;

  constructor({ socket, spec, clock }: ServerWebSocketOptions) {
    this.#socket = socket;
    this.#spec = spec;
    this.#clock = clock;
    this.inputFormat = { sampleRateHz: spec.inputSampleRateHz };
    this.outputFormat = { sampleRateHz: spec.outputSampleRateHz };
    this.outputLeadMs = spec.clientBufferMs;
    this.events = new BoundedQueue(EVENT_QUEUE_CAPACITY, 'drop-oldest');
    this.#maxUnsentBytes = Math.max(256 * 1024, (MAX_UNSENT_MS * spec.outputSampleRateHz * 2) / 1000);
    this.#lastMediaMs = clock.nowMs();
    this.#lastPingMs = this.#lastMediaMs;
    socket.on('message', this.#onMessage);
    socket.on('pong', this.#onPong);
    socket.on('close', this.#onClose);
    socket.on('error', this.#onError);
    this.#checkTimer = this.#scheduleCheck();
  }

  write(samples: Int16Array): void {
    if (this.#closed || this.#tooSlow()) return;
    // `samples` is the caller's to reuse, and the socket may keep what it can't send at once.
    this.#socket.send(
      Buffer.from(samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.byteLength)),
    );
  }

  clear(): void {
    this.send({ type: 'playback_clear_buffer' });
  }

  send(message: ServerMessage): void {
    if (this.#closed || !isEnabled(message, this.#spec.dataMessages, SERVER_WEB_SOCKET_DEFAULTS)) return;
    if (this.#tooSlow()) return;
    this.#socket.send(JSON.stringify(message));
  }

  checkLife(): void {
    if (this.#closed) return;
    const byMs = this.#clock.nowMs() + DOUBT_LIMIT_MS;
    if (this.#answerByMs === null) this.#socket.ping();
    this.#answerByMs = Math.min(this.#answerByMs ?? byMs, byMs);
  }

  close(reason: CloseReason): Promise<void> {
    this.#closing ??= this.#closeSocket(reason);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close('system_error');
  }

  readonly #onMessage = (data: RawData, isBinary: boolean): void => {
    const bytes = toBuffer(data);
    if (isBinary) this.#onAudio(bytes);
    else this.#onText(bytes);
  };

  #onAudio(bytes: Buffer): void {
    if (bytes.byteLength === 0) return;
    const nowMs = this.#clock.nowMs();
    this.#lastMediaMs = nowMs;
    const samples = this.#joiner.push(bytes);
    const samplesPerMs = this.inputFormat.sampleRateHz / 1000;
    const durationMs = samples.length / samplesPerMs;
    const acceptedMs = this.#inputClock.accept(durationMs, nowMs);
    if (acceptedMs >= durationMs) {
      this.events.push({ type: 'audio', samples });
      return;
    }
    const acceptedSamples = Math.floor(acceptedMs * samplesPerMs);
    if (acceptedSamples > 0) this.events.push({ type: 'audio', samples: samples.slice(0, acceptedSamples) });
    this.events.push({
      type: 'input_dropped',
      durationMs: (samples.length - acceptedSamples) / samplesPerMs,
    });
  }

  #onText(bytes: Buffer): void {
    if (bytes.byteLength > MAX_TEXT_BYTES) {
      const detail = `a data message of ${bytes.byteLength} bytes was dropped; at most ${MAX_TEXT_BYTES} are taken`;
      this.events.push({ type: 'malformed', detail });
      return;
    }
    const parsed = parseClientMessage(bytes.toString('utf8'));
    switch (parsed.kind) {
      case 'message':
        this.events.push({ type: 'data', message: parsed.message });
        break;
      case 'unknown':
        this.events.push({ type: 'unknown_data', messageType: parsed.type });
        break;
      case 'malformed':
        this.events.push({ type: 'malformed', detail: malformedText(parsed) });
        break;
    }
  }

  #check(): void {
    const nowMs = this.#clock.nowMs();
    const missingMs = this.#inputClock.missing(nowMs);
    if (missingMs > 0) this.events.push({ type: 'input_missing', durationMs: missingMs });
    const { mediaIdleTimeoutMs } = this.#spec;
    if (mediaIdleTimeoutMs !== null && nowMs - this.#lastMediaMs >= mediaIdleTimeoutMs) {
      this.#end('connection_error', `no audio came for ${mediaIdleTimeoutMs} ms`);
      return;
    }
    if (this.#answerByMs !== null && nowMs >= this.#answerByMs) {
      this.#giveUp('the client no longer answers');
      return;
    }
    if (this.#answerByMs === null && nowMs - this.#lastPingMs >= PING_EVERY_MS) {
      this.#answerByMs = nowMs + PING_EVERY_MS;
      this.#lastPingMs = nowMs;
      this.#socket.ping();
    }
    this.#checkTimer = this.#scheduleCheck();
  }

  #scheduleCheck(): Timer {
    return this.#clock.setTimer(CHECK_EVERY_MS, () => this.#check());
  }

  /** True where the client takes too little of what it is sent: it is cut off. */
  #tooSlow(): boolean {
    if (this.#socket.bufferedAmount <= this.#maxUnsentBytes) return false;
    this.#giveUp('the client does not read what it is sent');
    return true;
  }

  readonly #onPong = (): void => {
    this.#answerByMs = null;
  };

  readonly #onError = (error: Error): void => {
    this.#end('lost', `the connection failed: ${error.message}`);
  };

  readonly #onClose = (code: number): void => {
    if (CLIENT_DONE.has(code)) this.#end('hangup', `closed with ${code}`);
    else this.#end('lost', `the connection closed with ${code}`);
  };

  /** The client is not there any more to close the connection with. */
  #giveUp(detail: string): void {
    this.#end('lost', detail);
    this.#socket.terminate();
  }

  #end(reason: ClosedReason, detail: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#checkTimer.cancel();
    this.events.push({ type: 'closed', reason, detail });
    this.events.close();
  }

  async #closeSocket(reason: CloseReason): Promise<void> {
    this.#end('hangup', 'closed by the server');
    const socket = this.#socket;
    if (socket.readyState !== socket.CLOSED) {
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
      });
      const limit = this.#clock.setTimer(CLOSE_LIMIT_MS, () => socket.terminate());
      if (socket.readyState === socket.OPEN) {
        if (reason === 'service_restart') socket.close(SERVICE_RESTART);
        else socket.close(NORMAL_CLOSURE, reason);
      }
      await closed;
      limit.cancel();
    }
    socket.off('message', this.#onMessage);
    socket.off('pong', this.#onPong);
    socket.off('close', this.#onClose);
    // A socket that errors after its end must not bring the process down: this listener stays.
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
