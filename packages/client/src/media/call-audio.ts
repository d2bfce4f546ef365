import { Levels, type AudioLevels } from './levels.ts';
import { Microphone } from './microphone.ts';
import type { Speaker } from './speaker.ts';

export interface CallAudioOptions {
  /** Called when audio is played, or a loudspeaker is selected, for the first time. */
  createSpeaker: () => Speaker;
  /** See Microphone. */
  onUnplugged: () => void;
  /** Whether levels are needed: measuring them costs processor time. */
  needsLevels: () => boolean;
  /** Called ten times a second while audio is played, and with silence at the end. */
  onLevels: (levels: AudioLevels) => void;
}

const LEVELS_MS = 100;
const SILENCE: AudioLevels = { microphone: 0, agent: 0 };

/** The audio of both sides. Mute settings and the volume carry over to the next call. */
export class CallAudio {
  readonly microphone: Microphone;
  readonly #options: CallAudioOptions;
  readonly #levels = new Levels();
  #speaker: Speaker | null = null;
  #isSpeakerMuted = false;
  #speakerVolume = 1;
  #agentTrack: MediaStreamTrack | null = null;

  #levelsTimer: ReturnType<typeof setInterval> | undefined;

  constructor(options: CallAudioOptions) {
    this.#options = options;
    this.microphone = new Microphone(options.onUnplugged);
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

  get speakerVolume(): number {
    return this.#speakerVolume;
  }

  set speakerVolume(volume: number) {
    this.#speakerVolume = volume;
    if (this.#speaker) this.#speaker.volume = volume;
  }

  get levels(): AudioLevels {
    return {
      microphone: this.#levels.read('microphone', this.microphone.track),
      agent: this.#levels.read('agent', this.#agentTrack),
    };
  }

  /** Replaces the previous track. */
  play(agentTrack: MediaStreamTrack): void {
    this.#agentTrack = agentTrack;
    this.#openSpeaker().play(agentTrack);
    this.#levelsTimer ??= setInterval(() => {
      if (this.#options.needsLevels()) this.#options.onLevels(this.levels);
    }, LEVELS_MS);
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
    clearInterval(this.#levelsTimer);
    this.#levelsTimer = undefined;
    if (this.#agentTrack) this.#options.onLevels(SILENCE);
    this.#agentTrack = null;
    this.microphone.close();
    this.#levels.close();
    this.#speaker?.stop();
  }

  #openSpeaker(): Speaker {
    this.#speaker ??= this.#options.createSpeaker();
    this.#speaker.isMuted = this.#isSpeakerMuted;
    this.#speaker.volume = this.#speakerVolume;
    return this.#speaker;
  }
}
