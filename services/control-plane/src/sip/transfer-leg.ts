import type { TransferLegAnswer, TransferLegQuestion } from '@calls/api-contract/bus/transfer-legs';
import { isUuid } from '@calls/api-contract/rest/common';
import { throughTrunk, trunkOf } from '@calls/call-lifecycle/creation/sip-trunk';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findCall } from '@calls/store/tables/calls';
import { hasTrunkRoom } from '@calls/store/tables/sip-trunks';

export interface TransferLegDeps {
  db: Database;
  secretBox: SecretBox;
  /** Whether media workers make SIP calls over TLS. */
  hasSipTls: boolean;
}

/** How the person of a warm transfer is called: through the requested trunk, or through that of the user's call. */
export async function transferLeg(
  { db, secretBox, hasSipTls }: TransferLegDeps,
  { accountId, callId, target, trunkId: requested, from }: TransferLegQuestion,
): Promise<TransferLegAnswer> {
  const call = await findCall(db, accountId, callId);
  if (!call) return refused('The call does not exist.');
  const trunkId = requested ?? call.sip_trunk_id;
  if (trunkId === null) return { kind: 'no_trunk' };
  if (!isUuid(trunkId)) return refused('trunk_id must be the id of an enabled SIP trunk of the account.');
  const outgoing = { to: target, trunkId, ...(from !== null && { from }) };
  const { trunk, issues } = await trunkOf({ db, hasSipTls }, accountId, { medium: { sip: { outgoing } } });
  const [issue] = issues;
  if (!trunk || issue) return refused(`The SIP trunk cannot be used: ${issue?.path} ${issue?.message}.`);
  if (!(await hasTrunkRoom(db, trunkId))) {
    return refused('The maximum number of live calls of the SIP trunk is reached.');
  }
  const placed = throughTrunk(secretBox, outgoing, trunk);
  const { username = null, password = null, outboundProxy } = placed;
  return {
    kind: 'trunk',
    ...{ to: placed.to, from: placed.from, username, password },
    ...(outboundProxy !== null && { outboundProxy }),
    ...(trunk.codecs.length > 0 && { codecs: [...trunk.codecs] }),
  };
}

function refused(detail: string): TransferLegAnswer {
  return { kind: 'refused', detail };
}
