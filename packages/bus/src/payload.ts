import { currentTraceparent, parseTraceparent, type TraceContext } from '@calls/foundation/trace-context';
import { headers, type MsgHdrs, type NatsConnection } from 'nats';
import { MessageTooLargeError } from './bus-error.ts';
import { isCompressed, packJson, unpackJson } from './packed-json.ts';

const ENCODING_HEADER = 'Content-Encoding';
const TRACE_HEADER = 'traceparent';

export interface EncodedPayload {
  data: Uint8Array;
  headers: MsgHdrs;
}

/** Adds the current trace to the headers. */
export async function encodePayload(value: unknown): Promise<EncodedPayload> {
  const data = await packJson(value);
  const messageHeaders = headers();
  const trace = currentTraceparent();
  if (trace !== undefined) messageHeaders.set(TRACE_HEADER, trace);
  if (isCompressed(data)) messageHeaders.set(ENCODING_HEADER, 'gzip');
  return { data, headers: messageHeaders };
}

/** The trace context in the headers of a message. */
export function traceOf(messageHeaders: MsgHdrs | undefined): TraceContext | null {
  return parseTraceparent(messageHeaders?.get(TRACE_HEADER));
}

const HEADER_ROOM_BYTES = 512;

/** As `encodePayload`. Throws a MessageTooLargeError if the message exceeds the server's size limit. */
export async function encodeWithinLimit(
  { info }: NatsConnection,
  operation: string,
  value: unknown,
): Promise<EncodedPayload> {
  const payload = await encodePayload(value);
  const sizeBytes = payload.data.byteLength;
  if (sizeBytes > (info?.max_payload ?? Infinity) - HEADER_ROOM_BYTES)
    throw new MessageTooLargeError(operation, sizeBytes);
  return payload;
}

/** Throws if the data is not JSON, or exceeds the size limit. */
export async function decodePayload(data: Uint8Array): Promise<unknown> {
  return JSON.parse(await unpackJson(data));
}
