import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { bytesFromSamples, concatSamples, samplesFromBytes } from '@calls/audio/pcm';
import { WebSocket, type RawData } from 'ws';
import { DEFAULT_GRACE_MS, reconnectPauseMs, watchServer } from './reconnection.ts';

const FRAME_MS = 20;

export interface TimedAudio {
  /** Time since the connection was opened. */
  atMs: number;
  samples: Int16Array;
}

export interface TimedMessage {
  atMs: number;
  message: ServerMessage;
}

export interface CallClientOptions {
  joinUrl: string;
  inputSampleRateHz: number;
  outputSampleRateHz: number;
  onMessage?: (message: ServerMessage) => void;
  /** Called when audio arrives. */
  onAudio?: () => void;
  /** Stores the received audio for `receivedAudio`; off for load tests. */
  keepAudio?: boolean;
  /** Reconnects after a lost connection. On by default. */
  reconnects?: boolean;
  /** Called when the connection is lost and when it is back. */
  onConnection?: (state: 'lost' | 'back') => void;
}

/** Time limit of the first connection, which is not retried. */
const FIRST_HANDSHAKE_LIMIT_MS = 30_000;
const HANDSHAKE_LIMIT_MS = 8000;
/**
 * Time limit of the first reconnection. It doubles with each attempt, because the server may hang or need time to take
 * over the call.
 */
const RECONNECT_LIMIT_MS = 2000;

/**
 * A caller on a server WebSocket: sends 20 ms frames of PCM continuously (silence while it does not speak) and
 * simulates the playback of received audio: in real time, and discarded on `playback_clear_buffer`.
 */
export class CallClient {
  readonly messages: TimedMessage[] = [];
  readonly audio: TimedAudio[] = [];
  /** Resolves with the close code and reason. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #options: CallClientOptions;
  #socket: WebSocket;
  readonly #openedMs = performance.now();
  readonly #frameSamples: number;
  readonly #silence: Buffer;
  #speech: Int16Array | null = null;
  #speechPosition = 0;
  #speechDone: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sentFrames = 0;
  #startedMs = 0;
  #playoutEndMs = 0;
  #lastAudioMs = Number.NEGATIVE_INFINITY;
  readonly #ended = Promise.withResolvers<{ code: number; reason: string }>();
  /** Null while connected. */
  #lostMs: number | null = null;
  #retries = 0;
  #graceMs = DEFAULT_GRACE_MS;
  #returns = 0;
  #leaves = false;
  readonly #closes: string[] = [];

  private constructor(options: CallClientOptions, socket: WebSocket) {
    this.#options = options;
    this.#socket = socket;
    this.closed = this.#ended.promise;
    this.#frameSamples = Math.round((options.inputSampleRateHz * FRAME_MS) / 1000);
    this.#silence = Buffer.alloc(this.#frameSamples * 2);
    this.#attach(socket);
  }

