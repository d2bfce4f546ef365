'use client';

import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import {
  CallError,
  CallSession,
  type AudioLevels,
  type CallEnd,
  type CallEventMap,
  type CallSessionOptions,
  type CallStatus,
  type JoinOptions,
  type Transcript,
} from './index.ts';

/** A call for rendering. */
export interface UseCall {
  /** The same object for the life of the component. Use it for further methods and events. */
  readonly session: CallSession;
  readonly status: CallStatus;
  /** The last error; null again when a join begins. */
  readonly error: CallError | null;
  /** How the last call ended; null before and during a call. */
  readonly end: CallEnd | null;
  readonly isMicMuted: boolean;
  readonly isSpeakerMuted: boolean;
  /** The browser blocks audio until the user clicks. */
  readonly isAudioBlocked: boolean;
  /** Never rejects: the reason of a failure is in `error`. */
  readonly join: (joinUrl: string, options?: JoinOptions) => Promise<void>;
  /** Hangs up, or cancels a running join. Never rejects. */
  readonly leave: () => Promise<void>;
  /** Call it in a click handler if `isAudioBlocked`. */
  readonly resumeAudio: () => Promise<void>;
}

type Snapshot = Omit<UseCall, 'session' | 'join' | 'leave' | 'resumeAudio'>;

const NO_CALL: Snapshot = {
  status: 'disconnected',
  error: null,
  end: null,
  isMicMuted: false,
  isSpeakerMuted: false,
  isAudioBlocked: false,
};

const NO_TRANSCRIPTS: readonly Transcript[] = [];
/** For server rendering: React requires the same object each time. */
const getNoTranscripts = (): readonly Transcript[] => NO_TRANSCRIPTS;
const getNoCall = (): Snapshot => NO_CALL;
const SILENCE: AudioLevels = { microphone: 0, agent: 0 };

/**
 * One call of a component. Unmounting leaves the call. Works with StrictMode and server rendering.
 *
 * `tools` may change with each render; other options are those of the first render.
 */
export function useCall(options: CallSessionOptions = {}): UseCall {
  const [{ session, store }] = useState(() => {
    const created = new CallSession(options);
    return { session: created, store: new SnapshotStore(created) };
  });
  const snapshot = useSyncExternalStore(store.subscribe, store.get, getNoCall);
  const { tools } = options;
  useEffect(() => {
    const implementations = tools ?? {};
    session.registerToolImplementations(implementations);
    return () =>
      Object.keys(implementations).forEach((name) => session.registerToolImplementation(name, null));
  }, [session, tools]);
  useEffect(() => () => void session.leaveCall(), [session]);
  const join = useCallback(
    (joinUrl: string, joinOptions?: JoinOptions) =>
      session.joinCall(joinUrl, joinOptions).catch((thrown: unknown) => store.fail(thrown)),
    [session, store],
  );
  const leave = useCallback(() => session.leaveCall(), [session]);
  const resumeAudio = useCallback(() => {
    store.set({ isAudioBlocked: false });
    return session.resumeAudio();
  }, [session, store]);
  return { ...snapshot, session, join, leave, resumeAudio };
}

/** All utterances in conversation order; a new array after each change. They remain until the next call. */
export function useTranscript(session: CallSession): readonly Transcript[] {
  const subscribe = useCallback(
    (onChange: () => void) => {
      session.addEventListener('transcripts', onChange);
      return () => session.removeEventListener('transcripts', onChange);
    },
    [session],
  );
  return useSyncExternalStore(subscribe, () => session.transcripts, getNoTranscripts);
}

/** The levels of both sides, 0 to 1, ten times a second. The component that uses it renders as often. */
export function useLevels(session: CallSession): AudioLevels {
  const [levels, setLevels] = useState(SILENCE);
  useEffect(() => {
    const onLevels = ({ detail }: CustomEvent<AudioLevels>): void => setLevels(detail);
    session.addEventListener('levels', onLevels);
    return () => session.removeEventListener('levels', onLevels);
  }, [session]);
  return levels;
}

/** The state of a session as an immutable object. */
class SnapshotStore {
  #snapshot = NO_CALL;
  #notify = (): void => undefined;

  /** Listens to the session for its whole life: the state may change while React is not subscribed. */
  constructor(session: CallSession) {
    const on = <K extends keyof CallEventMap>(
      type: K,
      change: (detail: CallEventMap[K]) => Partial<Snapshot>,
    ) =>
      session.addEventListener(type, ({ detail }: CustomEvent<CallEventMap[K]>) => this.set(change(detail)));
    on('status', (status) =>
      status === 'connecting' && this.#snapshot.status === 'disconnected'
        ? { status, error: null, end: null, isAudioBlocked: false }
        : { status },
    );
    on('error', (error) => ({ error }));
    on('ended', (end) => ({ end }));
    on('mute', ({ microphone, speaker }) => ({ isMicMuted: microphone, isSpeakerMuted: speaker }));
    on('audio_blocked', () => ({ isAudioBlocked: true }));
  }

  readonly get = (): Snapshot => this.#snapshot;

  readonly subscribe = (notify: () => void): (() => void) => {
    this.#notify = notify;
    return () => (this.#notify = () => undefined);
  };

  /** A join that the page left has not failed. */
  fail(thrown: unknown): void {
    if (!(thrown instanceof CallError)) throw thrown;
    if (thrown.code !== 'left') this.set({ error: thrown });
  }

  set(change: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    this.#notify();
  }
}
