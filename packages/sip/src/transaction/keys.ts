import { isUniqueBranch } from '../message/build.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { writeVia } from '../message/via.ts';

/** RFC 3261, 17.1.3. */
export function clientKey(branch: string, method: string): string {
  return `${branch} ${method}`;
}

/** RFC 3261, 17.2.3: ACK belongs to its INVITE. `method` overrides the method, to find the INVITE of a CANCEL. */
export function serverKey({ message, envelope }: ReceivedRequest, method = message.method): string {
  const { via, branch, callId, fromTag, cseq } = envelope;
  const served = method === 'ACK' ? 'INVITE' : method;
  if (isUniqueBranch(branch)) return `${branch} ${via.host.toLowerCase()} ${via.port ?? ''} ${served}`;
  return [callId, fromTag, cseq.number, message.uri, writeVia(via), served].join(' ');
}

/** Equal for copies of an INVITE that arrive over different paths (RFC 3261, 8.2.2.2). */
export function inviteKey({ envelope: { callId, fromTag, cseq } }: ReceivedRequest): string {
  return `${callId} ${fromTag} ${cseq.number}`;
}
