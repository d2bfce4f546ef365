import type { DataConnectionSpec } from '@calls/api-contract/call-spec';
import { malformedText, parseClientMessage } from '@calls/api-contract/data-messages/client-messages';
import {
  DATA_CONNECTION_DEFAULTS,
  isEnabled,
  type ServerMessage,
} from '@calls/api-contract/data-messages/server-messages';
import { MAX_MESSAGE_BYTES } from '@calls/api-contract/data-messages/message-text';
import type {
  DataConnection,
  DataConnectionListener,
  DataConnections,
} from '@calls/conversation/ports/data-connection';
import { reconnectDelayMs } from '@calls/foundation/backoff';
import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { currentTraceparent } from '@calls/foundation/trace-context';
import { OutboundRefusal } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import { callSignatureHeaders } from '@calls/outbound-http/request-signature';
import { CallAudio } from './call-audio.ts';
import { ConnectionNotes } from './connection-notes.ts';
import { DataSocket, type Closing, type SocketEnd } from './data-socket.ts';
import { NORMAL_CLOSURE, SERVICE_RESTART } from '@calls/transports/client-socket/client-socket';
import { SendQueue } from './send-queue.ts';

/** Maximum size of queued data: eight seconds of 16 kHz stereo. */
const MAX_QUEUED_BYTES = 512 * 1024;
/** Maximum unsent data in the socket. */
const MAX_UNSENT_BYTES = 64 * 1024;
/** A connection that lasted this long resets the count of failures. */
const STEADY_MS = 10_000;
/** How connections are closed (docs/reference/data-connections.md). */
const CLOSINGS = {
  call_ended: { code: NORMAL_CLOSURE, reason: 'the call is over' },
  interrupted: { code: SERVICE_RESTART, reason: 'interrupted' },
} satisfies Record<string, Closing>;
/** Headers that the service sets or that do not apply to WebSockets. */
const OUR_HEADERS =
  /^(?:host|connection|upgrade|content-length|transfer-encoding|keep-alive|te|trailer|expect|sec-websocket-.*|proxy-.*|x-svc-.*)$/iu;

export interface DataConnectionDeps {
  outbound: OutboundHttp;
  clock: Clock;
  /** 0 to 1. */
  random: () => number;
}

interface OpenedFor {
  callId: string;
  sharedSecrets: readonly string[];
  config: DataConnectionSpec;
}

type State =
  | { at: 'connecting'; socket: DataSocket }
  | { at: 'open'; socket: DataSocket; sinceMs: number }
  | { at: 'waiting'; timer: Timer }
  /** The call is over, or retries cannot succeed. */
  | { at: 'over' };

/** A WebSocket to the server of a call's owner. Reconnects until the call is over. */
class CustomerDataConnection implements DataConnection {
  readonly writeAudio: ((pcm: Uint8Array) => void) | null;
  readonly #deps: DataConnectionDeps;
  readonly #call: OpenedFor;
  readonly #listener: DataConnectionListener;
  readonly #notes: ConnectionNotes;
  readonly #queue = new SendQueue(MAX_QUEUED_BYTES);
  readonly #audio: CallAudio | null;
  #state: State;
  /** Trace context of the code that opened the connection. */
  readonly #trace = currentTraceparent();
  /** Consecutive failures. */
  #failures = 0;
  #closing: Promise<void> | undefined;

