import { LiveVoice } from '../playout/live-voice.ts';
import type { AudioTap } from '../playout/playout.ts';
import type { AgentSide } from './agent-side.ts';
import type { CallContext } from './call-context.ts';
import { SupervisorSpeech, type SupervisorSpeechOptions } from './supervisor-speech.ts';

export interface TakeoverOptions extends Pick<SupervisorSpeechOptions, 'onSpeechStarted'> {
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

/** A person's voice in place of the agent's: played to the user, and transcribed as messages of the agent. */
export class Takeover {
  readonly #voice: LiveVoice;
  readonly #speech: SupervisorSpeech;
  #finishing = false;

  constructor(options: TakeoverOptions) {
    const { context, agent, sampleRateHz, onFrame, onSpeechStarted, onSpeechError } = options;
    const { pacer, clock } = context.services;
    this.#voice = new LiveVoice({
      inputRateHz: sampleRateHz,
      output: agent.output,
      pacer,
      clock,
      onFrame,
      onFatalError: context.fail,
    });
    this.#speech = new SupervisorSpeech({
      context,
      stage: agent.stage,
      sampleRateHz,
      onWords: (text, startedAtMs) => {
        agent.conversation.addSupervisorMessage(text, startedAtMs);
        options.onWords?.(text);
      },
      ...(onSpeechStarted && { onSpeechStarted }),
      onError: onSpeechError,
    });
  }

  /** Ignored once `finish` was called. `isAudible`: whether the user hears it. Takes ownership of the array. */
  push(samples: Int16Array, isAudible = true): void {
    if (this.#finishing) return;
    if (isAudible) this.#voice.push(samples);
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
