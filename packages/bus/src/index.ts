export * from './bus-error.ts';
export * from './bus.ts';
export * from './call-seal.ts';
export * from './connect-bus.ts';
export type { CommandHandler } from './call-commands.ts';
export type { LoggedEvent } from './call-log.ts';
export type { Holder, KnownLease, Lease, LeaseStore } from './leases.ts';
export type { WorkerRecord } from './records.ts';
export { WORKER_TTL_MS, type WorkerDirectory } from './worker-directory.ts';
