import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { currentTraceparent, parseTraceparent, type TraceContext } from '@calls/foundation';
import { headers, type MsgHdrs, type NatsConnection } from 'nats';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** From this size on JSON is sent compressed: a call may carry a megabyte of text, a message may not. */
const COMPRESS_FROM_BYTES = 64 * 1024;
/** Largest JSON that is unpacked. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

const ENCODING_HEADER = 'Content-Encoding';
const TRACE_HEADER = 'traceparent';

export interface EncodedPayload {
  data: Uint8Array;
  headers: MsgHdrs;
}

/** With the current trace among its headers. */
export async function encodePayload(value: unknown): Promise<EncodedPayload> {
  const json = Buffer.from(JSON.stringify(value));
  const messageHeaders = headers();
  const trace = currentTraceparent();
  if (trace !== undefined) messageHeaders.set(TRACE_HEADER, trace);
  if (json.byteLength < COMPRESS_FROM_BYTES) return { data: json, headers: messageHeaders };
  messageHeaders.set(ENCODING_HEADER, 'gzip');
  return { data: await compress(json, { level: 3 }), headers: messageHeaders };
}

/** The trace that the message was sent in. */
export function traceOf(messageHeaders: MsgHdrs | undefined): TraceContext | null {
  return parseTraceparent(messageHeaders?.get(TRACE_HEADER));
}

const HEADER_ROOM_BYTES = 512;

/** Whether the server takes a message of this size. */
export function fits(connection: NatsConnection, { data }: EncodedPayload): boolean {
  return data.byteLength <= (connection.info?.max_payload ?? Infinity) - HEADER_ROOM_BYTES;
}

/** Throws where the data isn't JSON, or unpacks to more than is allowed. */
export async function decodePayload(data: Uint8Array, messageHeaders: MsgHdrs | undefined): Promise<unknown> {
  const packed = messageHeaders?.get(ENCODING_HEADER) === 'gzip';
  const json = packed ? await decompress(data, { maxOutputLength: MAX_JSON_BYTES }) : data;
  return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));
}
