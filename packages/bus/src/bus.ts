import type { CallChanges } from './call-changes.ts';
import type { CallCommands } from './call-commands.ts';
import type { CallLogs } from './call-log.ts';
import type { ClockCheck } from './clock-check.ts';
import type { ConnectionStatus } from './connection.ts';
import type { CreatedCallQueue } from './created-calls.ts';
import type { Handovers } from './handovers.ts';
import type { LeaseStore } from './leases.ts';
import type { ControlPlaneRequests } from './request-reply.ts';
import type { StreamHealth } from './stream-health.ts';
import type { StoredDialogs } from './stored-dialogs.ts';
import type { WorkerDirectory } from './worker-directory.ts';
import type { WorkerHeartbeats } from './worker-heartbeats.ts';

/**
 * The message bus, by use. Messages carry the current trace context; handlers run in it. While the bus is unavailable, methods
 * that send reject with a BusUnavailableError within their time limit.
 */
export interface Bus extends AsyncDisposable {
  readonly connection: ConnectionStatus;
  readonly streams: StreamHealth;
  readonly clock: ClockCheck;
  readonly createdCalls: CreatedCallQueue;
  readonly leases: LeaseStore;
  readonly workers: WorkerDirectory;
  readonly heartbeats: WorkerHeartbeats;
  readonly dialogs: StoredDialogs;
  readonly callLogs: CallLogs;
  readonly callChanges: CallChanges;
  readonly commands: CallCommands;
  readonly requests: ControlPlaneRequests;
  readonly handovers: Handovers;
}
