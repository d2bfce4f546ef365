import { CallError } from './call-error.ts';
import { openMicrophone } from './devices.ts';

/** The default microphone, a device id, or a track of the page; false for none. */
export type MicrophoneChoice = boolean | string | MediaStreamTrack;

/** The user's audio and its mute setting. Silence is sent while muted. */
export class Microphone {
  readonly #onUnplugged: () => void;
  #track: MediaStreamTrack | null = null;
  #isMuted = false;

  /** `onUnplugged`: the device was disconnected, or the user withdrew the permission. */
  constructor(onUnplugged: () => void) {
    this.#onUnplugged = onUnplugged;
  }

  /** Null also after the device was disconnected: an ended track cannot be sent. */
  get track(): MediaStreamTrack | null {
    return this.#track?.readyState === 'live' ? this.#track : null;
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  set isMuted(isMuted: boolean) {
    this.#isMuted = isMuted;
    if (this.#track) this.#track.enabled = !isMuted;
  }

  /**
   * Acquires a track without using it yet. A track of the page is cloned and remains the page's. Rejects with a
   * CallError.
   */
  async acquire(choice: MicrophoneChoice): Promise<MediaStreamTrack | null> {
    if (choice === false) return null;
    const track =
      typeof choice === 'object' ? choice.clone() : await openMicrophone(choice === true ? null : choice);
    if (track.readyState === 'ended')
      throw new CallError('microphone_failed', 'the track of the microphone has ended');
    track.enabled = !this.#isMuted;
    return track;
  }

  /** Replaces the previous track, which is stopped. */
  use(track: MediaStreamTrack | null): void {
    this.#stop();
    this.#track = track;
    if (!track) return;
    track.enabled = !this.#isMuted;
    track.addEventListener('ended', this.#onUnplugged);
  }

  close(): void {
    this.#stop();
    this.#track = null;
  }

  #stop(): void {
    this.#track?.removeEventListener('ended', this.#onUnplugged);
    this.#track?.stop();
  }
}
