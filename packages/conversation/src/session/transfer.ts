import { withTimeout, type Clock } from '@calls/foundation/clock';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { CallEvents } from './call-events.ts';

/** Longer than the transport waits for the target to answer. */
const TRANSFER_LIMIT_MS = 90_000;

export interface TransferDeps {
  transport: Pick<MediaTransport, 'transfer'>;
  clock: Clock;
  callEvents: Pick<CallEvents, 'add'>;
}

/** Transfers the user while the call continues, if the medium supports it. */
export class Transfers {
  readonly #deps: TransferDeps;
  #latest: { target: string; succeeded: Promise<boolean> } | null = null;

  constructor(deps: TransferDeps) {
    this.#deps = deps;
  }

  /** Null if the medium does not support transfers, or if the provider transfers the call after its end. */
  get transfer(): ((target: string) => Promise<boolean>) | null {
    return this.#deps.transport.transfer ? (target) => this.#transferTo(target) : null;
  }

  /**
   * The target of the latest transfer if it succeeded, else null. Waits for a pending transfer, because a peer may hang
   * up before the transfer is confirmed.
   */
  async target(): Promise<string | null> {
    return (await this.#latest?.succeeded) === true ? (this.#latest?.target ?? null) : null;
  }

  #transferTo(target: string): Promise<boolean> {
    const succeeded = this.#succeeds(target);
    this.#latest = { target, succeeded };
    return succeeded;
  }

  async #succeeds(target: string): Promise<boolean> {
    const { transport, clock, callEvents } = this.#deps;
    const asked = transport.transfer?.(target) ?? Promise.resolve(false);
    if (await withTimeout(clock, asked, TRANSFER_LIMIT_MS, 'transfer').catch(() => false)) return true;
    const text = `The transfer to ${target} was refused or not answered.`;
    callEvents.add('warning', 'transfer_refused', text, null);
    return false;
  }
}
