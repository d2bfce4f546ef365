export * from './local-rate-limits.ts';
export type { LogState, Outcome } from './outcome.ts';
export * from './plan-limits.ts';
export * from './rate-limits.ts';
export * from './redis-rate-limits.ts';
export * from './shared-rate-limits.ts';
