import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { bytesFromSamples } from '@calls/audio/pcm';
import type { Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import { LINE_RATE_HZ } from '../call/spoken-words.ts';

const FRAME_MS = 20;
const FRAME_SAMPLES = (LINE_RATE_HZ * FRAME_MS) / 1000;
const CONNECT_LIMIT_MS = 10_000;

export interface LiveLineOptions {
  joinUrl: string;
  clock: Clock;
  /** The next samples of the caller. */
  microphone: (samples: number) => Int16Array;
  onMessage: (message: ServerMessage) => void;
}

/** A server WebSocket call. Sends a frame every 20 ms of real time. A lost connection is not opened again. */
export class LiveLine {
  readonly #socket: WebSocket;
  readonly #options: LiveLineOptions;
  readonly #beganMs: number;
  #sentFrames = 0;
  #timer: { cancel(): void } | null = null;

  /** Rejects if the call cannot be joined. */
  static connect(options: LiveLineOptions): Promise<LiveLine> {
    const socket = new WebSocket(options.joinUrl);
    socket.binaryType = 'arraybuffer';
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => {
        limit.cancel();
        socket.close();
        reject(new AppError('join_failed', `the call cannot be joined: ${reason}`));
      };
      const limit = options.clock.setTimer(CONNECT_LIMIT_MS, () =>
        fail(`no response within ${CONNECT_LIMIT_MS} ms`),
      );
      socket.addEventListener('close', ({ code, reason }) => fail(`closed with ${code} ${reason}`));
      socket.addEventListener('open', () => {
        limit.cancel();
        resolve(new LiveLine(socket, options));
      });
    });
  }

  private constructor(socket: WebSocket, options: LiveLineOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#beganMs = options.clock.nowMs();
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') options.onMessage(JSON.parse(data) as ServerMessage);
    });
    this.#tick();
  }

  get isClosed(): boolean {
    return this.#socket.readyState !== WebSocket.OPEN;
  }

  send(message: ClientMessage): void {
    if (!this.isClosed) this.#socket.send(JSON.stringify(message));
  }

  hangUp(): void {
    this.#timer?.cancel();
    this.#socket.close(1000);
  }

  /** Frames are due by the clock, however late the timer is. */
  #tick(): void {
    if (this.isClosed) return;
    const { clock, microphone } = this.#options;
    const due = Math.floor((clock.nowMs() - this.#beganMs) / FRAME_MS) + 1;
    for (; this.#sentFrames < due; this.#sentFrames += 1)
      this.#socket.send(bytesFromSamples(microphone(FRAME_SAMPLES)).slice());
    const nextMs = this.#beganMs + this.#sentFrames * FRAME_MS - clock.nowMs();
    this.#timer = clock.setTimer(Math.max(1, nextMs), () => this.#tick());
  }
}
