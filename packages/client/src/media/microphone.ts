import { CallError } from '../call-error.ts';
import { openMicrophone } from './devices.ts';

/** The default microphone, a device id, or a track of the page; false for none. */
export type MicrophoneChoice = boolean | string | MediaStreamTrack;

/** The user's audio and its mute setting. Silence is sent while muted. */
export class Microphone {
  readonly #onUnplugged: () => void;
  readonly #onVisibility = (): void => {
    if (document.hidden || !this.#track?.muted || !isTouchDevice()) return;
    // Safari ends a second track of the device if the first one is still open.
    this.#track.stop();
    this.#onUnplugged();
  };
  #track: MediaStreamTrack | null = null;
  /** The last acquired track. It may be sent before it is used. */
  #acquired: MediaStreamTrack | null = null;
  #isMuted = false;

  /**
   * `onUnplugged`: the device was disconnected, the user withdrew the permission, or a phone call took the device and iOS
   * did not return it.
   */
  constructor(onUnplugged: () => void) {
    this.#onUnplugged = onUnplugged;
  }

  /** Null without a microphone, or after it was disconnected: an ended track cannot be sent. */
  get track(): MediaStreamTrack | null {
    return this.#track?.readyState === 'live' ? this.#track : null;
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  set isMuted(isMuted: boolean) {
    this.#isMuted = isMuted;
    for (const track of [this.#track, this.#acquired]) if (track) track.enabled = !isMuted;
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
    this.#acquired = track;
    return track;
  }

  /** Replaces the previous track, which is stopped. */
  use(track: MediaStreamTrack | null): void {
    this.#stop();
    this.#track = track;
    if (!track) return;
    track.enabled = !this.#isMuted;
    track.addEventListener('ended', this.#onUnplugged);
    if ('document' in globalThis) document.addEventListener('visibilitychange', this.#onVisibility);
  }

  close(): void {
    this.#stop();
    this.#track = null;
    this.#acquired = null;
  }

  #stop(): void {
    this.#track?.removeEventListener('ended', this.#onUnplugged);
    if ('document' in globalThis) document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#track?.stop();
  }
}

/** On other devices only the user mutes tracks, in the browser or with a switch of the device. */
function isTouchDevice(): boolean {
  return navigator.maxTouchPoints > 1;
}
