import type { CallError } from './call-error.ts';
import type { Transcript } from './transcript.ts';

/**
 * `connecting`: on the way into the call, or back into it; then what the conversation is doing: `idle` (nothing), `listening`,
 * `thinking`, `speaking`.
 */
export type CallStatus =
  | 'disconnected'
  | 'disconnecting'
  | 'connecting'
  | 'idle'
  | 'listening'
  | 'thinking'
  | 'speaking';

/** What the service said: see "Data messages" of the protocol. Types grow in number: ignore those you don't know. */
export interface DataMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** How a call came to its end, for this client. */
export interface CallEnd {
  /** The call's end reason (`hangup`, `agent_hangup`, `timeout`, …); null where the call is lost, or was never joined. */
  reason: string | null;
  /** Why the call was lost. */
  error: CallError | null;
}

/** `detail` of each event. */
export interface CallEventMap {
  status: CallStatus;
  /** All of them; the array is a new one after each change. */
  transcripts: readonly Transcript[];
  data_message: DataMessage;
  /** The connection is lost and being made again, or is back. */
  reconnecting: null;
  reconnected: null;
  ended: CallEnd;
  /** What went wrong while the call goes on, and why a call was lost. */
  error: CallError;
  /** The browser plays nothing before the user has touched the page: call `resumeAudio()` in a click. */
  audio_blocked: null;
  /** Microphone or speaker was muted or unmuted. */
  mute: { microphone: boolean; speaker: boolean };
  /** A microphone or loudspeaker came or went. */
  devices: null;
}

type Listener<K extends keyof CallEventMap> =
  | ((event: CustomEvent<CallEventMap[K]>) => void)
  | { handleEvent(event: CustomEvent<CallEventMap[K]>): void }
  | null;

/** An EventTarget that knows the types of its events. */
export class CallEventTarget extends EventTarget {
  override addEventListener<K extends keyof CallEventMap>(
    type: K,
    listener: Listener<K>,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    super.addEventListener(type, listener, options);
  }

  override removeEventListener<K extends keyof CallEventMap>(
    type: K,
    listener: Listener<K>,
    options?: EventListenerOptions | boolean,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: EventListenerOptions | boolean,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: EventListenerOptions | boolean,
  ): void {
    super.removeEventListener(type, listener, options);
  }

  protected emit<K extends keyof CallEventMap>(type: K, detail: CallEventMap[K]): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
