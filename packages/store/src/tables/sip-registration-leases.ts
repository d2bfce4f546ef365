import { sql, type Selectable } from 'kysely';
import type { SipRegistrationTable } from '../schema/telephony-tables.ts';
import type { Database } from '../store.ts';

/** A registration that a worker holds, as it knows it. */
export interface KnownRegistration {
  registrationId: string;
  version: string;
  epoch: number;
  /** The last attempt; null before the first one. */
  outcome: { successful: boolean; error: string | null; expiresAtMs: number | null } | null;
}

export interface RegistrationHolder {
  workerId: string;
  /** How many more registrations it accepts. */
  room: number;
  held: readonly KnownRegistration[];
}

export type LeasedRegistration = Selectable<SipRegistrationTable>;

/** Maximum number of registrations that one request takes, so that several workers share them. */
const MAX_TAKEN = 50;
/** Leases are renewed when less than this share is left, to save writes. */
const RENEWED_SHARE = 0.7;

/**
 * Renews the leases of a worker, stores the results of its attempts, releases what it no longer holds, and leases it
 * others that no worker holds. Returns all that it holds now; the epoch is higher for new ones. The database's clock counts.
 */
export function leaseRegistrations(
  db: Database,
  { workerId, room, held }: RegistrationHolder,
  leaseMs: number,
): Promise<LeasedRegistration[]> {
  const ids = held.map(({ registrationId }) => registrationId);
  return db.transaction().execute(async (tx) => {
    await sql`
      update sip_registrations set held_by = null, held_until = null
      where held_by = ${workerId} and not registration_id = any(${ids}::uuid[])`.execute(tx);
    await storeOutcomes(tx, workerId, held);
    await sql`
      update sip_registrations set held_until = now() + ${milliseconds(leaseMs)}
      where held_by = ${workerId} and registration_id = any(${ids}::uuid[])
        and held_until < now() + ${milliseconds(leaseMs * RENEWED_SHARE)}`.execute(tx);
    if (room > 0) await takeFree(tx, workerId, Math.min(room, MAX_TAKEN), leaseMs);
    return tx
      .selectFrom('sip_registrations')
      .innerJoin('accounts', 'accounts.account_id', 'sip_registrations.account_id')
      .selectAll('sip_registrations')
      .where('held_by', '=', workerId)
      .where(sql<boolean>`'sip' = any(accounts.features)`)
      .where('accounts.deleted_at', 'is', null)
      .execute();
  });
}

/** Only for the settings and the lease of the attempt. */
async function storeOutcomes(
  tx: Database,
  workerId: string,
  held: readonly KnownRegistration[],
): Promise<void> {
  const outcomes = held.flatMap(({ registrationId, version, epoch, outcome }) =>
    outcome === null
      ? []
      : [{ id: registrationId, version, epoch, ...outcome, expiresAt: isoTime(outcome.expiresAtMs) }],
  );
  if (outcomes.length === 0) return;
  await sql`
    update sip_registrations as stored
    set successful = new.successful, last_error = new.error, expires_at = new."expiresAt"
    from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb)
      as new(id uuid, version text, epoch integer, successful boolean, error text, "expiresAt" timestamptz(3))
    where stored.registration_id = new.id and held_by = ${workerId}
      and stored.version = new.version and stored.epoch = new.epoch
      and (stored.successful, stored.last_error, stored.expires_at)
        is distinct from (new.successful, new.error, new."expiresAt")`.execute(tx);
}

async function takeFree(tx: Database, workerId: string, limit: number, leaseMs: number): Promise<void> {
  await sql`
    update sip_registrations
    set held_by = ${workerId}, held_until = now() + ${milliseconds(leaseMs)}, epoch = epoch + 1
    where registration_id in (
      select registration_id from sip_registrations join accounts using (account_id)
      where (held_until is null or held_until < now()) and 'sip' = any(accounts.features)
        and held_by is distinct from ${workerId}
      order by sip_registrations.created_at
      limit ${limit}
      for update of sip_registrations skip locked
    )`.execute(tx);
}

function milliseconds(ms: number) {
  return sql`make_interval(secs => ${ms / 1000}::float8)`;
}

function isoTime(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}

/** The account of a registration; undefined if there is none. */
export async function accountOfRegistration(
  db: Database,
  registrationId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('sip_registrations')
    .select('account_id')
    .where('registration_id', '=', registrationId)
    .executeTakeFirst();
  return row?.account_id;
}
