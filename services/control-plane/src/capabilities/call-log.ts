import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import type { CallRow } from '@calls/store/tables/calls';
import type { ControlPlaneConfig } from '../config.ts';
import { applyCallEvent, applyTraced, createUnjoinedEnds } from '../events/apply-call-event.ts';
import { LostCalls } from '../lost-calls/lost-calls.ts';
import { eventMetrics } from '../metrics/event-metrics.ts';
import { liveMetrics } from '../metrics/live-metrics.ts';
import { relayCreatedCalls } from '../outbox/relay-created-calls.ts';
import { hangUpIfRinging } from '../telephony/dialling/dialler.ts';
import type { CallAccess } from './call-access.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Outgoing } from './outgoing.ts';

const RELAY_INTERVAL_MS = 1000;
const OVERDUE_INTERVAL_MS = 5000;
const ORPHANS_INTERVAL_MS = 1000;
const LIVE_METRICS_INTERVAL_MS = 5000;
const EVENT_CONSUMER = 'control_plane';
const MAX_IN_FLIGHT = 256;

/** Applies the call log to the database, publishes created calls from the outbox, and ends calls that no worker will end. */
export function startCallLog(
  config: Pick<
    ControlPlaneConfig,
    'planLimits' | 'voiceAliases' | 'poolSize' | 'reconnectGraceMs' | 'telephonyUrls'
  >,
  deps: Infrastructure &
    Pick<CallAccess, 'callSeal' | 'notifications' | 'secretBox'> &
    Pick<Outgoing, 'providersOutbound'>,
): Promise<Capability<Pick<LostCalls, 'endUnjoined'>>> {
  const { db, bus, callSeal, secretBox, notifications, metrics, tracing, clock, log } = deps;
  const { planLimits, voiceAliases, poolSize, reconnectGraceMs, telephonyUrls } = config;
  const phones = { db, secretBox, outbound: deps.providersOutbound, telephonyUrls, clock, log };
  const hangUpPhone = (call: CallRow): void => void hangUpIfRinging(phones, call);
  const onApplied = eventMetrics(metrics, clock);
  const unjoinedEnds = createUnjoinedEnds(db);
  const applying = { db, unjoinedEnds, hangUpPhone, planLimits, notices: notifications, voiceAliases, log };
  const apply = (event: CallLogEntry): Promise<void> =>
    applyTraced(tracing, event, async () => {
      if (!(await applyCallEvent(applying, event))) return;
      onApplied(event);
      const { accountId, callId, body } = event;
      if (body.type === 'joined' || body.type === 'ended')
        bus.callChanges.publish({ accountId, callId, state: body.type });
    });
  return startCapability(log, (components) => {
    components.own(
      'call log consumer',
      bus.callLogs.consume(EVENT_CONSUMER, apply, {
        maxInFlight: MAX_IN_FLIGHT,
        concurrency: Math.max(1, Math.floor(poolSize / 2)),
      }),
    );
    const task = (name: string, intervalMs: number, run: () => Promise<void>): void => {
      components.own(name, startPeriodicTask({ name, intervalMs, clock, log, run }));
    };
    task('created call relay', RELAY_INTERVAL_MS, () =>
      relayCreatedCalls({ db, bus, secretBox, callSeal, log }),
    );
    const lostCalls = new LostCalls({ db, bus, clock, log, apply, reconnectGraceMs });
    task('orphaned calls', ORPHANS_INTERVAL_MS, () => lostCalls.endOrphans());
    task('overdue calls', OVERDUE_INTERVAL_MS, () => lostCalls.endOverdue());
    const refresh = liveMetrics(metrics, { db, bus, eventConsumer: EVENT_CONSUMER });
    task('live metrics', LIVE_METRICS_INTERVAL_MS, refresh);
    return { endUnjoined: (call) => lostCalls.endUnjoined(call) };
  });
}