  constructor(deps: DataConnectionDeps, call: OpenedFor, listener: DataConnectionListener) {
    this.#deps = deps;
    this.#call = call;
    this.#listener = listener;
    this.#notes = new ConnectionNotes(listener, deps.clock);
    const { audio } = call.config;
    this.#audio = audio && new CallAudio(audio);
    this.writeAudio = audio && ((pcm) => this.#onAudio(pcm));
    // Report the connection before the first message from the server.
    this.#state = { at: 'waiting', timer: deps.clock.setTimer(0, () => this.#connect()) };
  }

  send(message: ServerMessage): void {
    if (this.#state.at === 'over') return;
    if (!isEnabled(message, this.#call.config.dataMessages, DATA_CONNECTION_DEFAULTS)) return;
    this.#queue.pushMessage(JSON.stringify(message));
    this.#sent();
  }

  close(reason: 'call_ended' | 'interrupted'): Promise<void> {
    this.#closing ??= this.#close(CLOSINGS[reason]);
    return this.#closing;
  }

  #connect(): void {
    const { outbound, clock } = this.#deps;
    const { url } = this.#call.config;
    try {
      const socket = new DataSocket({
        url,
        headers: this.#headers(),
        agent: outbound.agentFor(url),
        clock,
        onOpen: () => this.#onOpen(socket),
        onText: (bytes) => this.#onText(bytes),
        onBinary: () => this.#notes.unwanted('binary messages are not supported'),
        onDrain: () => this.#pump(),
        onEnd: (end) => this.#onEnd(end),
      });
      this.#state = { at: 'connecting', socket };
    } catch (thrown) {
      // The URL or the headers are invalid, so a retry cannot succeed.
      this.#giveUp(toError(thrown));
    }
  }

  #headers(): Record<string, string> {
    const { callId, sharedSecrets, config } = this.#call;
    const given = Object.entries(config.headers).filter(([name]) => !OUR_HEADERS.test(name));
    return {
      ...(this.#trace !== undefined && { traceparent: this.#trace }),
      ...Object.fromEntries(given),
      'X-Svc-Call-ID': callId,
      ...callSignatureHeaders(callId, sharedSecrets, this.#deps.clock.wallMs()),
    };
  }

  #onOpen(socket: DataSocket): void {
    this.#state = { at: 'open', socket, sinceMs: this.#deps.clock.nowMs() };
    this.#notes.connected();
    this.#pump();
  }

  #onText(bytes: Buffer): void {
    if (bytes.byteLength > MAX_MESSAGE_BYTES) {
      this.#notes.unwanted(`a message of ${bytes.byteLength} bytes; the maximum is ${MAX_MESSAGE_BYTES}`);
      return;
    }
    const parsed = parseClientMessage(bytes.toString('utf8'));
    switch (parsed.kind) {
      case 'message':
        this.#listener.onMessage(parsed.message);
        break;
      case 'unknown':
        this.#notes.unknown(parsed.type);
        break;
      case 'malformed':
        this.#notes.unwanted(malformedText(parsed));
        break;
    }
  }

  #onEnd(end: SocketEnd): void {
    const { clock, random } = this.#deps;
    if (end.kind === 'failed' && end.error instanceof OutboundRefusal) {
      this.#giveUp(end.error);
      return;
    }
    const wasOpen = this.#state.at === 'open';
    const isSteady = this.#state.at === 'open' && clock.nowMs() - this.#state.sinceMs >= STEADY_MS;
    this.#failures = isSteady ? 1 : this.#failures + 1;
    const retryInMs = Math.round(reconnectDelayMs(this.#failures, random()));
    this.#state = { at: 'waiting', timer: clock.setTimer(retryInMs, () => this.#connect()) };
    this.#queue.clearAudio();
    this.#audio?.reset();
    this.#notes.ended(end, { wasOpen, retryInMs });
  }

  #giveUp(error: Error): void {
    this.#state = { at: 'over' };
    this.#notes.givenUp(error);
  }

  #onAudio(pcm: Uint8Array): void {
    const { at } = this.#state;
    // Audio before the first connection is queued.
    if (!this.#audio || at === 'over' || (at !== 'open' && this.#failures > 0)) return;
    for (const frame of this.#audio.push(pcm)) this.#queue.pushAudio(frame);
    this.#sent();
  }

  #sent(): void {
    this.#pump();
    const dropped = this.#queue.takeDropped();
    if (dropped) this.#notes.dropped(dropped);
  }

  #pump(): void {
    if (this.#state.at !== 'open') return;
    const { socket } = this.#state;
    while (socket.isOpen && socket.unsentBytes < MAX_UNSENT_BYTES) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      socket.send(next);
    }
  }

  async #close(closing: Closing): Promise<void> {
    const state = this.#state;
    this.#state = { at: 'over' };
    if (state.at === 'waiting') state.timer.cancel();
    if (state.at === 'open') {
      for (const frame of this.#audio?.flush() ?? []) this.#queue.pushAudio(frame);
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        state.socket.send(next);
      }
    }
    this.#audio?.close();
    if (state.at === 'open' || state.at === 'connecting') await state.socket.close(closing);
  }
}

/** Opens the data connections of a process's calls through the guarded HTTP client. */
export function createDataConnections(deps: {
  outbound: OutboundHttp;
  clock: Clock;
  random?: () => number;
}): DataConnections {
  const { random = Math.random } = deps;
  return { open: (call, listener) => new CustomerDataConnection({ ...deps, random }, call, listener) };
}
