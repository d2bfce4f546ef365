import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { WebSocket, type RawData } from 'ws';

/** Shorter than the pause of a worker, so that a connection to a paused worker is abandoned for another one. */
const OPEN_LIMIT_MS = 2000;
const PING_EVERY_MS = 1000;
/** The server counts as disconnected if it sends no message for this time. */
const SILENCE_LIMIT_MS = 4000;
const SOUND_EVERY_MS = 100;
/** 100 ms at 8 kHz. */
const SILENT_SOUND = Buffer.alloc(1600);

export interface Closing {
  code: number;
  reason: string;
  atMs: number;
}

export interface SocketListener {
  onMessage: (message: ServerMessage) => void;
  onSound: () => void;
}

/** One connection to a call. Pings every second and sends silence for callers with audio. */
export class CallSocket {
  readonly closed: Promise<Closing>;
  readonly #socket: WebSocket;
  readonly #timers: NodeJS.Timeout[] = [];
  #lastMessageMs = performance.now();

  /** Resolves to the connection, or to its close code when it is refused. */
  static async open(
    joinUrl: string,
    { isVoice, listener }: { isVoice: boolean; listener: SocketListener },
  ): Promise<CallSocket | Closing> {
    const socket = new WebSocket(joinUrl, { perMessageDeflate: false, handshakeTimeout: OPEN_LIMIT_MS });
    const opening = new CallSocket(socket, listener);
    const opened = new Promise<boolean>((resolve) => socket.once('open', () => resolve(true)));
    const refused = await Promise.race([opened, opening.closed]);
    if (refused !== true && refused !== false) return refused;
    opening.#keepAlive(isVoice);
    return opening;
  }

  private constructor(socket: WebSocket, listener: SocketListener) {
    this.#socket = socket;
    // A `close` event follows.
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      this.#lastMessageMs = performance.now();
      if (isBinary) listener.onSound();
      else listener.onMessage(JSON.parse(textOf(data)) as ServerMessage);
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        for (const timer of this.#timers) clearInterval(timer);
        resolve({ code, reason: reason.toString(), atMs: performance.now() });
      });
    });
  }

  send(message: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  hangUp(): void {
    this.#socket.close(1000);
  }

  /** Closes the TCP connection without a close frame. */
  cut(): void {
    this.#socket.terminate();
  }

  #keepAlive(isVoice: boolean): void {
    const ping = (): void => {
      if (performance.now() - this.#lastMessageMs > SILENCE_LIMIT_MS) this.cut();
      else this.send({ type: 'ping', timestamp: Date.now() });
    };
    const speak = (): void => {
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(SILENT_SOUND);
    };
    this.#timers.push(setInterval(ping, PING_EVERY_MS));
    if (isVoice) this.#timers.push(setInterval(speak, SOUND_EVERY_MS));
  }
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString();
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data).toString();
}
