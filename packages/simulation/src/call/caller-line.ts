import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { AudioFormat, CloseReason, MediaTransport } from '@calls/conversation/ports/media-transport';
import { TransportEvents } from '@calls/conversation/ports/transport-events';
import { LINE_RATE_HZ } from './spoken-words.ts';

export interface CallerLineOptions {
  /** Phones have keys, and can be transferred. */
  isPhone: boolean;
  /** Sample rate of the agent's audio. */
  outputRateHz: number;
  onMessage: (message: ServerMessage) => void;
}

/** The line between a simulated caller and the call. */
export class CallerLine implements MediaTransport {
  readonly inputFormat = { sampleRateHz: LINE_RATE_HZ };
  readonly outputFormat: AudioFormat;
  readonly outputLeadMs = 60;
  readonly events = new TransportEvents();
  readonly transfer?: (target: string) => Promise<boolean>;
  readonly sendDigits?: (digits: string) => boolean;
  /** Where the agent has transferred the caller; null if it has not. */
  transferredTo: string | null = null;
  /** Keys that the agent has pressed. */
  pressedByAgent = '';
  readonly #options: CallerLineOptions;
  #closed = false;

  constructor(options: CallerLineOptions) {
    this.#options = options;
    this.outputFormat = { sampleRateHz: options.outputRateHz };
    if (!options.isPhone) return;
    this.transfer = (target) => {
      this.transferredTo = target;
      return Promise.resolve(true);
    };
    this.sendDigits = (digits) => {
      this.pressedByAgent += digits;
      return true;
    };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  write(): void {
    // The caller follows the transcript; the recording has the audio.
  }

  clear(): void {
    // Nothing is buffered.
  }

  send(message: ServerMessage): void {
    if (!this.#closed) this.#options.onMessage(message);
  }

  probe(): void {
    // A simulated line does not break.
  }

  /** Sends audio of the caller. */
  speak(samples: Int16Array): void {
    this.events.push({ type: 'audio', samples });
  }

  press(digit: string): void {
    this.events.push({ type: 'dtmf', digit });
  }

  sendMessage(message: ClientMessage): void {
    this.events.push({ type: 'data', message });
  }

  hangUp(): void {
    this.#end();
  }

  close(_reason: CloseReason): Promise<void> {
    this.#end();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close('system_error');
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.events.push({ type: 'closed', reason: 'hangup', detail: 'the simulated caller hung up' });
    this.events.close();
  }
}
