import { Levels } from './levels.ts';
import { Microphone } from './microphone.ts';
import type { Speaker } from './speaker.ts';

export interface CallAudioOptions {
  /** Called when audio is played, or a loudspeaker is selected, for the first time. */
  createSpeaker: () => Speaker;
  /** See Microphone. */
  onUnplugged: () => void;
}

/** The audio of both sides. Mute settings carry over to the next call. */
export class CallAudio {
  readonly microphone: Microphone;
  readonly #createSpeaker: () => Speaker;
  readonly #levels = new Levels();
  #speaker: Speaker | null = null;
  #isSpeakerMuted = false;
  #agentTrack: MediaStreamTrack | null = null;

  constructor({ createSpeaker, onUnplugged }: CallAudioOptions) {
    this.microphone = new Microphone(onUnplugged);
    this.#createSpeaker = createSpeaker;
  }

  get agentTrack(): MediaStreamTrack | null {
    return this.#agentTrack;
  }

  get isSpeakerMuted(): boolean {
    return this.#isSpeakerMuted;
  }

  set isSpeakerMuted(isMuted: boolean) {
    this.#isSpeakerMuted = isMuted;
    if (this.#speaker) this.#speaker.isMuted = isMuted;
  }

  get levels(): { microphone: number; agent: number } {
    return {
      microphone: this.#levels.read('microphone', this.microphone.track),
      agent: this.#levels.read('agent', this.#agentTrack),
    };
  }

  /** Replaces the previous track. */
  play(agentTrack: MediaStreamTrack): void {
    this.#agentTrack = agentTrack;
    this.#openSpeaker().play(agentTrack);
  }

  /** Rejects with a CallError. */
  setSpeaker(deviceId: string): Promise<void> {
    return this.#openSpeaker().setDevice(deviceId);
  }

  async resume(): Promise<void> {
    await Promise.all([this.#speaker?.resume(), this.#levels.resume()]);
  }

  /** The call has ended: stops capture, level measurement and playback. */
  stop(): void {
    this.#agentTrack = null;
    this.microphone.close();
    this.#levels.close();
    this.#speaker?.stop();
  }

  #openSpeaker(): Speaker {
    this.#speaker ??= this.#createSpeaker();
    this.#speaker.isMuted = this.#isSpeakerMuted;
    return this.#speaker;
  }
}
