import { CallError } from './call-error.ts';

/** Plays the agent. */
export interface Speaker {
  isMuted: boolean;
  play(track: MediaStreamTrack): void;
  /** In a click, where the browser refused to play before. */
  resume(): Promise<void>;
  /** Rejects with a CallError. */
  setDevice(deviceId: string): Promise<void>;
  /** Plays nothing any more; may play again. */
  stop(): void;
}

/** By an audio element of its own, which is in no document. `onBlocked`: the browser refuses to play before the user acts. */
export function createSpeaker(onBlocked: () => void): Speaker {
  const element = new Audio();
  element.autoplay = true;
  const play = async (): Promise<void> => {
    try {
      await element.play();
    } catch (thrown) {
      // AbortError: stopped, or another track came, meanwhile.
      if (thrown instanceof Error && thrown.name === 'NotAllowedError') onBlocked();
    }
  };
  return {
    get isMuted() {
      return element.muted;
    },
    set isMuted(isMuted) {
      element.muted = isMuted;
    },
    play: (track) => {
      element.srcObject = new MediaStream([track]);
      void play();
    },
    resume: play,
    setDevice: async (deviceId) => {
      // Not every browser has it, whatever its types say.
      const { setSinkId } = element as Partial<HTMLAudioElement>;
      if (!setSinkId) throw new CallError('speaker_failed', 'this browser cannot select a loudspeaker');
      try {
        await setSinkId.call(element, deviceId);
      } catch (thrown) {
        throw new CallError('speaker_failed', 'this loudspeaker cannot be used', thrown);
      }
    },
    stop: () => {
      element.pause();
      element.srcObject = null;
    },
  };
}
