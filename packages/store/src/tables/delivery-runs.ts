import { sql, type RawBuilder } from 'kysely';
import { asJson, asText } from '../as-json.ts';
import type { Database } from '../store.ts';
import { inMs, type WebhookDeliveryRow } from './webhook-deliveries.ts';

/** A delivery reserved for an attempt. */
export type ClaimedDelivery = Pick<
  WebhookDeliveryRow,
  | 'delivery_id'
  | 'account_id'
  | 'receiver_id'
  | 'webhook_id'
  | 'call_id'
  | 'event'
  | 'url'
  | 'content'
  | 'attempts'
  | 'tries_left'
  | 'trace'
> & {
  /** How long it has been due. */
  late_ms: number;
  given_up: boolean;
  /** The webhook's current URL; null if the delivery has no webhook or it was deleted. */
  webhook_url: string | null;
  webhook_secrets: string[] | null;
};

/**
 * Claims a receiver's due deliveries, the longest due first, for `claimMs`, so that no other process gets
 * them. Skips an event of a call while an earlier event for this receiver has not been attempted.
 */
export async function claimDeliveries(
  db: Database,
  receiverId: string,
  { limit, claimMs }: { limit: number; claimMs: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with held as (
      update webhook_deliveries d set held_until = ${inMs(claimMs)}
      where delivery_id in (
        select delivery_id from webhook_deliveries d
        where receiver_id = ${receiverId} and status = 'pending' and due_at <= now()
          and (held_until is null or held_until < now())
          and not exists (
            select from webhook_deliveries e
            where e.call_id = d.call_id and ${sameReceiver('e', 'd')} and e.step < d.step
              and e.status = 'pending' and e.attempts = 0
          )
        order by due_at, delivery_id
        limit ${limit}
        for update skip locked
      )
      returning d.*
    )
    select held.delivery_id, held.account_id, held.receiver_id, held.webhook_id, held.call_id, held.event, held.url,
      held.content, held.attempts, held.tries_left, held.trace,
      held.give_up_at < now() as given_up,
      (extract(epoch from clock_timestamp() - held.due_at) * 1000)::float8 as late_ms,
      w.url as webhook_url, w.secrets as webhook_secrets
    from held left join webhooks w on w.webhook_id = held.webhook_id
    order by held.due_at, held.delivery_id`.execute(db);
  return rows;
}

/** The state of the receiver's queue after an attempt. */
export interface QueueAfterAttempt {
  /** A later event of the same call is pending and may wait for this one. */
  isFollowed: boolean;
}

/** One statement, which locks the delivery before the webhook. */
async function markAttempted(
  db: Database,
  deliveryId: string,
  outcome: RawBuilder<unknown>,
  health: RawBuilder<unknown>,
  changesHealth: RawBuilder<boolean>,
): Promise<QueueAfterAttempt> {
  const { rows } = await sql<QueueAfterAttempt>`
    with done as (
      update webhook_deliveries
      set attempts = attempts + 1, last_attempt_at = now(), held_until = null, ${outcome}
      where delivery_id = ${deliveryId} and status = 'pending'
      returning webhook_id, call_id, receiver_id, step
    ), updated as (
      update webhooks w set ${health} from done where w.webhook_id = done.webhook_id and ${changesHealth}
    )
    select exists (
      select from webhook_deliveries n, done
      where n.call_id = done.call_id and ${sameReceiver('n', 'done')} and n.step > done.step and n.status = 'pending'
    ) as "isFollowed"`.execute(db);
  return rows[0] ?? { isFollowed: false };
}

/** Compares two rows of a call. Written so that the planner searches by call: a receiver may have very many rows. */
function sameReceiver(one: string, other: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${one}.receiver_id`)} is not distinct from ${sql.ref(`${other}.receiver_id`)}`;
}

/** Records an acknowledged delivery: removes its content and resets its webhook's failure count. */
export function markDelivered(db: Database, deliveryId: string): Promise<QueueAfterAttempt> {
  return markAttempted(
    db,
    deliveryId,
    sql`status = 'delivered', tries_left = 0, finished_at = now(), content = null`,
    sql`consecutive_failures = 0, status = 'normal',
      last_status_change = case when w.status = 'normal' then w.last_status_change else now() end`,
    sql`(w.consecutive_failures > 0 or w.status <> 'normal')`,
  );
}

export interface FailedAttempt {
  deliveryId: string;
  failure: string;
  /** Null if there is no further attempt. */
  nextTryInMs: number | null;
}

const MAX_RECENT_FAILURES = 10;
const UNHEALTHY_AFTER = 5;

/** Records a failed attempt, and counts it for its webhook. */
export function markFailed(
  db: Database,
  { deliveryId, failure, nextTryInMs }: FailedAttempt,
): Promise<QueueAfterAttempt> {
  const text = asText(failure);
  const next =
    nextTryInMs === null
      ? sql`status = 'dead', tries_left = 0, finished_at = now()`
      : sql`tries_left = tries_left - 1, due_at = ${inMs(nextTryInMs)}`;
  const recorded = sql`jsonb_build_array(${asJson({ failure: text })}::jsonb || jsonb_build_object('timestamp',
    to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`;
  const isUnhealthy = sql<boolean>`w.consecutive_failures + 1 >= ${UNHEALTHY_AFTER}::integer`;
  return markAttempted(
    db,
    deliveryId,
    sql`last_failure = ${text}, ${next}`,
    sql`consecutive_failures = w.consecutive_failures + 1,
      recent_failures = jsonb_path_query_array(w.recent_failures || ${recorded},
        ${`$[last - ${MAX_RECENT_FAILURES - 1} to last]`}::jsonpath),
      status = case when ${isUnhealthy} then 'unhealthy' else w.status end,
      last_status_change = case when ${isUnhealthy} and w.status = 'normal' then now() else w.last_status_change end`,
    sql`true`,
  );
}

/** Deletes a delivery whose receiver no longer exists. */
export async function dropDelivery(db: Database, deliveryId: string): Promise<void> {
  await db.deleteFrom('webhook_deliveries').where('delivery_id', '=', deliveryId).execute();
}

/** Receivers whose deliveries have been due for `forMs` without a process holding them. */
export async function waitingReceivers(
  db: Database,
  { forMs, limit }: { forMs: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('receiver_id')
    .distinct()
    .where('status', '=', 'pending')
    .where('due_at', '<', inMs(-forMs))
    .where((eb) => eb.or([eb('held_until', 'is', null), eb('held_until', '<', sql<Date>`now()`)]))
    .limit(limit)
    .execute();
  return rows.map((row) => row.receiver_id);
}

/** Marks deliveries past their deadline as dead. `failure` is that of deliveries without an attempt. Returns their number. */
export async function expireDeliveries(db: Database, failure: string, limit: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_deliveries')
    .set({
      status: 'dead',
      tries_left: 0,
      finished_at: sql<Date>`now()`,
      last_failure: sql<string>`coalesce(last_failure, ${failure})`,
    })
    .where('delivery_id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('delivery_id')
        .where('status', '=', 'pending')
        .where('give_up_at', '<', sql<Date>`now()`)
        .where((held) => held.or([held('held_until', 'is', null), held('held_until', '<', sql<Date>`now()`)]))
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Deletes deliveries that finished long enough ago. Returns their number. */
export async function pruneDeliveries(
  db: Database,
  keep: { deliveredMs: number; deadMs: number; limit: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_deliveries')
    .where('delivery_id', 'in', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('delivery_id')
        .where('status', '<>', 'pending')
        .where('finished_at', '<', inMs(-Math.min(keep.deliveredMs, keep.deadMs)))
        .where(
          'finished_at',
          '<',
          sql<Date>`now() - make_interval(secs => case when status = 'dead'
            then ${keep.deadMs / 1000}::float8 else ${keep.deliveredMs / 1000}::float8 end)`,
        )
        .limit(keep.limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

export interface UnfinishedDeliveries {
  pending: number;
  dead: number;
  /** The longest time that a subscriber with due deliveries has waited for an attempt. */
  oldestDueMs: number;
}

/** Counts the pending and dead deliveries of all accounts. `claimMs`: the duration of the claim of an attempt. */
export async function countUnfinished(db: Database, claimMs: number): Promise<UnfinishedDeliveries> {
  const { rows } = await sql<UnfinishedDeliveries>`
    with waiting as (
      select count(*) as pending,
        extract(epoch from now() - greatest(min(due_at), max(last_attempt_at), max(held_until)
          - make_interval(secs => ${claimMs / 1000}::float8))) * 1000 as neglected_ms
      from webhook_deliveries where status = 'pending' group by receiver_id
    )
    select coalesce(sum(pending), 0)::float8 as pending,
      (select count(*) from webhook_deliveries where status = 'dead') as dead,
      greatest(0, coalesce(max(neglected_ms), 0))::float8 as "oldestDueMs"
    from waiting`.execute(db);
  return rows[0] ?? { pending: 0, dead: 0, oldestDueMs: 0 };
}
