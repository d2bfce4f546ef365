/** How a process that ended unexpectedly is restarted. */
export interface RestartPolicy {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Maximum number of consecutive restarts. A process that ran for `stableMs` resets the count. */
  readonly maxRestarts: number;
  readonly stableMs: number;
}

export const defaultRestartPolicy: RestartPolicy = {
  firstDelayMs: 500,
  maxDelayMs: 8_000,
  maxRestarts: 5,
  stableMs: 60_000,
};

const PEERS_FIRST_MS = 2000;

/**
 * The policy for a process whose work others of its service continue first. An immediate start would take the processor
 * from them.
 */
export function withTimeForPeers(policy: RestartPolicy): RestartPolicy {
  const { firstDelayMs, maxDelayMs } = policy;
  return {
    ...policy,
    firstDelayMs: Math.max(firstDelayMs, PEERS_FIRST_MS),
    maxDelayMs: Math.max(maxDelayMs, PEERS_FIRST_MS),
  };
}

export interface RestartState {
  /** Consecutive restarts so far. */
  readonly restarts: number;
}

export const noRestarts: RestartState = { restarts: 0 };

export type RestartDecision =
  | { readonly kind: 'restart'; readonly delayMs: number; readonly state: RestartState }
  | { readonly kind: 'give-up' };

/** The decision for a process that ended `upMs` after its start. */
export function decideRestart(policy: RestartPolicy, state: RestartState, upMs: number): RestartDecision {
  const restarts = upMs >= policy.stableMs ? 0 : state.restarts;
  if (restarts >= policy.maxRestarts) return { kind: 'give-up' };
  const delayMs = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** restarts);
  return { kind: 'restart', delayMs, state: { restarts: restarts + 1 } };
}
