import type {
  TransferLegReplyMessage,
  TransferLegRequestMessage,
} from '@calls/api-contract/bus/transfer-legs';
import { throughTrunk, trunkOf } from '@calls/call-lifecycle/creation/sip-trunk';
import type { Clock } from '@calls/foundation/clock';
import { isUuid } from '@calls/foundation/schema/objects';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findAccount } from '@calls/store/tables/accounts';
import { findCall } from '@calls/store/tables/calls';
import { countTrunkLeg } from '@calls/store/tables/sip-trunks';

export interface TransferLegDeps {
  db: Database;
  secretBox: SecretBox;
  /** Whether media-workers make SIP calls over TLS. */
  hasSipTls: boolean;
  clock: Clock;
}

/**
 * Returns how to call the person of a warm transfer: through the requested trunk, or through the trunk of the user's
 * call.
 */
export async function transferLeg(
  { db, secretBox, hasSipTls, clock }: TransferLegDeps,
  { accountId, callId, legId, target, trunkId: requested, from }: TransferLegRequestMessage,
): Promise<TransferLegReplyMessage> {
  const [account, call] = await Promise.all([findAccount(db, accountId), findCall(db, accountId, callId)]);
  if (!account || !call) return refused('Call not found.');
  if (!account.features.includes('sip')) return refused('The feature sip is not enabled for this account.');
  const trunkId = requested ?? call.sip_trunk_id;
  if (trunkId === null) return { kind: 'no_trunk' };
  if (!isUuid(trunkId)) return refused('trunk_id must be the id of an enabled SIP trunk of the account.');
  const outgoing = { to: target, trunkId, ...(from !== null && { from }) };
  const { trunk, issues } = await trunkOf({ db, hasSipTls }, accountId, { medium: { sip: { outgoing } } });
  const [issue] = issues;
  if (!trunk || issue) return refused(`The SIP trunk cannot be used: ${issue?.path} ${issue?.message}.`);
  const leg = {
    ...{ leg_id: legId, call_id: callId, sip_trunk_id: trunkId },
    ...{ started_at: new Date(clock.wallMs()), ended_at: null },
  };
  if (!(await countTrunkLeg(db, leg))) {
    return refused('The maximum number of live calls of the SIP trunk is reached.');
  }
  const placed = throughTrunk(secretBox, outgoing, trunk);
  const { to, username = null, password = null, outboundProxy } = placed;
  // The model may choose the target. Only the trunk's own server may get a response to its challenge.
  const isHome = !/^sips?:/iu.test(target) || hostOf(to) === hostOf(trunk.proxy ?? '');
  const credentials = isHome ? { username, password } : { username: null, password: null };
  return {
    kind: 'trunk',
    ...{ to, from: placed.from, ...credentials },
    ...(outboundProxy !== null && { outboundProxy }),
    ...(trunk.codecs.length > 0 && { codecs: [...trunk.codecs] }),
  };
}

/** The host of a URI or server in lower case, without port and parameters. */
function hostOf(address: string): string {
  const server = address.replace(/^sips?:/iu, '').replace(/^[^@]*@/u, '');
  return /^(?:\[[^\]]*\]|[^:;]*)/u.exec(server)?.[0].toLowerCase() ?? '';
}

function refused(detail: string): TransferLegReplyMessage {
  return { kind: 'refused', detail };
}
