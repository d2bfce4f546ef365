import { createHash } from 'node:crypto';
import { connectStun, type StunConnection, type StunServer } from './stun-connection.ts';
import {
  attributeOf,
  errorText,
  newTransactionId,
  readStun,
  STUN_ATTRIBUTES,
  STUN_TYPES,
  writeStun,
  writeXorAddress,
  xorAddress,
  type StunAttribute,
  type StunMessage,
} from './stun-message.ts';

const OVER_UDP: StunAttribute = [STUN_ATTRIBUTES.requestedTransport, Buffer.from([17, 0, 0, 0])];
const UNAUTHORIZED = 401;
const DEFAULT_PORTS = { stun: 3478, turn: 3478, stuns: 5349, turns: 5349 } as const;

/** Parses an RFC 7064 or RFC 7065 URL; null if malformed. */
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

/** Our address as the server sees it. Rejects with the reason of a failure. */
export async function requestStunAddress(server: StunServer): Promise<string> {
  await using connection = await connectStun(server);
  const transactionId = newTransactionId();
  const request = { type: STUN_TYPES.bindingRequest, transactionId, attributes: [] };
  return addressIn(await connection.request(writeStun(request, null)), STUN_ATTRIBUTES.xorMappedAddress);
}

/** A relayed address (RFC 8656, section 7); disposal releases it. */
export interface Allocation extends AsyncDisposable {
  /** `192.0.2.1:50000` */
  readonly relayed: string;
  /**
   * Sends a STUN message through the relay to an IPv4 address and resolves to the response. Rejects with the reason of
   * a failure.
   */
  requestPeer(address: string, port: number, message: Buffer): Promise<StunMessage>;
}

/** Rejects with the reason of a failure. */
export async function allocate(
  server: StunServer,
  username: string,
  credential: string,
): Promise<Allocation> {
  const connection = await connectStun(server);
  try {
    return await allocateBy(connection, username, credential);
  } catch (thrown) {
    await connection[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function allocateBy(
  connection: StunConnection,
  username: string,
  credential: string,
): Promise<Allocation> {
  const first = await request(connection, STUN_TYPES.allocateRequest, [OVER_UDP], null);
  const realm = attributeOf(first, STUN_ATTRIBUTES.realm);
  const nonce = attributeOf(first, STUN_ATTRIBUTES.nonce);
  if (first.type === STUN_TYPES.allocateSuccess)
    throw new Error('does not require a password, so anyone can use it');
  if (errorOf(first).code !== UNAUTHORIZED || !realm || !nonce) throw new Error(errorOf(first).text);
  const key = createHash('md5').update(`${username}:${realm.toString()}:${credential}`).digest();
  const requestSigned = (type: number, ...attributes: StunAttribute[]): Promise<StunMessage> => {
    const signature: StunAttribute[] = [
      [STUN_ATTRIBUTES.username, Buffer.from(username)],
      [STUN_ATTRIBUTES.realm, realm],
      [STUN_ATTRIBUTES.nonce, nonce],
    ];
    return request(connection, type, [...attributes, ...signature], key);
  };
  const second = await requestSigned(STUN_TYPES.allocateRequest, OVER_UDP);
  if (second.type !== STUN_TYPES.allocateSuccess) throw new Error(errorOf(second).text);
  return {
    relayed: addressIn(second, STUN_ATTRIBUTES.xorRelayedAddress),
    requestPeer: async (address, port, message) => {
      const peer: StunAttribute = [STUN_ATTRIBUTES.xorPeerAddress, writeXorAddress(address, port)];
      const permitted = await requestSigned(STUN_TYPES.createPermissionRequest, peer);
      if (permitted.type !== STUN_TYPES.createPermissionSuccess) throw new Error(errorOf(permitted).text);
      return requestThrough(connection, peer, message);
    },
    [Symbol.asyncDispose]: async () => {
      const nothing: StunAttribute = [STUN_ATTRIBUTES.lifetime, Buffer.alloc(4)];
      // Without this request, the server ends the allocation some minutes later.
      await requestSigned(STUN_TYPES.refreshRequest, nothing).catch(() => undefined);
      await connection[Symbol.asyncDispose]();
    },
  };
}

/** Uses indications (RFC 8656, section 11), because no channel is bound. */
async function requestThrough(
  connection: StunConnection,
  peer: StunAttribute,
  message: Buffer,
): Promise<StunMessage> {
  const indication = {
    type: STUN_TYPES.sendIndication,
    transactionId: newTransactionId(),
    attributes: [peer, [STUN_ATTRIBUTES.data, message] as const],
  };
  const responseIn = (received: StunMessage): StunMessage | null => {
    if (received.type !== STUN_TYPES.dataIndication) return null;
    const response = readStun(attributeOf(received, STUN_ATTRIBUTES.data) ?? Buffer.alloc(0));
    return response?.transactionId.equals(message.subarray(8, 20)) === true ? response : null;
  };
  const received = await connection.request(writeStun(indication, null), (each) => responseIn(each) !== null);
  const response = responseIn(received);
  if (!response) throw new Error('the response is not a STUN message');
  return response;
}

function request(
  connection: StunConnection,
  type: number,
  attributes: readonly StunAttribute[],
  key: Buffer | null,
): Promise<StunMessage> {
  return connection.request(writeStun({ type, transactionId: newTransactionId(), attributes }, key));
}

function addressIn(message: StunMessage, attribute: number): string {
  const value = attributeOf(message, attribute);
  const address = value && xorAddress(value, message.transactionId);
  if (!address) throw new Error('the response has no address');
  return address;
}

function errorOf(message: StunMessage): { code: number; text: string } {
  const value = attributeOf(message, STUN_ATTRIBUTES.errorCode);
  return value ? errorText(value) : { code: 0, text: `responded with 0x${message.type.toString(16)}` };
}
