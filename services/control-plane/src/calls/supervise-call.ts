import {
  DEFAULT_SUPERVISOR_RATE_HZ,
  type CallSupervision,
  type SuperviseCallRequest,
} from '@calls/api-contract/rest/supervision';
import type { Bus } from '@calls/bus/bus';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { SupervisorTokens } from '@calls/secrets/join-tokens/supervisor-tokens';
import type { Database } from '@calls/store/store';
import { findCall } from '@calls/store/tables/calls';
import { HttpProblem, orNotFound } from '../problems/problem.ts';

/** How long a supervise URL can be opened. */
const URL_LIFETIME_MS = 60_000;

export interface SuperviseCallDeps {
  db: Database;
  bus: Pick<Bus, 'commands'>;
  supervisorTokens: Pick<SupervisorTokens, 'issue'>;
  mediaPublicUrl: string;
  clock: Clock;
}

/** Gives a supervisor access to a live call of the account. Throws if no client is connected to it. */
export async function superviseCall(
  { db, bus, supervisorTokens, mediaPublicUrl, clock }: SuperviseCallDeps,
  { accountId, callId }: { accountId: string; callId: string },
  body: SuperviseCallRequest,
): Promise<CallSupervision> {
  const call = orNotFound('call', await findCall(db, accountId, callId));
  const isLive = call.joined_at !== null && call.ended_at === null && (await bus.commands.isServed(callId));
  if (!isLive) {
    throw new HttpProblem(
      422,
      'call_not_live',
      'The call is not live: it has not been joined, or it has ended.',
    );
  }
  const { mode, name, sampleRate = DEFAULT_SUPERVISOR_RATE_HZ, channelMode = 'CHANNEL_MODE_MIXED' } = body;
  const supervisorId = newId();
  const expiresAtMs = clock.wallMs() + URL_LIFETIME_MS;
  const token = supervisorTokens.issue({
    callId: call.call_id,
    supervisorId,
    name: name ?? null,
    mode,
    sampleRateHz: sampleRate,
    channelMode: channelMode === 'CHANNEL_MODE_SEPARATED' ? 'separated' : 'mixed',
    expiresAtMs,
  });
  const superviseUrl = `${mediaPublicUrl}/supervise/${call.call_id}?token=${token}`;
  const expires = new Date(expiresAtMs).toISOString();
  return { supervisorId, mode, sampleRate, channelMode, superviseUrl, expires };
}
