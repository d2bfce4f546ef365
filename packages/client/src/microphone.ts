import { openMicrophone } from './devices.ts';

/** The default one, one by its device id, or a track of the page's own making; false: none. */
export type MicrophoneChoice = boolean | string | MediaStreamTrack;

/** What is sent of the user, and whether it is muted. Muted, silence is sent. */
export class Microphone {
  readonly #onUnplugged: () => void;
  #track: MediaStreamTrack | null = null;
  #isMuted = false;

  /** `onUnplugged`: the device is gone, or the user took the permission away. */
  constructor(onUnplugged: () => void) {
    this.#onUnplugged = onUnplugged;
  }

  get track(): MediaStreamTrack | null {
    return this.#track;
  }

  get isMuted(): boolean {
    return this.#isMuted;
  }

  set isMuted(isMuted: boolean) {
    this.#isMuted = isMuted;
    if (this.#track) this.#track.enabled = !isMuted;
  }

  /** A track that isn't in use yet; a page's own track is copied, and stays the page's. Rejects with a CallError. */
  async acquire(choice: MicrophoneChoice): Promise<MediaStreamTrack | null> {
    if (choice === false) return null;
    const track =
      typeof choice === 'object' ? choice.clone() : await openMicrophone(choice === true ? null : choice);
    track.enabled = !this.#isMuted;
    return track;
  }

  /** Takes it in place of the one before, which is stopped. */
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
