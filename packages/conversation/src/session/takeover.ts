import type { LiveVoice } from '../playout/output-mixer.ts';
import type { AudioTap } from '../playout/playout.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallContext } from './call-context.ts';
import { SupervisorSpeech, type SupervisorSpeechOptions } from './supervisor-speech.ts';

export interface TakeoverOptions extends Pick<SupervisorSpeechOptions, 'onInterruption'> {
  context: CallContext;
  agent: AgentSide;
  /** Rate of the person's audio. */
  sampleRateHz: number;
  /** Receives what the user hears of the person. */
  onFrame: AudioTap;
  /** See SupervisorSpeechOptions. */
  onSpeechError: (error: Error) => void;
  /** The person said something. */
  onWords?: (text: string) => void;
}

/** A person's voice: mixed into what the user hears, and transcribed as messages of the agent. */
export class Takeover {
  readonly #voice: LiveVoice;
  readonly #speech: SupervisorSpeech;
  #finishing = false;

  constructor(options: TakeoverOptions) {
    const { context, agent, sampleRateHz, onFrame, onInterruption, onSpeechError } = options;
    this.#voice = agent.output.addVoice({ inputRateHz: sampleRateHz, onFrame });
    this.#speech = new SupervisorSpeech({
      context,
      stage: agent.stage,
      sampleRateHz,
      onWords: (text, startedAtMs) => {
        agent.conversation.addSupervisorMessage(text, startedAtMs);
        options.onWords?.(text);
      },
      ...(onInterruption && { onInterruption }),
      onError: onSpeechError,
    });
  }

  /** Ignored once `finish` was called. Takes ownership of the array. */
  push(samples: Int16Array): void {
    if (this.#finishing) return;
    this.#voice.push(samples);
    this.#speech.push(samples);
  }

  /** Plays what was received, unless the call has ended. Resolves when everything said is in the history. */
  async finish(hasEnded: boolean): Promise<void> {
    this.#finishing = true;
    if (hasEnded) this.#voice.close();
    await this.#speech.finish();
    this.#voice.close();
  }

  /** Idempotent. */
  close(): void {
    this.#voice.close();
    this.#speech.close();
  }
}
