import { CallError } from '../call-error.ts';

/** Plays the agent's audio. */
export interface Speaker {
  isMuted: boolean;
  /** 0 to 1. */
  volume: number;
  play(track: MediaStreamTrack): void;
  /** Call it in a click handler if the browser has blocked audio. */
  resume(): Promise<void>;
  /** Rejects with a CallError. */
  setDevice(deviceId: string): Promise<void>;
  /** Stops playback; `play` may be called again. */
  stop(): void;
}

/**
 * Uses an audio element outside of the document. `onBlocked`: the browser blocks audio until the user interacts with
 * the page.
 */
export function createSpeaker(onBlocked: () => void): Speaker {
  const element = new Audio();
  element.autoplay = true;
  const play = async (): Promise<void> => {
    try {
      await element.play();
    } catch (thrown) {
      // AbortError: stopped or replaced by another track in the meantime.
      if (thrown instanceof Error && thrown.name === 'NotAllowedError') onBlocked();
    }
  };
  // Systems pause the element during a phone call or when headphones are unplugged, and may leave it paused.
  const resumePaused = (): void => {
    if (element.srcObject && element.paused && !document.hidden) void play();
  };
  element.addEventListener('pause', resumePaused);
  return {
    get isMuted() {
      return element.muted;
    },
    set isMuted(isMuted) {
      element.muted = isMuted;
    },
    get volume() {
      return element.volume;
    },
    set volume(volume) {
      element.volume = volume;
    },
    play: (track) => {
      element.srcObject = new MediaStream([track]);
      document.addEventListener('visibilitychange', resumePaused);
      void play();
    },
    resume: play,
    setDevice: async (deviceId) => {
      // Not supported by every browser, unlike its type.
      const { setSinkId } = element as Partial<HTMLAudioElement>;
      if (!setSinkId) throw new CallError('speaker_failed', 'this browser cannot select a loudspeaker');
      try {
        await setSinkId.call(element, deviceId);
      } catch (thrown) {
        throw new CallError('speaker_failed', 'this loudspeaker cannot be used', thrown);
      }
    },
    stop: () => {
      document.removeEventListener('visibilitychange', resumePaused);
      element.pause();
      element.srcObject = null;
    },
  };
}
