import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

/** The file descriptor of mediasoup's channel in the worker process. It depends on the mediasoup version. */
const CHANNEL_FD = 3;

/**
 * Combines all messages of one turn of the event loop to a mediasoup worker into one write. A write per packet would
 * cost several times more than handling the packet.
 */
export class ChannelBatch {
  readonly #channel: Writable | null;
  #isGathering = false;

  constructor(channel: Writable | null) {
    this.#channel = channel;
  }

  /** Call it before each message. */
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
 * Finds the channel to the worker process that `spawn` starts, because mediasoup does not expose it. Uses Node's
 * diagnostics channel `child_process`. Without such a channel, messages are not combined.
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
