import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

/** The descriptor of its worker at which mediasoup's channel takes messages: mediasoup's own choice, hence its version's. */
const CHANNEL_FD = 3;

/**
 * Gathers what one turn of the event loop sends to a mediasoup worker into one write: a packet each would cost a system call
 * each, several times what there is to do for it.
 */
export class ChannelBatch {
  readonly #channel: Writable | null;
  #isGathering = false;

  constructor(channel: Writable | null) {
    this.#channel = channel;
  }

  /** To be called before each message. */
  gather(): void {
    if (this.#isGathering || !this.#channel) return;
    this.#isGathering = true;
    this.#channel.cork();
    process.nextTick(this.#write);
  }

  readonly #write = (): void => {
    this.#isGathering = false;
    this.#channel?.uncork();
  };
}

/**
 * The channel to the worker process that `spawn` starts before it returns, by the event that Node has for it
 * (diagnostics_channel, `child_process`): mediasoup keeps the process to itself. Without such a channel nothing is gathered.
 */
export function withChannel<T>(spawn: () => T): { spawned: T; batch: ChannelBatch } {
  let child: ChildProcess | null = null;
  const onSpawn = (message: unknown): void => {
    child = (message as { process: ChildProcess }).process;
  };
  subscribe('child_process', onSpawn);
  try {
    const spawned = spawn();
    const channel = (child as ChildProcess | null)?.stdio[CHANNEL_FD];
    return { spawned, batch: new ChannelBatch(channel && 'cork' in channel ? channel : null) };
  } finally {
    unsubscribe('child_process', onSpawn);
  }
}
