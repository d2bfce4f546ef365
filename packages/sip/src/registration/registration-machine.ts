/** The response of a registrar to a REGISTER, or why there is none. */
export type RegisterResult =
  | { kind: 'accepted'; expiresS: number }
  | {
      kind: 'refused';
      status: number;
      reason: string;
      retryAfterS: number | null;
      /** From a 423 response. */
      minExpiresS: number | null;
    }
  | { kind: 'unreachable'; reason: string };

/**
 * A registration (RFC 3261, 10.2). `failures`: attempts that failed in a row. `expiresS`: the interval to ask for, which a
 * 423 raises. `hasBinding`: whether an attempt succeeded.
 */
export type RegistrationState =
  | ({ name: 'registering'; hasRaised: boolean } & Active)
  | ({ name: 'waiting' } & Active)
  | { name: 'unregistering' }
  | { name: 'ended' };

interface Active {
  failures: number;
  expiresS: number;
  hasBinding: boolean;
}

/**
 * `disconnected`: the registrar may not reach the binding, because the connection was closed. `stop`: unregister. `abandon`:
 * leave the binding to its successor or its expiry.
 */
export type RegistrationEvent =
  | { kind: 'timer' }
  | { kind: 'result'; result: RegisterResult }
  | { kind: 'disconnected' }
  | { kind: 'stop' }
  | { kind: 'abandon' };

/** The outcome of the last attempt. `expiresS`: lifetime of the binding. */
export type RegistrationOutcome =
  | { successful: true; expiresS: number }
  | { successful: false; error: string };

/** Carried out in order. There is one timer. `end` is the last effect. */
export type RegistrationEffect =
  | { kind: 'register'; expiresS: number }
  | { kind: 'startTimer'; delayMs: number }
  | { kind: 'stopTimer' }
  | { kind: 'report'; outcome: RegistrationOutcome }
  | { kind: 'end' };

export interface RegistrationStep {
  state: RegistrationState;
  effects: readonly RegistrationEffect[];
}

export const REQUESTED_EXPIRES_S = 600;
const MAX_EXPIRES_S = 86_400;
const MIN_REFRESH_MS = 1000;
/** Bindings up to this lifetime are refreshed at half of it, longer ones at 80 %: a refresh may take several attempts. */
const SHORT_EXPIRES_S = 120;
const FIRST_RETRY_MS = 2000;
const MAX_RETRY_MS = 300_000;
/**
 * First pause after wrong credentials. It is long, because registrars lock accounts and addresses that try too often.
 */
const FIRST_REJECTED_RETRY_MS = 30_000;
const MAX_REJECTED_RETRY_MS = 3_600_000;
/** Pause after a lost connection: some servers close each connection soon. */
const RECONNECT_MS = 20_000;
const MAX_RETRY_AFTER_S = 3600;
const MAX_DOUBLINGS = 16;
/** Delays are spread downwards by up to this share, so that many registrations do not refresh at the same time. */
const SPREAD = 0.2;

export function startRegistration(): RegistrationStep {
  return registering({ failures: 0, expiresS: REQUESTED_EXPIRES_S, hasBinding: false }, false);
}

/** `random`: 0 to 1, exclusive. */
export function stepRegistration(
  state: RegistrationState,
  event: RegistrationEvent,
  random: number,
): RegistrationStep {
  switch (state.name) {
    case 'registering':
    case 'waiting':
      return stepActive(state, event, random);
    case 'unregistering':
      return event.kind === 'result' || event.kind === 'abandon' ? ended() : { state, effects: [] };
    case 'ended':
      return { state, effects: [] };
  }
}

function stepActive(
  state: RegistrationState & { name: 'registering' | 'waiting' },
  event: RegistrationEvent,
  random: number,
): RegistrationStep {
  switch (event.kind) {
    case 'stop': {
      if (state.name === 'waiting' && !state.hasBinding) return ended();
      const effects = [{ kind: 'stopTimer' }, { kind: 'register', expiresS: 0 }] as const;
      return { state: { name: 'unregistering' }, effects };
    }
    case 'abandon':
      return ended();
    case 'disconnected': {
      if (state.name !== 'waiting' || state.failures > 0) return { state, effects: [] };
      const delayMs = spread(RECONNECT_MS, random);
      return { state, effects: [{ kind: 'stopTimer' }, { kind: 'startTimer', delayMs }] };
    }
    case 'timer':
      return state.name === 'waiting' ? registering(state, false) : { state, effects: [] };
    case 'result':
      return state.name === 'registering' ? stepResult(state, event.result, random) : { state, effects: [] };
  }
}

function stepResult(
  state: RegistrationState & { name: 'registering' },
  result: RegisterResult,
  random: number,
): RegistrationStep {
  if (result.kind === 'accepted') {
    const expiresS = Math.min(result.expiresS, MAX_EXPIRES_S);
    const share = expiresS <= SHORT_EXPIRES_S ? 0.5 : 0.8;
    const delayMs = Math.max(MIN_REFRESH_MS, spread(expiresS * 1000 * share, random));
    const next = { ...state, failures: 0, hasBinding: true };
    return waiting(next, delayMs, { successful: true, expiresS });
  }
  const next = { ...state, failures: state.failures + 1 };
  if (result.kind === 'unreachable') {
    return waiting(next, retryMs(next.failures, false, random), { successful: false, error: result.reason });
  }
  const { status, reason, minExpiresS, retryAfterS } = result;
  const isLonger = minExpiresS !== null && minExpiresS > state.expiresS && minExpiresS <= MAX_EXPIRES_S;
  if (status === 423 && isLonger && !state.hasRaised) {
    return registering({ ...state, expiresS: minExpiresS }, true);
  }
  const ownMs = retryMs(next.failures, isRejection(status), random);
  const requestedMs = Math.min(retryAfterS ?? 0, MAX_RETRY_AFTER_S) * 1000;
  const error = `${status} ${reason}`.trim();
  return waiting(next, Math.max(ownMs, requestedMs), { successful: false, error });
}

/** Whether the registrar rejects the user or the credentials, which repeating does not change. */
function isRejection(status: number): boolean {
  return [401, 403, 404, 407].includes(status) || status >= 600;
}

function retryMs(failures: number, isRejected: boolean, random: number): number {
  const [firstMs, maxMs] = isRejected
    ? [FIRST_REJECTED_RETRY_MS, MAX_REJECTED_RETRY_MS]
    : [FIRST_RETRY_MS, MAX_RETRY_MS];
  return spread(Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, MAX_DOUBLINGS)), random);
}

function spread(ms: number, random: number): number {
  return Math.round(ms * (1 - SPREAD * random));
}

function registering({ failures, expiresS, hasBinding }: Active, hasRaised: boolean): RegistrationStep {
  const state = { name: 'registering', failures, expiresS, hasBinding, hasRaised } as const;
  return { state, effects: [{ kind: 'register', expiresS }] };
}

function waiting(
  { failures, expiresS, hasBinding }: Active,
  delayMs: number,
  outcome: RegistrationOutcome,
): RegistrationStep {
  return {
    state: { name: 'waiting', failures, expiresS, hasBinding },
    effects: [
      { kind: 'report', outcome },
      { kind: 'startTimer', delayMs },
    ],
  };
}

function ended(): RegistrationStep {
  return { state: { name: 'ended' }, effects: [{ kind: 'stopTimer' }, { kind: 'end' }] };
}
