import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Larger JSON is compressed, because a call may contain a megabyte of text. */
const COMPRESS_FROM_BYTES = 64 * 1024;
/** Maximum size of decompressed JSON. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;
/** The first byte of gzip data (RFC 1952, section 2.3.1), which no JSON starts with. */
const GZIP_ID = 0x1f;

/** Encodes JSON as UTF-8 and compresses large values, asynchronously, because audio runs on this thread. */
export async function packJson(value: unknown): Promise<Uint8Array> {
  const json = Buffer.from(JSON.stringify(value));
  return json.byteLength < COMPRESS_FROM_BYTES ? json : compress(json, { level: 3 });
}

export function isCompressed(data: Uint8Array): boolean {
  return data[0] === GZIP_ID;
}

/** Decodes JSON. Throws if the decompressed size exceeds the limit. */
export async function unpackJson(data: Uint8Array): Promise<string> {
  const json = isCompressed(data) ? await decompress(data, { maxOutputLength: MAX_JSON_BYTES }) : data;
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8');
}
