/** The part of the Protocol Buffers wire format that ONNX files need: https://protobuf.dev/programming-guides/encoding */

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

const utf8 = new TextDecoder();

/** The fields of one encoded message. Views, not copies. Throws a RangeError if the message is malformed. */
export class MessageReader {
  readonly #numbers = new Map<number, number[]>();
  readonly #payloads = new Map<number, Uint8Array[]>();

  constructor(bytes: Uint8Array) {
    let position = 0;
    const varint = (): number => {
      for (let value = 0, factor = 1; position < bytes.length; factor *= 128) {
        const byte = bytes[position++] ?? 0;
        value += (byte & 127) * factor;
        if (byte < 128) return value;
      }
      throw new RangeError('a Protocol Buffers message ends within a number');
    };
    const payload = (length: number): Uint8Array => {
      if (position + length > bytes.length)
        throw new RangeError('a Protocol Buffers field is longer than its message');
      position += length;
      return bytes.subarray(position - length, position);
    };
    while (position < bytes.length) {
      const key = varint();
      const field = Math.floor(key / 8);
      const wireType = key % 8;
      if (wireType === VARINT) append(this.#numbers, field, varint());
      else if (wireType === LENGTH_DELIMITED) append(this.#payloads, field, payload(varint()));
      else if (wireType === FIXED_64) payload(8);
      else if (wireType === FIXED_32) payload(4);
      else throw new RangeError(`unknown Protocol Buffers wire type ${wireType}`);
    }
  }

  /** The values of a repeated varint field that is not packed. */
  numbers(field: number): readonly number[] {
    return this.#numbers.get(field) ?? [];
  }

  payloads(field: number): readonly Uint8Array[] {
    return this.#payloads.get(field) ?? [];
  }

  messages(field: number): MessageReader[] {
    return this.payloads(field).map((bytes) => new MessageReader(bytes));
  }

  /** Empty if the field is absent. */
  text(field: number): string {
    return utf8.decode(this.payloads(field)[0]);
  }
}

function append<T>(fields: Map<number, T[]>, field: number, value: T): void {
  const values = fields.get(field);
  if (values) values.push(value);
  else fields.set(field, [value]);
}

/** A number is a varint; an array is a repeated field. */
type FieldValue = number | string | Uint8Array | readonly (number | string | Uint8Array)[];

/** Encodes a message from its values by field number. */
export function encodeMessage(fields: Readonly<Record<number, FieldValue>>): Uint8Array {
  const chunks = Object.entries(fields).flatMap(([field, value]) =>
    (typeof value === 'object' && !(value instanceof Uint8Array) ? value : [value]).flatMap((item) => {
      const key = Number(field) * 8;
      if (typeof item === 'number') return [encodeVarint(key + VARINT), encodeVarint(item)];
      const payload = typeof item === 'string' ? Buffer.from(item) : item;
      return [encodeVarint(key + LENGTH_DELIMITED), encodeVarint(payload.length), payload];
    }),
  );
  return Buffer.concat(chunks);
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return Uint8Array.of(...bytes, value);
}