  /** Rejects when the first connection fails, without retries. Streams audio as soon as the connection is open. */
  static async connect(options: CallClientOptions): Promise<CallClient> {
    const socket = openSocket(options.joinUrl, FIRST_HANDSHAKE_LIMIT_MS);
    return new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.once('open', () => {
        const client = new CallClient(options, socket);
        client.#startStreaming();
        resolve(client);
      });
    });
  }

  /** Milliseconds since the connection was opened. */
  get nowMs(): number {
    return performance.now() - this.#openedMs;
  }

  /** Whether received audio is being played. */
  get isPlaying(): boolean {
    return this.nowMs < this.#playoutEndMs;
  }

  /** Time at which audio last arrived. */
  get lastAudioMs(): number {
    return this.#lastAudioMs;
  }

  /** Number of successful reconnections. */
  get returns(): number {
    return this.#returns;
  }

  /** Sends the samples in real time; resolves when the last frame has been sent. */
  speak(samples: Int16Array): Promise<void> {
    return new Promise((resolve) => {
      this.#speech = samples;
      this.#speechPosition = 0;
      this.#speechDone = resolve;
    });
  }

  /** Drops the message while disconnected. */
  send(message: unknown): void {
    this.#write(typeof message === 'string' ? message : JSON.stringify(message));
  }

  sendBinary(bytes: Uint8Array): void {
    this.#write(bytes);
  }

  /** Stops sending audio. Messages can still be sent. */
  stopStreaming(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async hangUp(): Promise<void> {
    this.stopStreaming();
    this.#leaves = true;
    this.#socket.close(1000);
    await this.closed;
  }

  /** Terminates the connection without a close frame, and does not reconnect. */
  cut(): void {
    this.stopStreaming();
    this.#leaves = true;
    this.#socket.terminate();
  }

  /** Terminates the connection like a network failure. */
  loseConnection(): void {
    this.#socket.terminate();
  }

  /** Resolves when `holds` returns true; checks every 20 ms. Rejects after `limitMs`. */
  async until(what: string, holds: () => boolean, limitMs = 120_000): Promise<void> {
    const deadlineMs = performance.now() + limitMs;
    while (!holds()) {
      if (performance.now() > deadlineMs) {
        const closes = this.#closes.length > 0 ? `; closed with ${this.#closes.join(', ')}` : '';
        throw new Error(`timed out after ${limitMs} ms waiting for ${what}${closes}`);
      }
      await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
    }
  }

  /** Final transcripts in the order of their ordinals. */
  get transcript(): { role: 'user' | 'agent'; text: string }[] {
    const finals: { role: 'user' | 'agent'; text: string }[] = [];
    for (const { message } of this.messages) {
      if (message.type === 'transcript' && message.final) {
        finals[message.ordinal] = { role: message.role, text: message.text ?? '' };
      }
    }
    return finals.filter(Boolean);
  }

  get state(): string | null {
    const states = this.messages.flatMap(({ message }) => (message.type === 'state' ? [message.state] : []));
    return states.at(-1) ?? null;
  }

  /** All played audio, including gaps, since the connection was opened. */
  receivedAudio(): Int16Array {
    const rateHz = this.#options.outputSampleRateHz;
    const parts: Int16Array[] = [];
    let position = 0;
    for (const { atMs, samples } of this.audio) {
      const start = Math.max(position, Math.round((atMs * rateHz) / 1000));
      if (start > position) parts.push(new Int16Array(start - position));
      parts.push(samples);
      position = start + samples.length;
    }
    return concatSamples(parts);
  }

  #attach(socket: WebSocket): void {
    watchServer(socket);
    socket.once('close', (code, reason) => this.#onClose(code, reason.toString()));
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('error', () => undefined);
  }

  #onClose(code: number, reason: string): void {
    this.#closes.push(`${code} ${reason}`.trim());
    const nowMs = performance.now();
    const { reconnects = true, joinUrl, onConnection } = this.#options;
    const pauseMs = reconnectPauseMs({
      code,
      isReconnecting: this.#lostMs !== null,
      lostForMs: nowMs - (this.#lostMs ?? nowMs),
      retries: this.#lostMs === null ? 0 : this.#retries,
      graceMs: this.#graceMs,
    });
    if (!reconnects || this.#leaves || pauseMs === null) {
      this.stopStreaming();
      this.#speechDone?.();
      this.#ended.resolve({ code, reason });
      return;
    }
    if (this.#lostMs === null) {
      this.#lostMs = nowMs;
      this.#retries = 0;
      this.#dropUnplayed();
      onConnection?.('lost');
    }
    this.#retries += 1;
    setTimeout(() => {
      const limitMs = Math.min(HANDSHAKE_LIMIT_MS, RECONNECT_LIMIT_MS * 2 ** (this.#retries - 1));
      this.#socket = openSocket(joinUrl, limitMs);
      this.#attach(this.#socket);
      if (this.#leaves) this.#socket.terminate();
    }, pauseMs);
  }

  #write(data: Uint8Array | string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data);
  }

  #startStreaming(): void {
    this.#startedMs = performance.now();
    const tick = (): void => {
      // The clock decides which frames are due, even if the timer is late.
      const due = Math.floor((performance.now() - this.#startedMs) / FRAME_MS) + 1;
      while (this.#sentFrames < due) this.#sendFrame();
      const nextMs = this.#startedMs + this.#sentFrames * FRAME_MS - performance.now();
      this.#timer = setTimeout(tick, Math.max(1, nextMs));
    };
    tick();
  }

  #sendFrame(): void {
    this.#sentFrames += 1;
    const speech = this.#speech;
    if (!speech) {
      this.#write(this.#silence);
      return;
    }
    const end = this.#speechPosition + this.#frameSamples;
    this.#write(bytesFromSamples(speech.subarray(this.#speechPosition, end)));
    this.#speechPosition = end;
    if (end < speech.length) return;
    this.#speech = null;
    this.#speechDone?.();
    this.#speechDone = null;
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#lostMs !== null) {
      this.#lostMs = null;
      this.#returns += 1;
      this.#options.onConnection?.('back');
    }
    const bytes = Buffer.isBuffer(data)
      ? data
      : Array.isArray(data)
        ? Buffer.concat(data)
        : Buffer.from(data);
    if (isBinary) {
      this.#receiveAudio(samplesFromBytes(bytes));
      this.#options.onAudio?.();
      return;
    }
    const message = JSON.parse(bytes.toString()) as ServerMessage;
    if (message.type === 'playback_clear_buffer') this.#dropUnplayed();
    if (message.type === 'call_started') this.#graceMs = message.reconnectGraceMs ?? DEFAULT_GRACE_MS;
    this.messages.push({ atMs: this.nowMs, message });
    this.#options.onMessage?.(message);
  }

  #receiveAudio(samples: Int16Array): void {
    const nowMs = this.nowMs;
    this.#lastAudioMs = nowMs;
    const startMs = Math.max(nowMs, this.#playoutEndMs);
    this.#playoutEndMs = startMs + (samples.length * 1000) / this.#options.outputSampleRateHz;
    if (this.#options.keepAudio ?? true) this.audio.push({ atMs: startMs, samples });
  }

  #dropUnplayed(): void {
    const nowMs = this.nowMs;
    this.#playoutEndMs = Math.min(this.#playoutEndMs, nowMs);
    while ((this.audio.at(-1)?.atMs ?? 0) >= nowMs) this.audio.pop();
  }
}

function openSocket(joinUrl: string, limitMs: number): WebSocket {
  return new WebSocket(joinUrl, {
    perMessageDeflate: false,
    maxPayload: 16 * 1024 * 1024,
    handshakeTimeout: limitMs,
  });
}
