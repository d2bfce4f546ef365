import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** From this size on JSON is compressed: a call may carry a megabyte of text, a message may not. */
const COMPRESS_FROM_BYTES = 64 * 1024;
/** Largest JSON that is unpacked. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;
/** The first byte of what gzip makes (RFC 1952 section 2.3.1); no JSON begins with it. */
const GZIP_ID = 0x1f;

/** As JSON in UTF-8, compressed where it is large: away from the thread that carries audio. */
export async function packJson(value: unknown): Promise<Uint8Array> {
  const json = Buffer.from(JSON.stringify(value));
  return json.byteLength < COMPRESS_FROM_BYTES ? json : compress(json, { level: 3 });
}

export function isCompressed(data: Uint8Array): boolean {
  return data[0] === GZIP_ID;
}

/** The JSON. Throws where it unpacks to more than is allowed. */
export async function unpackJson(data: Uint8Array): Promise<string> {
  const json = isCompressed(data) ? await decompress(data, { maxOutputLength: MAX_JSON_BYTES }) : data;
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8');
}
