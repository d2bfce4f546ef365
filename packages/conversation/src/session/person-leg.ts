import { toError } from '@calls/foundation/errors';
import { ClipPlayer } from '../playout/clip-player.ts';
import { OutputMixer, type LiveVoice } from '../playout/output-mixer.ts';
import type { MediaTransport, TransportEvent } from '../ports/media-transport.ts';
import type { ConversationServices } from './services.ts';

export interface PersonLegListener {
  onKey: (digit: string) => void;
  /** Audio at `inputRateHz`. The array belongs to the receiver. */
  onAudio: (samples: Int16Array) => void;
  /** Called last, when the person has hung up or the connection is lost. */
  onLeft: () => void;
}

export interface PersonLegOptions {
  transport: MediaTransport;
  services: Pick<ConversationServices, 'pacer' | 'clock'>;
  listener: PersonLegListener;
  onFatalError: (error: Error) => void;
}

/** Capacity for the agent's audio, which is sent to the user at most this far ahead of playback. */
const AGENT_AHEAD_MS = 1000;

/** The connection to the person that a user is transferred to. */
export class PersonLeg {
  readonly #options: PersonLegOptions;
  readonly #output: OutputMixer;
  #speech: ClipPlayer | null = null;
  #userVoice: LiveVoice | null = null;
  #agentVoice: LiveVoice | null = null;
  #closed = false;

  constructor(options: PersonLegOptions) {
    this.#options = options;
    const { transport, services, onFatalError } = options;
    this.#output = new OutputMixer({ output: transport, ...services, onFatalError });
    void this.#read();
  }

  get inputRateHz(): number {
    return this.#options.transport.inputFormat.sampleRateHz;
  }

  get outputRateHz(): number {
    return this.#options.transport.outputFormat.sampleRateHz;
  }

  /** Plays audio at `outputRateHz`. Resolves when it has been played; never resolves if the user is connected first. */
  play(samples: Int16Array): Promise<void> {
    const { services, onFatalError } = this.#options;
    this.#speech = new ClipPlayer({ output: this.#output, ...services, onFrame: null, onFatalError });
    return this.#speech.play(samples);
  }

  /** From now on the person hears the user, and the agent when it speaks. */
  connect(userRateHz: number, agentRateHz: number): void {
    this.#speech?.close();
    this.#userVoice = this.#output.addVoice({ inputRateHz: userRateHz, onFrame: null });
    this.#agentVoice = this.#output.addVoice({
      ...{ inputRateHz: agentRateHz, capacityMs: AGENT_AHEAD_MS, onFrame: null },
    });
  }

  /** The agent's audio as it is sent to the user. Ignored before `connect`. Does not retain it. */
  pushAgentAudio(samples: Int16Array): void {
    this.#agentVoice?.push(samples);
  }

  /** Drops what the agent was about to say, because it was stopped. */
  clearAgentAudio(): void {
    this.#agentVoice?.clear();
  }

  /** The user's audio. Ignored before `connect`. Does not retain it. */
  pushUserAudio(samples: Int16Array): void {
    this.#userVoice?.push(samples);
  }

  /** Hangs up. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#speech?.close();
    this.#output.close();
    await this.#options.transport.close('agent_hangup');
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const { transport, listener, onFatalError } = this.#options;
    try {
      for await (const event of transport.events) {
        if (this.#closed) return;
        this.#take(event);
      }
      listener.onLeft();
    } catch (thrown) {
      onFatalError(toError(thrown));
    }
  }

  #take(event: TransportEvent): void {
    const { listener } = this.#options;
    if (event.type === 'audio') listener.onAudio(event.samples);
    else if (event.type === 'dtmf') listener.onKey(event.digit);
  }
}
