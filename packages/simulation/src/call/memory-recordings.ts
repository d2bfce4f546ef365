import { concatSamples, samplesFromBytes } from '@calls/audio/pcm';
import type { RecordingSink, RecordingStore } from '@calls/conversation/ports/recordings';

/** The recording of one call, in memory. */
export class MemoryRecordings implements RecordingStore {
  readonly #blocks: Int16Array[] = [];

  open(): RecordingSink {
    return {
      write: (pcm) => void this.#blocks.push(samplesFromBytes(pcm)),
      close: () => Promise.resolve(null),
      suspend: () => Promise.resolve(),
    };
  }

  resume(): RecordingSink {
    return this.open();
  }

  finish(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Interleaved: the caller left, the agent right. */
  samples(): Int16Array {
    return concatSamples(this.#blocks);
  }
}
