/**
 * Messages between the main thread and a media thread: many records in one transferred buffer, because a message per
 * frame would cost more than the frame itself. Record layout: stream (uint32), operation (uint16), payload length
 * (uint16), number (float64), payload padded to 8 bytes.
 */
export interface BatchRecord {
  stream: number;
  operation: number;
  /** Meaning depends on the operation. */
  number: number;
  payload: Uint8Array;
}

const HEADER_BYTES = 16;
const ALIGNMENT = 8;
const FIRST_CAPACITY = 4096;
const NOTHING = new Uint8Array(0);
/** Maximum payload of a record; more than 120 ms of stereo audio at 48 kHz. */
const MAX_PAYLOAD_BYTES = 0xffff;

/** Collects records. */
export class RecordWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Copies `payload`. Throws a RangeError if it is too long. */
  write(stream: number, operation: number, number: number, payload: ArrayBufferView = NOTHING): void {
    const { byteLength } = payload;
    if (byteLength > MAX_PAYLOAD_BYTES) throw new RangeError(`a record of ${byteLength} bytes is too long`);
    this.#reserve(HEADER_BYTES + byteLength + ALIGNMENT);
    const start = this.#length;
    this.#view.setUint32(start, stream, true);
    this.#view.setUint16(start + 4, operation, true);
    this.#view.setUint16(start + 6, byteLength, true);
    this.#view.setFloat64(start + 8, number, true);
    this.#bytes.set(new Uint8Array(payload.buffer, payload.byteOffset, byteLength), start + HEADER_BYTES);
    this.#length = aligned(start + HEADER_BYTES + byteLength);
  }

  /** Returns the records since the last call, to be transferred. */
  take(): ArrayBuffer {
    const taken = this.#bytes.buffer.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** Iterates over the records of a batch with one reused object. Payloads are views of the batch. */
export function* readRecords(batch: ArrayBuffer): Generator<BatchRecord> {
  const view = new DataView(batch);
  const record: BatchRecord = { stream: 0, operation: 0, number: 0, payload: NOTHING };
  for (let start = 0; start < batch.byteLength;) {
    const length = view.getUint16(start + 6, true);
    record.stream = view.getUint32(start, true);
    record.operation = view.getUint16(start + 4, true);
    record.number = view.getFloat64(start + 8, true);
    record.payload = new Uint8Array(batch, start + HEADER_BYTES, length);
    yield record;
    start = aligned(start + HEADER_BYTES + length);
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
