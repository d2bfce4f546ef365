import type { CallError } from './call-error.ts';
import type { Transcript } from './application-types.ts';
import type { AudioLevels } from './media/levels.ts';
import type { ServerMessage } from './messages.ts';

/**
 * `connecting`: joining or reconnecting. Otherwise the state of the conversation: `idle`, `listening`, `thinking` or
 * `speaking`.
 */
export type CallStatus =
  | 'disconnected'
  | 'disconnecting'
  | 'connecting'
  | 'idle'
  | 'listening'
  | 'thinking'
  | 'speaking';

/** How a call ended for this client. */
export interface CallEnd {
  /** The call's end reason (`hangup`, `agent_hangup`, `timeout`, …); null if the call was lost or never joined. */
  reason: string | null;
  /** Why the call was lost. */
  error: CallError | null;
}

/** Types of `detail` by event. */
export interface CallEventMap {
  status: CallStatus;
  /** All transcripts; a new array after each change. */
  transcripts: readonly Transcript[];
  /** Each data message of the service. Later releases may add types. */
  data_message: ServerMessage;
  /** Current levels, ten times a second during a call, and once 0 at its end. See `CallSession.levels`. */
  levels: AudioLevels;
  /** The connection is being restored. */
  reconnecting: null;
  reconnected: null;
  ended: CallEnd;
  /** An error during the call, or the reason why it was lost. */
  error: CallError;
  /** The browser blocks audio until the user interacts with the page: call `resumeAudio()` in a click handler. */
  audio_blocked: null;
  /** Microphone or speaker was muted or unmuted. */
  mute: { microphone: boolean; speaker: boolean };
  /** A microphone or loudspeaker was connected or disconnected. */
  devices: null;
}

type Listener<K extends keyof CallEventMap> =
  | ((event: CustomEvent<CallEventMap[K]>) => void)
  | { handleEvent(event: CustomEvent<CallEventMap[K]>): void }
  | null;

/** An EventTarget with typed events. */
export class CallEventTarget extends EventTarget {
  readonly #listenedTypes = new Set<string>();

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
    this.#listenedTypes.add(type);
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

  /** Whether a listener was ever added. */
  protected hasListened(type: keyof CallEventMap): boolean {
    return this.#listenedTypes.has(type);
  }

  protected emit<K extends keyof CallEventMap>(type: K, detail: CallEventMap[K]): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
