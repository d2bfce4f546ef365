import { createHash } from 'node:crypto';
import { connectStun, type StunConnection, type StunServer } from './stun-connection.ts';
import {
  attributeOf,
  errorText,
  newTransactionId,
  STUN_ATTRIBUTES,
  STUN_TYPES,
  writeStun,
  xorAddress,
  type StunAttribute,
  type StunMessage,
} from './stun-message.ts';

const OVER_UDP: StunAttribute = [STUN_ATTRIBUTES.requestedTransport, Buffer.from([17, 0, 0, 0])];
const UNAUTHORIZED = 401;
const DEFAULT_PORTS = { stun: 3478, turn: 3478, stuns: 5349, turns: 5349 } as const;

/** Of an RFC 7064 or RFC 7065 URL; null where it is none. */
export function readIceUrl(url: string): { server: StunServer; isTurn: boolean } | null {
  const parts = /^(stuns?|turns?):(\[[^\]]+\]|[^/:?]+)(?::(\d{1,5}))?(?:\?transport=(udp|tcp))?$/u.exec(url);
  if (!parts) return null;
  const [, scheme = '', host = '', port, transport] = parts;
  const isSecure = scheme.endsWith('s');
  return {
    isTurn: scheme.startsWith('turn'),
    server: {
      protocol: isSecure ? 'tls' : ((transport as 'udp' | 'tcp' | undefined) ?? 'udp'),
      host: host.replace(/^\[|\]$/gu, ''),
      port: port === undefined ? DEFAULT_PORTS[scheme as keyof typeof DEFAULT_PORTS] : Number(port),
      isFramed: false,
    },
  };
}

/** What the server sees us as. Rejects, saying why. */
export async function askStun(server: StunServer): Promise<string> {
  await using connection = await connectStun(server);
  const transactionId = newTransactionId();
  const request = { type: STUN_TYPES.bindingRequest, transactionId, attributes: [] };
  return addressIn(await connection.ask(writeStun(request, null)), STUN_ATTRIBUTES.xorMappedAddress);
}

/** Allocates a relayed address (RFC 8656 section 7), gives it back, and tells it. Rejects, saying why. */
export async function askTurn(server: StunServer, username: string, credential: string): Promise<string> {
  await using connection = await connectStun(server);
  const first = await ask(connection, STUN_TYPES.allocateRequest, [OVER_UDP], null);
  const realm = attributeOf(first, STUN_ATTRIBUTES.realm);
  const nonce = attributeOf(first, STUN_ATTRIBUTES.nonce);
  if (first.type === STUN_TYPES.allocateSuccess)
    throw new Error('is open to everybody, it asks for no password');
  if (errorOf(first).code !== UNAUTHORIZED || !realm || !nonce) throw new Error(errorOf(first).text);
  const key = createHash('md5').update(`${username}:${realm.toString()}:${credential}`).digest();
  const signed = (...attributes: StunAttribute[]): StunAttribute[] => [
    ...attributes,
    [STUN_ATTRIBUTES.username, Buffer.from(username)],
    [STUN_ATTRIBUTES.realm, realm],
    [STUN_ATTRIBUTES.nonce, nonce],
  ];
  const second = await ask(connection, STUN_TYPES.allocateRequest, signed(OVER_UDP), key);
  if (second.type !== STUN_TYPES.allocateSuccess) throw new Error(errorOf(second).text);
  const relayed = addressIn(second, STUN_ATTRIBUTES.xorRelayedAddress);
  await ask(connection, STUN_TYPES.refreshRequest, signed([STUN_ATTRIBUTES.lifetime, Buffer.alloc(4)]), key);
  return relayed;
}

function ask(
  connection: StunConnection,
  type: number,
  attributes: readonly StunAttribute[],
  key: Buffer | null,
): Promise<StunMessage> {
  return connection.ask(writeStun({ type, transactionId: newTransactionId(), attributes }, key));
}

function addressIn(message: StunMessage, attribute: number): string {
  const value = attributeOf(message, attribute);
  const address = value && xorAddress(value, message.transactionId);
  if (!address) throw new Error('answers without an address');
  return address;
}

function errorOf(message: StunMessage): { code: number; text: string } {
  const value = attributeOf(message, STUN_ATTRIBUTES.errorCode);
  return value ? errorText(value) : { code: 0, text: `answers 0x${message.type.toString(16)}` };
}
