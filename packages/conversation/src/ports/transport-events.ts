import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { TransportEvent, TransportEventStream } from './media-transport.ts';

const CAPACITY = 4096;

/** The events of a transport. If the receiver does not keep up, the oldest are dropped. */
export class TransportEvents extends BoundedQueue<TransportEvent> implements TransportEventStream {
  #takeAudio: ((samples: Int16Array) => void) | null = null;

  constructor() {
    super(CAPACITY, 'drop-oldest');
  }

  takeAudio(take: (samples: Int16Array) => void): void {
    this.#takeAudio = take;
  }

  override push(event: TransportEvent): boolean {
    if (event.type !== 'audio' || !this.#takeAudio || !this.isIdle) return super.push(event);
    this.#takeAudio(event.samples);
    return true;
  }
}
