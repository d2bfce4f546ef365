import { useSyncExternalStore } from 'react';

/** The position and state of a call's replay. Even a call without a recording has a position. */
export class Playback {
  #durationMs = 0;
  #audio: HTMLAudioElement | null = null;
  #positionMs = 0;
  #isPlaying = false;
  #rate = 1;
  readonly #listeners = new Set<() => void>();

  get positionMs(): number {
    return this.#positionMs;
  }
  get isPlaying(): boolean {
    return this.#isPlaying;
  }
  get rate(): number {
    return this.#rate;
  }

  /** The position never exceeds it. */
  setDuration(ms: number): void {
    this.#durationMs = ms;
  }

  /** Uses `audio` for playback until the returned function is called. */
  attach(audio: HTMLAudioElement): () => void {
    this.#audio = audio;
    let frame = 0;
    const follow = (): void => {
      this.#moved(audio.currentTime * 1000);
      if (!audio.paused) frame = requestAnimationFrame(follow);
    };
    const changed = (): void => {
      this.#isPlaying = !audio.paused && !audio.ended;
      cancelAnimationFrame(frame);
      follow();
    };
    const events = ['play', 'pause', 'ended', 'seeked'] as const;
    for (const event of events) audio.addEventListener(event, changed);
    return () => {
      for (const event of events) audio.removeEventListener(event, changed);
      cancelAnimationFrame(frame);
      audio.pause();
      this.#audio = null;
    };
  }

  seek(toMs: number): void {
    const atMs = Math.min(Math.max(0, toMs), this.#durationMs);
    if (this.#audio) this.#audio.currentTime = atMs / 1000;
    this.#moved(atMs);
  }

  toggle(): void {
    if (!this.#audio) return;
    if (!this.#audio.paused) this.#audio.pause();
    else this.play();
  }

  play(): void {
    // If the browser blocks it, the player shows that it is paused.
    void this.#audio?.play().catch(() => undefined);
  }

  /** Playback speed; preserves pitch. */
  setRate(rate: number): void {
    this.#rate = rate;
    if (this.#audio) this.#audio.playbackRate = rate;
    this.#notify();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #moved(toMs: number): void {
    this.#positionMs = toMs;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Renders again only when the selected playback state changes. */
export function usePlayback<T>(playback: Playback, read: (playback: Playback) => T): T {
  return useSyncExternalStore(playback.subscribe, () => read(playback));
}
