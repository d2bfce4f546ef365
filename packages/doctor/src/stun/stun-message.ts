import { createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { crc32 } from 'node:zlib';

/** Message types of STUN (RFC 8489, section 5) and TURN (RFC 8656, section 17), as in the first two bytes. */
export const STUN_TYPES = {
  bindingRequest: 0x0001,
  bindingSuccess: 0x0101,
  allocateRequest: 0x0003,
  allocateSuccess: 0x0103,
  allocateError: 0x0113,
  refreshRequest: 0x0004,
  createPermissionRequest: 0x0008,
  createPermissionSuccess: 0x0108,
  sendIndication: 0x0016,
  dataIndication: 0x0017,
} as const;

/** The used attributes (RFC 8489, section 14; RFC 8656, section 18; RFC 8445, section 16.1). */
export const STUN_ATTRIBUTES = {
  username: 0x0006,
  errorCode: 0x0009,
  lifetime: 0x000d,
  xorPeerAddress: 0x0012,
  data: 0x0013,
  realm: 0x0014,
  nonce: 0x0015,
  xorRelayedAddress: 0x0016,
  requestedTransport: 0x0019,
  xorMappedAddress: 0x0020,
  priority: 0x0024,
  iceControlling: 0x802a,
} as const;

const MESSAGE_INTEGRITY = 0x0008;
const FINGERPRINT = 0x8028;
const MAGIC_COOKIE = 0x2112_a442;
const FINGERPRINT_XOR = 0x5354_554e;
const HEADER_BYTES = 20;

export type StunAttribute = readonly [type: number, value: Buffer];

export interface StunMessage {
  type: number;
  transactionId: Buffer;
  attributes: readonly StunAttribute[];
}

export function newTransactionId(): Buffer {
  return randomBytes(12);
}

/** Adds MESSAGE-INTEGRITY if there is a key, and FINGERPRINT. */
export function writeStun({ type, transactionId, attributes }: StunMessage, key: Buffer | null): Buffer {
  let message: Buffer = Buffer.alloc(HEADER_BYTES);
  message.writeUInt16BE(type, 0);
  message.writeUInt32BE(MAGIC_COOKIE, 4);
  transactionId.copy(message, 8);
  for (const [attribute, value] of attributes) message = withAttribute(message, attribute, value);
  if (key) {
    message.writeUInt16BE(message.byteLength - HEADER_BYTES + 24, 2);
    message = withAttribute(message, MESSAGE_INTEGRITY, createHmac('sha1', key).update(message).digest());
  }
  message.writeUInt16BE(message.byteLength - HEADER_BYTES + 8, 2);
  const fingerprint = Buffer.alloc(4);
  fingerprint.writeUInt32BE((crc32(message) ^ FINGERPRINT_XOR) >>> 0);
  return withAttribute(message, FINGERPRINT, fingerprint);
}

function withAttribute(message: Buffer, type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(value.byteLength, 2);
  const padding = Buffer.alloc((4 - (value.byteLength % 4)) % 4);
  const longer = Buffer.concat([message, head, value, padding]);
  longer.writeUInt16BE(longer.byteLength - HEADER_BYTES, 2);
  return longer;
}

/** Null if it is not a STUN message. */
export function readStun(bytes: Buffer): StunMessage | null {
  if (bytes.byteLength < HEADER_BYTES || bytes.readUInt32BE(4) !== MAGIC_COOKIE) return null;
  if (bytes.readUInt16BE(2) !== bytes.byteLength - HEADER_BYTES) return null;
  const attributes: StunAttribute[] = [];
  for (let at = HEADER_BYTES; at + 4 <= bytes.byteLength;) {
    const end = at + 4 + bytes.readUInt16BE(at + 2);
    if (end > bytes.byteLength) return null;
    attributes.push([bytes.readUInt16BE(at), bytes.subarray(at + 4, end)]);
    at = end + ((4 - (end % 4)) % 4);
  }
  return { type: bytes.readUInt16BE(0), transactionId: bytes.subarray(8, HEADER_BYTES), attributes };
}

/**
 * The complete messages at the start of a stream, and the rest. `headerBytes`: length of the length prefix, 2 (RFC
 * 4571) or 0, in which case the message header has the length. Stops at bytes that are not a message.
 */
export function splitStun(stream: Buffer, headerBytes: 0 | 2): { messages: StunMessage[]; rest: Buffer } {
  const messages: StunMessage[] = [];
  let rest = stream;
  while (rest.byteLength >= HEADER_BYTES + headerBytes) {
    const bytes = headerBytes === 2 ? rest.readUInt16BE(0) : HEADER_BYTES + rest.readUInt16BE(2);
    const message = readStun(rest.subarray(headerBytes, headerBytes + bytes));
    if (!message) break;
    messages.push(message);
    rest = rest.subarray(headerBytes + bytes);
  }
  return { messages, rest };
}

export function attributeOf({ attributes }: StunMessage, type: number): Buffer | null {
  return attributes.find(([each]) => each === type)?.[1] ?? null;
}

/** Decodes an XOR-… address attribute (RFC 8489, section 14.2): `192.0.2.1:3478`. Null if malformed. */
export function xorAddress(value: Buffer, transactionId: Buffer): string | null {
  const length = value[1] === 1 ? 4 : 16;
  if (value.byteLength < 4 + length) return null;
  const mask = Buffer.alloc(16);
  mask.writeUInt32BE(MAGIC_COOKIE);
  transactionId.copy(mask, 4);
  const bytes = [...value.subarray(4, 4 + length)].map((byte, i) => byte ^ (mask[i] ?? 0));
  const port = value.readUInt16BE(2) ^ (MAGIC_COOKIE >>> 16);
  if (length === 4) return `${bytes.join('.')}:${port}`;
  const groups = Array.from(
    { length: 8 },
    (_each, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0),
  );
  const text = groups.map((group) => group.toString(16)).join(':');
  return isIP(text) === 6 ? `[${text}]:${port}` : null;
}

/** Encodes an XOR-… address attribute; IPv4 only. */
export function writeXorAddress(address: string, port: number): Buffer {
  const mask = Buffer.alloc(4);
  mask.writeUInt32BE(MAGIC_COOKIE);
  const value = Buffer.from([
    0,
    1,
    0,
    0,
    ...address.split('.').map((byte, i) => Number(byte) ^ (mask[i] ?? 0)),
  ]);
  value.writeUInt16BE(port ^ (MAGIC_COOKIE >>> 16), 2);
  return value;
}

/** RFC 8489, section 14.8: `401 Unauthorized`. */
export function errorText(value: Buffer): { code: number; text: string } {
  const code = ((value[2] ?? 0) & 7) * 100 + (value[3] ?? 0);
  return { code, text: `${code} ${value.subarray(4).toString('utf8')}`.trim() };
}
