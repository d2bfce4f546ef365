import { describe, expect, it } from '@jest/globals';
import {
  REQUESTED_EXPIRES_S,
  startRegistration,
  stepRegistration,
  type RegisterResult,
  type RegistrationEvent,
  type RegistrationStep,
} from './registration-machine.ts';

const REFUSED = { kind: 'refused', reason: '', retryAfterS: null, minExpiresS: null } as const;

/** Runs a registration with the events, and returns the last step. */
function after(...events: readonly (RegistrationEvent | RegisterResult)[]): RegistrationStep {
  let step = startRegistration();
  for (const event of events) step = stepRegistration(step.state, asEvent(event), 0);
  return step;
}

function asEvent(event: RegistrationEvent | RegisterResult): RegistrationEvent {
  return event.kind === 'accepted' || event.kind === 'refused' || event.kind === 'unreachable'
    ? { kind: 'result', result: event }
    : event;
}

function delayMs({ effects }: RegistrationStep): number {
  const timer = effects.find((effect) => effect.kind === 'startTimer');
  if (timer?.kind !== 'startTimer') throw new Error('no timer was started');
  return timer.delayMs;
}

/** The delays after 1, 2, … failures in a row. */
function retryDelaysMs(result: RegisterResult, failures: number): number[] {
  const delays: number[] = [];
  let step = startRegistration();
  for (let i = 0; i < failures; i += 1) {
    step = stepRegistration(step.state, { kind: 'result', result }, 0);
    delays.push(delayMs(step));
    step = stepRegistration(step.state, { kind: 'timer' }, 0);
  }
  return delays;
}

describe('stepRegistration', () => {
  it('refreshes before the lifetime granted by the registrar ends', () => {
    expect(startRegistration().effects).toEqual([{ kind: 'register', expiresS: REQUESTED_EXPIRES_S }]);
    expect(delayMs(after({ kind: 'accepted', expiresS: 60 }))).toBe(30_000);
    expect(delayMs(after({ kind: 'accepted', expiresS: 3600 }))).toBe(2_880_000);
    expect(delayMs(after({ kind: 'accepted', expiresS: 1 }))).toBe(1000);
    // A day at most: timers cannot wait for more than 24 days, and fire at once instead.
    expect(delayMs(after({ kind: 'accepted', expiresS: 10_000_000 }))).toBe(69_120_000);
    const refreshed = after({ kind: 'accepted', expiresS: 60 }, { kind: 'timer' });
    expect(refreshed.effects).toEqual([{ kind: 'register', expiresS: REQUESTED_EXPIRES_S }]);
  });

  it('registers again soon after its connection was closed, unless it failed before', () => {
    const lost = after({ kind: 'accepted', expiresS: 600 }, { kind: 'disconnected' });
    expect(lost.effects).toEqual([{ kind: 'stopTimer' }, { kind: 'startTimer', delayMs: 20_000 }]);
    expect(stepRegistration(lost.state, { kind: 'timer' }, 0).effects).toEqual([
      { kind: 'register', expiresS: REQUESTED_EXPIRES_S },
    ]);
    const unreachable = { kind: 'unreachable', reason: '' } as const;
    for (const events of [[], [unreachable]]) {
      expect(after(...events, { kind: 'disconnected' }).effects).toEqual([]);
    }
  });

  it('requests the longer interval of a 423 response once, and uses it for refreshes', () => {
    const tooBrief = { ...REFUSED, status: 423, reason: 'Interval Too Brief', minExpiresS: 1800 };
    const raised = after(tooBrief);
    expect(raised.effects).toEqual([{ kind: 'register', expiresS: 1800 }]);
    const again = after(tooBrief, { ...tooBrief, minExpiresS: 3600 });
    expect(again.effects[0]).toEqual({
      kind: 'report',
      outcome: { successful: false, error: '423 Interval Too Brief' },
    });
    const refreshed = after(tooBrief, { kind: 'accepted', expiresS: 1800 }, { kind: 'timer' });
    expect(refreshed.effects).toEqual([{ kind: 'register', expiresS: 1800 }]);
  });

  it('ignores a 423 response without a usable interval', () => {
    for (const minExpiresS of [null, 60, 1_000_000_000]) {
      expect(after({ ...REFUSED, status: 423, minExpiresS }).state.name).toBe('waiting');
    }
  });

  it('retries with growing delays up to a limit', () => {
    const delays = retryDelaysMs({ kind: 'unreachable', reason: 'timeout' }, 40);
    expect(delays.slice(0, 4)).toEqual([2000, 4000, 8000, 16_000]);
    expect(delays.at(-1)).toBe(300_000);
  });

  it('retries after longer delays when the credentials are wrong', () => {
    const delays = retryDelaysMs({ ...REFUSED, status: 401 }, 20);
    expect(delays.slice(0, 3)).toEqual([30_000, 60_000, 120_000]);
    expect(delays.at(-1)).toBe(3_600_000);
  });

  it('retries with short delays again after a success', () => {
    const failed: RegisterResult = { kind: 'unreachable', reason: 'timeout' };
    const next: RegistrationEvent = { kind: 'timer' };
    expect(delayMs(after(failed, next, failed, next, { kind: 'accepted', expiresS: 60 }, next, failed))).toBe(
      2000,
    );
  });

  it('respects Retry-After up to an hour', () => {
    expect(delayMs(after({ ...REFUSED, status: 503, retryAfterS: 90 }))).toBe(90_000);
    expect(delayMs(after({ ...REFUSED, status: 503, retryAfterS: 1 }))).toBe(2000);
    expect(delayMs(after({ ...REFUSED, status: 503, retryAfterS: 999_999 }))).toBe(3_600_000);
  });

  it('shortens delays at random by at most 20 percent', () => {
    const result = { kind: 'accepted', expiresS: 100 } as const;
    const step = stepRegistration(startRegistration().state, { kind: 'result', result }, 0.999);
    expect(delayMs(step)).toBeGreaterThanOrEqual(40_000);
    expect(delayMs(step)).toBeLessThan(50_000);
  });

  it('unregisters when stopped, even while an attempt is pending', () => {
    const unregister = [{ kind: 'stopTimer' }, { kind: 'register', expiresS: 0 }];
    expect(after({ kind: 'stop' }).effects).toEqual(unregister);
    expect(after({ kind: 'accepted', expiresS: 60 }, { kind: 'stop' }).effects).toEqual(unregister);
    const ended = after({ kind: 'stop' }, { ...REFUSED, status: 500 });
    expect(ended).toEqual({ state: { name: 'ended' }, effects: [{ kind: 'stopTimer' }, { kind: 'end' }] });
  });

  it('sends nothing when stopped without a binding or when abandoned', () => {
    const failed: RegisterResult = { ...REFUSED, status: 401 };
    expect(after(failed, { kind: 'stop' }).state.name).toBe('ended');
    expect(after({ kind: 'accepted', expiresS: 60 }, { kind: 'abandon' }).state.name).toBe('ended');
    expect(after({ kind: 'abandon' }, { kind: 'accepted', expiresS: 60 }).effects).toEqual([]);
  });
});
