export type Outgoing = string | Uint8Array;

interface Queued<T extends Outgoing> {
  order: number;
  bytes: number;
  data: T;
}

/**
 * Queued messages (text) and audio (bytes) in order. Bounded in bytes: when full, the oldest audio is dropped, or the
 * oldest messages if there is none. Audio can have its own lower limit.
 */
export class SendQueue {
  readonly #maxBytes: number;
  readonly #maxAudioBytes: number;
  readonly #messages: Queued<string>[] = [];
  readonly #audio: Queued<Uint8Array>[] = [];
  #bytes = 0;
  #audioBytes = 0;
  #order = 0;
  #droppedMessages = 0;
  #droppedAudioBytes = 0;

  constructor(maxBytes: number, maxAudioBytes = maxBytes) {
    this.#maxBytes = maxBytes;
    this.#maxAudioBytes = maxAudioBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  pushMessage(text: string): void {
    this.#messages.push(this.#counted(text, Buffer.byteLength(text)));
    this.#makeRoom();
  }

  pushAudio(frame: Uint8Array): void {
    this.#audio.push(this.#counted(frame, frame.byteLength));
    this.#audioBytes += frame.byteLength;
    this.#makeRoom();
  }

  /** The oldest item; undefined if the queue is empty. */
  shift(): Outgoing | undefined {
    const [message] = this.#messages;
    const [frame] = this.#audio;
    const isMessageNext = message && (!frame || message.order < frame.order);
    const next = isMessageNext ? this.#messages.shift() : this.#audio.shift();
    this.#bytes -= next?.bytes ?? 0;
    if (!isMessageNext) this.#audioBytes -= next?.bytes ?? 0;
    return next?.data;
  }

  /** Discards queued audio, which is useless later. It does not count as dropped. */
  clearAudio(): void {
    this.#audio.length = 0;
    this.#bytes -= this.#audioBytes;
    this.#audioBytes = 0;
  }

  /** Returns what was dropped since the last call; null if nothing was. */
  takeDropped(): { messages: number; audioBytes: number } | null {
    const dropped = { messages: this.#droppedMessages, audioBytes: this.#droppedAudioBytes };
    this.#droppedMessages = 0;
    this.#droppedAudioBytes = 0;
    return dropped.messages + dropped.audioBytes > 0 ? dropped : null;
  }

  #counted<T extends Outgoing>(data: T, bytes: number): Queued<T> {
    this.#bytes += bytes;
    this.#order += 1;
    return { order: this.#order, bytes, data };
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes || this.#audioBytes > this.#maxAudioBytes) {
      const frame = this.#audio.shift();
      const dropped = frame ?? this.#messages.shift();
      if (!dropped) return;
      this.#bytes -= dropped.bytes;
      if (frame) {
        this.#audioBytes -= frame.bytes;
        this.#droppedAudioBytes += frame.bytes;
      } else this.#droppedMessages += 1;
    }
  }
}
