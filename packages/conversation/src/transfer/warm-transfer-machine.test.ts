import { describe, expect, it } from '@jest/globals';
import {
  beginTransfer,
  BRIEFING_LIMIT_MS,
  stepTransfer,
  type WarmTransferEffect,
  type WarmTransferEvent,
  type WarmTransferSettings,
} from './warm-transfer-machine.ts';

const SETTINGS: WarmTransferSettings = {
  ringMs: 30_000,
  acceptance: 'key',
  acceptMs: 20_000,
  talkMs: 3_600_000,
};

const ANSWERED = { type: 'answered' } as const;
const BRIEFED = { type: 'briefed', failed: false } as const;
const ACCEPTED = { type: 'accepted' } as const;
const TIMED_OUT = { type: 'timed_out' } as const;
const LEFT = { type: 'person_left' } as const;
const CALL_ENDED = { type: 'call_ended' } as const;

/** Plays one event per second. */
function run(events: readonly WarmTransferEvent[], settings: Partial<WarmTransferSettings> = {}) {
  const all = { ...SETTINGS, ...settings };
  let { state, effects } = beginTransfer(all);
  const steps: (readonly WarmTransferEffect[])[] = [effects];
  events.forEach((event, i) => {
    ({ state, effects } = stepTransfer(state, event, all, (i + 1) * 1000));
    steps.push(effects);
  });
  return { state, steps };
}

describe('a warm transfer', () => {
  it('dials, briefs, waits for the person and connects', () => {
    const { state, steps } = run([ANSWERED, BRIEFED, ACCEPTED]);
    expect(state).toEqual({ kind: 'connected', sinceMs: 3000 });
    expect(steps).toEqual([
      [{ type: 'dial' }, { type: 'set_timer', afterMs: 35_000 }],
      [{ type: 'set_timer', afterMs: BRIEFING_LIMIT_MS }, { type: 'brief' }],
      [{ type: 'set_timer', afterMs: 20_000 }],
      [{ type: 'set_timer', afterMs: 3_600_000 }, { type: 'connect' }],
    ]);
  });

  it('connects during the briefing if the person accepts early', () => {
    expect(run([ANSWERED, ACCEPTED, BRIEFED]).state).toEqual({ kind: 'connected', sinceMs: 2000 });
  });

  it('connects after the briefing without a question if acceptance is automatic', () => {
    const { state } = run([ANSWERED, BRIEFED], { acceptance: 'automatic' });
    expect(state).toEqual({ kind: 'connected', sinceMs: 2000 });
  });

  it.each([
    ['busy', [{ type: 'not_answered', failure: 'busy' }]],
    ['declined', [{ type: 'not_answered', failure: 'declined' }]],
    ['no_answer', [TIMED_OUT]],
    ['unreachable', [ANSWERED, { type: 'briefed', failed: true }]],
    ['declined', [ANSWERED, { type: 'declined' }]],
    ['declined', [ANSWERED, BRIEFED, { type: 'declined' }]],
    ['not_accepted', [ANSWERED, BRIEFED, TIMED_OUT]],
    ['not_accepted', [ANSWERED, TIMED_OUT]],
    ['abandoned', [ANSWERED, LEFT]],
    ['abandoned', [ANSWERED, BRIEFED, LEFT]],
    ['call_ended', [CALL_ENDED]],
    ['call_ended', [ANSWERED, CALL_ENDED]],
  ] satisfies [string, WarmTransferEvent[]][])('ends with %s after %j', (outcome, events) => {
    const { state, steps } = run(events);
    expect(state).toEqual({ kind: 'over', outcome, talkedMs: 0 });
    expect(steps.at(-1)).toEqual([
      { type: 'set_timer', afterMs: null },
      { type: 'hang_up' },
      { type: 'finish', outcome, talkedMs: 0 },
    ]);
  });

  it.each([
    ['person_left', LEFT],
    ['talk_limit', TIMED_OUT],
    ['call_ended', CALL_ENDED],
  ] satisfies [string, WarmTransferEvent][])('ends the conversation with %s', (outcome, event) => {
    const { state } = run([ANSWERED, BRIEFED, ACCEPTED, { type: 'declined' }, event]);
    expect(state).toEqual({ kind: 'over', outcome, talkedMs: 2000 });
  });

  it('ignores events once it is over', () => {
    const events: WarmTransferEvent[] = [ANSWERED, BRIEFED, ACCEPTED, TIMED_OUT, LEFT, CALL_ENDED];
    const { state, steps } = run([LEFT, CALL_ENDED, ...events]);
    expect(state).toEqual({ kind: 'over', outcome: 'call_ended', talkedMs: 0 });
    expect(steps.slice(3).flat()).toEqual([]);
  });
});
