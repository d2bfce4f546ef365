import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { ConversationServices } from '@calls/conversation/session/services';
import type { VirtualClock } from '@calls/foundation/virtual-clock';
import type { RealTimeWork } from './real-time-work.ts';
import {
  LINE_RATE_HZ,
  SILENCE,
  AGENT_RATE_HZ,
  textModeVoice,
  SpokenWords,
  wordActivity,
} from './spoken-words.ts';

/** How a caller and a call exchange speech. */
export interface SimulatedMode {
  name: 'text' | 'voice';
  /** Whether the call has audio worth recording. */
  isRecorded: boolean;
  /** Sample rate of the agent's audio. */
  outputRateHz: number;
  /** The caller's audio is sent in pieces of at least this duration. */
  packetMs: number;
  open(options: {
    clock: VirtualClock;
    work: RealTimeWork;
    caller: TestScenario['caller'];
  }): Promise<CallMedia>;
}

/** The audio of one call. */
export interface CallMedia {
  engines: Pick<ConversationServices, 'voiceActivity' | 'speechToText' | 'textToSpeech'>;
  /** Queues what the caller says next. */
  say(line: string): Promise<void>;
  /** Whether something is left to say. */
  readonly isSpeaking: boolean;
  /** The next audio of the caller. */
  microphone(ms: number): Int16Array;
}

/** Typical times of engines on a server. */
export const DELAYS_MS = { speechToText: 120, textToSpeech: 120 };
const SAMPLES_PER_MS = LINE_RATE_HZ / 1000;

/** Speech-to-text returns the caller's exact words; the agent's speech is silence of the same length. */
export const textMode: SimulatedMode = {
  name: 'text',
  isRecorded: false,
  outputRateHz: AGENT_RATE_HZ,
  packetMs: 0,
  open({ clock }) {
    const words = new SpokenWords();
    const queue = new AudioQueue();
    return Promise.resolve({
      engines: {
        voiceActivity: wordActivity,
        speechToText: words.speechToText(clock, DELAYS_MS.speechToText),
        textToSpeech: textModeVoice(clock, DELAYS_MS.textToSpeech),
      },
      say: (line) => {
        for (const word of words.speak(line)) queue.push(word);
        return Promise.resolve();
      },
      get isSpeaking() {
        return !queue.isEmpty;
      },
      microphone: (ms) => queue.read(Math.round(ms * SAMPLES_PER_MS)),
    });
  },
};

/** Audio to be sent, followed by silence. */
export class AudioQueue {
  #pieces: Int16Array[] = [];

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  push(samples: Int16Array): void {
    if (samples.length > 0) this.#pieces.push(samples);
  }

  read(count: number): Int16Array {
    if (this.isEmpty && count <= SILENCE.length) return SILENCE.subarray(0, count);
    const read = new Int16Array(count);
    for (let at = 0; at < count;) {
      const piece = this.#pieces[0];
      if (!piece) break;
      const taken = piece.subarray(0, count - at);
      read.set(taken, at);
      at += taken.length;
      if (taken.length < piece.length) this.#pieces[0] = piece.subarray(taken.length);
      else this.#pieces.shift();
    }
    return read;
  }
}
