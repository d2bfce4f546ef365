import type { IceCandidate, IceParameters } from '@calls/api-contract/signalling/signal-messages';
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import type { Allocation } from './stun-requests.ts';
import { connectStun } from './stun-connection.ts';
import {
  newTransactionId,
  STUN_ATTRIBUTES,
  STUN_TYPES,
  writeStun,
  type StunMessage,
} from './stun-message.ts';

/**
 * Sends the first connectivity check of a browser (RFC 8445, section 7.2). Rejects with the reason if there is no
 * response.
 */
export async function checkIce(candidate: IceCandidate, ice: IceParameters): Promise<void> {
  const { protocol, address: host, port } = candidate;
  await using connection = await connectStun({ protocol, host, port, isFramed: true });
  requireSuccess(await connection.request(checkOf(candidate, ice)));
}

/** The same through a TURN server, for a UDP candidate. */
export async function checkIceThroughTurn(
  allocation: Allocation,
  candidate: IceCandidate,
  ice: IceParameters,
): Promise<void> {
  const { address } = await lookup(candidate.address, { family: 4 });
  requireSuccess(await allocation.requestPeer(address, candidate.port, checkOf(candidate, ice)));
}

function checkOf(candidate: IceCandidate, ice: IceParameters): Buffer {
  const priority = Buffer.alloc(4);
  priority.writeUInt32BE(candidate.priority);
  return writeStun(
    {
      type: STUN_TYPES.bindingRequest,
      transactionId: newTransactionId(),
      attributes: [
        [STUN_ATTRIBUTES.username, Buffer.from(`${ice.usernameFragment}:doctor`)],
        [STUN_ATTRIBUTES.priority, priority],
        [STUN_ATTRIBUTES.iceControlling, randomBytes(8)],
      ],
    },
    Buffer.from(ice.password),
  );
}

function requireSuccess({ type }: StunMessage): void {
  if (type !== STUN_TYPES.bindingSuccess) throw new Error(`refuses the check (0x${type.toString(16)})`);
}
