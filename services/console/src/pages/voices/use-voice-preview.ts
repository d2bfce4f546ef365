import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApiProblem } from '../../api/api-problem.ts';
import { dataOf, api, asProblem, type Schemas } from '../../api/client.ts';

export type PreviewState =
  | { phase: 'silent' }
  | { phase: 'loading' | 'playing'; id: string }
  | { phase: 'failed'; id: string; problem: ApiProblem };

export interface VoicePreview {
  readonly state: PreviewState;
  /**
   * Plays the audio that `fetchAudio` returns for `id`, or stops it if it is loading or playing. Only one preview plays
   * at a time.
   */
  toggle(id: string, fetchAudio: (signal: AbortSignal) => Promise<Blob>): void;
}

export function useVoicePreview(): VoicePreview {
  const [state, setState] = useState<PreviewState>({ phase: 'silent' });
  const running = useRef<AbortController | null>(null);

  const stop = useCallback(() => {
    running.current?.abort();
    running.current = null;
  }, []);
  useEffect(() => stop, [stop]);

  const toggle: VoicePreview['toggle'] = (id, fetchAudio) => {
    stop();
    if (isActive(state, id)) {
      setState({ phase: 'silent' });
      return;
    }
    const stopping = new AbortController();
    const { signal } = stopping;
    running.current = stopping;
    const show = (next: PreviewState): void => {
      if (!signal.aborted) setState(next);
    };
    setState({ phase: 'loading', id });
    void fetchAudio(signal)
      .then((audio) => play(audio, signal, () => show({ phase: 'playing', id })))
      .then(() => show({ phase: 'silent' }))
      .catch((thrown: unknown) => show({ phase: 'failed', id, problem: asProblem(thrown) }));
  };
  return { state, toggle };
}

export function isActive(state: PreviewState, id: string): boolean {
  return (state.phase === 'loading' || state.phase === 'playing') && state.id === id;
}

/** Resolves when playback has ended or the signal stopped it. */
async function play(audio: Blob, signal: AbortSignal, onPlaying: () => void): Promise<void> {
  if (signal.aborted) return;
  const url = URL.createObjectURL(audio);
  const element = new Audio(url);
  try {
    await new Promise<void>((resolve, reject) => {
      element.onended = () => resolve();
      element.onerror = () => reject(new Error('This browser cannot play the audio of the voice.'));
      signal.addEventListener('abort', () => resolve(), { once: true });
      element.play().then(onPlaying, reject);
    });
  } finally {
    element.pause();
    URL.revokeObjectURL(url);
  }
}

/** The preview of a catalogue voice. */
export async function fetchPreview(voiceId: string, signal: AbortSignal): Promise<Blob> {
  const request = api.GET('/api/voices/{voice_id}/preview', {
    params: { path: { voice_id: voiceId } },
    parseAs: 'blob',
    signal,
  });
  return blobOf(await dataOf(request));
}

/** The preview of a voice definition that is not saved. */
export async function fetchDefinitionPreview(
  body: Schemas['VoiceRequest'],
  signal: AbortSignal,
): Promise<Blob> {
  return blobOf(await dataOf(api.POST('/api/voice_preview', { body, parseAs: 'blob', signal })));
}

function blobOf(data: unknown): Blob {
  if (data instanceof Blob) return data;
  throw new Error('The voice returned no audio.');
}
