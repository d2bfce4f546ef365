import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { listen } from '@calls/foundation/listen';

export interface CollectedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the root span of a trace. */
  parentSpanId: string;
  name: string;
  kind: number;
  durationMs: number;
  attributes: Record<string, string | number | boolean>;
  failed: boolean;
}

export interface SpanCollector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Raw request bodies, to search for data that must not be exported. */
  readonly bodies: readonly Buffer[];
  /** Sets the status of all following responses. */
  answerWith(status: number): void;
}

/** Starts an OpenTelemetry collector: receives traces by OTLP over HTTP in protobuf on a free port. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    void buffer(request).then((sent) => {
      const ours =
        request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      if (ours && status === 200) {
        const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
        bodies.push(body);
        spans.push(...spansOf(body));
      }
      response.writeHead(ours ? status : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  const port = await listen(server, { port: 0, variable: 'none' });
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    answerWith: (next) => {
      status = next;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Fields of a protobuf message by number: length-delimited values as bytes, all others as numbers. */
type Fields = Map<number, (Buffer | bigint)[]>;

function fieldsOf(message: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length: number): Buffer => message.subarray(at, (at += length));
  while (at < message.length) {
    const tag = Number(varint());
    const wireType = tag & 7;
    if (wireType !== 0 && wireType !== 1 && wireType !== 2 && wireType !== 5)
      throw new Error(`invalid protobuf wire type: ${wireType}`);
    const value =
      wireType === 0
        ? varint()
        : wireType === 1
          ? bytes(8).readBigUInt64LE()
          : wireType === 5
            ? BigInt(bytes(4).readUInt32LE())
            : bytes(Number(varint()));
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

function messages(fields: Fields, number: number): Buffer[] {
  return (fields.get(number) ?? []).filter((value) => typeof value !== 'bigint');
}

function only(fields: Fields, number: number): Buffer {
  return messages(fields, number)[0] ?? Buffer.alloc(0);
}

function integer(fields: Fields, number: number): bigint {
  const [value] = fields.get(number) ?? [];
  return typeof value === 'bigint' ? value : 0n;
}

function spansOf(request: Buffer): CollectedSpan[] {
  return messages(fieldsOf(request), 1).flatMap((resourceSpans) => {
    const ofResource = fieldsOf(resourceSpans);
    const resource = attributesOf(fieldsOf(only(ofResource, 1)), 1);
    return messages(ofResource, 2)
      .flatMap((scopeSpans) => messages(fieldsOf(scopeSpans), 2))
      .map((span) => {
        const fields = fieldsOf(span);
        return {
          service: String(resource['service.name']),
          traceId: only(fields, 1).toString('hex'),
          spanId: only(fields, 2).toString('hex'),
          parentSpanId: only(fields, 4).toString('hex'),
          name: only(fields, 5).toString(),
          kind: Number(integer(fields, 6)),
          durationMs: Number(integer(fields, 8) - integer(fields, 7)) / 1e6,
          attributes: attributesOf(fields, 9),
          failed: integer(fieldsOf(only(fields, 15)), 3) === 2n,
        };
      });
  });
}

function attributesOf(owner: Fields, number: number): CollectedSpan['attributes'] {
  return Object.fromEntries(
    messages(owner, number).map((attribute) => {
      const fields = fieldsOf(attribute);
      const value = fieldsOf(only(fields, 2));
      const plain = value.has(1)
        ? only(value, 1).toString()
        : value.has(2)
          ? integer(value, 2) === 1n
          : value.has(3)
            ? Number(integer(value, 3))
            : only(value, 4).readDoubleLE();
      return [only(fields, 1).toString(), plain];
    }),
  );
}
