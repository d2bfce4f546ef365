import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { SipMedium } from '@calls/api-contract/rest/medium';
import type { Issue } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { sipSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import { countTrunkCall, findSipTrunk, type SipTrunkRow } from '@calls/store/tables/sip-trunks';
import { CallRefusal } from './refusal.ts';
import {
  fromAddress,
  isSipHost,
  isSipOverTls,
  isTelUri,
  NO_SIP_TLS,
  sipUserOf,
  telNumberOf,
} from './sip-address.ts';

type Outgoing = NonNullable<SipMedium['outgoing']>;

const OUTGOING = 'medium.sip.outgoing';
/** Suggested delay before a retry: it is not known when a live call will end. */
const RETRY_AFTER_MS = 5000;

/** Issues of the servers of a trunk or registration. `hasSipTls`: whether media-workers make SIP calls over TLS. */
export function sipServerIssues(
  { proxy, outboundProxy }: { proxy?: string | null; outboundProxy?: string | null },
  hasSipTls: boolean,
): Issue[] {
  return Object.entries({ proxy, outboundProxy }).flatMap(([path, server]): Issue[] => {
    if (server == null) return [];
    if (!isSipServer(server)) {
      return [{ path, message: 'must be a host name or address, such as trunk.example.com:5060' }];
    }
    return hasSipTls || !isSipOverTls(server) ? [] : [{ path, message: NO_SIP_TLS }];
  });
}

/** Whether a text is a host with an optional port and parameters, with or without the scheme. */
function isSipServer(text: string): boolean {
  return isSipHost(serverUri(text, 'user')) && !/[<>@"]/u.test(text);
}

/** The trunk that an outgoing call is placed through, and what prevents the call. */
export async function trunkOf(
  { db, hasSipTls }: { db: Database; hasSipTls: boolean },
  accountId: string,
  { medium }: Pick<StartCallRequest, 'medium'>,
): Promise<{ trunk: SipTrunkRow | null; issues: Issue[] }> {
  const outgoing = medium?.sip?.outgoing;
  if (outgoing?.trunkId === undefined) return { trunk: null, issues: [] };
  const trunk = await findSipTrunk(db, accountId, outgoing.trunkId);
  if (!trunk?.enabled) {
    const message = 'must be the id of an enabled SIP trunk of the account';
    return { trunk: null, issues: [{ path: `${OUTGOING}.trunkId`, message }] };
  }
  const { to, from } = partiesOf(outgoing, trunk);
  const issues: Issue[] = [];
  if (to === null) {
    const message =
      'must be a SIP address such as sip:desk@example.com: the trunk has no proxy to call numbers at';
    issues.push({ path: `${OUTGOING}.to`, message });
  }
  if (from === null) {
    const message = 'must be set: the trunk has neither from nor numbers';
    issues.push({ path: `${OUTGOING}.from`, message });
  }
  // `SIP_TLS` may have been unset since the trunk was stored.
  const servers = [trunk.outbound_proxy, to === outgoing.to ? null : to];
  if (!hasSipTls && servers.some((server) => server !== null && isSipOverTls(server))) {
    issues.push({ path: `${OUTGOING}.trunkId`, message: NO_SIP_TLS });
  }
  return { trunk, issues };
}

/** The outgoing call as it is placed: with the addresses and credentials of its trunk. */
export function throughTrunk(
  box: SecretBox,
  outgoing: Outgoing,
  trunk: SipTrunkRow,
): Outgoing & { from: string; outboundProxy: string | null } {
  const { to, from } = partiesOf(outgoing, trunk);
  const { outgoing: stored } = trunk.credentials;
  const own = stored && {
    username: stored.username,
    password: box.open(stored.password, sipSecretContext(trunk.account_id)),
  };
  const credentials = outgoing.username === undefined ? own : {};
  return {
    ...outgoing,
    to: to ?? outgoing.to,
    from: from ?? '',
    ...credentials,
    outboundProxy: trunk.outbound_proxy,
  };
}

/** Throws a CallRefusal if the trunk has its maximum of live calls. */
export async function assertTrunkHasRoom(tx: Database, trunkId: string, callId: string): Promise<void> {
  if (await countTrunkCall(tx, trunkId, callId)) return;
  throw new CallRefusal(
    'limited',
    'trunk_concurrency',
    'The maximum number of live calls of the SIP trunk is reached.',
    {
      retryAfterMs: RETRY_AFTER_MS,
    },
  );
}

/** Null for an address that neither the call nor the trunk provides. */
function partiesOf(
  outgoing: Outgoing,
  { proxy, default_from: defaultFrom, numbers }: SipTrunkRow,
): { to: string | null; from: string | null } {
  const number = isTelUri(outgoing.to) ? telNumberOf(outgoing.to) : sipUserOf(outgoing.to);
  const numberUri = number !== null && proxy !== null ? serverUri(proxy, number) : null;
  const to = number === null ? outgoing.to : numberUri;
  const from = outgoing.from ?? defaultFrom ?? numbers[0] ?? null;
  // The numbers of a trunk are those of its server.
  const home = proxy === null ? (to ?? '') : serverUri(proxy, 'user');
  return { to, from: from === null ? null : fromAddress(from, home) };
}

function serverUri(server: string, user: string): string {
  const scheme = /^sips?:/iu.exec(server)?.[0] ?? 'sip:';
  return `${scheme}${user}@${server.replace(/^sips?:/iu, '')}`;
}
