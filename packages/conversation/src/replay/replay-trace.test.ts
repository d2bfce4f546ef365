import { describe, expect, it } from '@jest/globals';
import { initialTurnState, stepTurn } from '../turn/step-turn.ts';
import type { TurnEvent } from '../turn/turn-types.ts';
import { replayTrace } from './replay-trace.ts';
import { timelineOf } from './timeline.ts';
import { parseTrace, type Trace } from './trace.ts';
import { TurnTrace } from './turn-trace.ts';

/** The trace that a worker stores of a call with this many text turns. */
function traced(turns: number, retention: 'retain' | 'zdr' = 'retain'): string {
  const lines: string[] = [];
  let atMs = 0;
  let state = initialTurnState();
  const stored = (): Promise<void> => Promise.resolve();
  const sink = { write: (line: string) => void lines.push(`${line}\n`), close: stored, suspend: stored };
  const traces = { open: () => sink, resume: () => sink, finish: stored };
  const call = { accountId: 'a', callId: 'c', retention };
  const trace = TurnTrace.open(traces, { call, initial: state, resumed: false, callTimeMs: () => atMs });
  const play = (event: TurnEvent): void => {
    atMs += 10;
    const step = stepTurn(state, event);
    trace?.step(event, step.effects);
    state = step.state;
  };
  play({ type: 'opened', opening: { who: 'user', fallback: null } });
  for (let turn = 1; turn <= turns; turn += 1) {
    play({ type: 'text_received', text: `Question ${turn}?`, urgency: 'soon' });
    play({ type: 'audio_started', generation: turn });
    play({ type: 'spoken', generation: turn, failed: false, medium: 'voice' });
  }
  return lines.join('');
}

const breaks = (): never => {
  throw new Error('it broke');
};

describe('replayTrace', () => {
  it('reproduces every decision of the trace', () => {
    const trace = parseTrace(traced(3));
    const steps = replayTrace(trace);
    expect(steps).toHaveLength(1 + 3 * 3);
    expect(steps.every(({ isSame }) => isSame)).toBe(true);
    expect(steps.slice(0, 3).map(({ from, to, event }) => [from, to, event.type])).toEqual([
      ['listening', 'listening', 'opened'],
      ['listening', 'responding', 'text_received'],
      ['responding', 'responding', 'audio_started'],
    ]);
  });

  it('reports decisions that differ from the trace', () => {
    const trace = parseTrace(traced(2));
    const silent: typeof stepTurn = (state, event) => {
      const step = stepTurn(state, event);
      return { ...step, effects: step.effects.filter(({ type }) => type !== 'announce') };
    };
    const others = replayTrace(trace, silent).filter(({ isSame }) => !isSame);
    expect(others.length).toBeGreaterThan(0);
    expect(others.every(({ effects }) => effects?.some(({ type }) => type === 'announce'))).toBe(true);

    const steps = trace.steps.map((step, i) =>
      i === 1 ? { ...step, event: { type: 'closed' as const } } : step,
    );
    const changed = replayTrace({ ...trace, steps });
    expect(changed.map(({ isSame }) => isSame).indexOf(false)).toBe(1);
    expect(timelineOf(changed).some((line) => line.includes('- '))).toBe(true);
  });

  it('stops when the reducer throws', () => {
    const trace = parseTrace(traced(1));
    const last = { atMs: 99, event: { type: 'reply_wanted' }, effects: null } as const;
    const broken: Trace = { ...trace, steps: [last] };
    expect(replayTrace(broken, breaks)).toMatchObject([
      { isSame: true, decided: null, error: { message: 'it broke' } },
    ]);
    expect(replayTrace(broken)).toMatchObject([{ isSame: false, error: null }]);
    expect(timelineOf(replayTrace(trace, breaks)).join('\n')).toContain('broke: it broke');
  });

  it('returns steps that timelineOf formats as text lines', () => {
    expect(timelineOf(replayTrace(parseTrace(traced(1)))).slice(0, 4)).toEqual([
      '   0.010 s  listening                     opened opening {"who":"user","fallback":null}',
      expect.stringContaining('→ announce state "listening"'),
      '   0.020 s  listening → responding        text_received text "Question 1?" urgency "soon"',
      expect.stringContaining('→ add_user_message text "Question 1?" medium "text"'),
    ]);
  });

  it('ignores the order of fields when it compares effects', () => {
    const trace = parseTrace(traced(1));
    const [opened, ...rest] = trace.steps;
    const turned = opened?.effects?.map((effect) => Object.fromEntries(Object.entries(effect).reverse()));
    const steps = [{ ...opened, effects: turned }, ...rest] as Trace['steps'];
    expect(replayTrace({ ...trace, steps }).every(({ isSame }) => isSame)).toBe(true);
  });
});

describe('parseTrace and TurnTrace', () => {
  it('write nothing when retention is zdr or tracing is disabled', () => {
    expect(traced(1, 'zdr')).toBe('');
    const initial = initialTurnState();
    const call = { accountId: 'a', callId: 'c', retention: 'retain' } as const;
    expect(TurnTrace.open(null, { call, initial, resumed: false, callTimeMs: () => 0 })).toBeNull();
  });

  it('end a trace of the maximum size with a complete line', () => {
    const text = traced(20_000);
    expect(text.length).toBeGreaterThan(1_999_000);
    expect(text.length).toBeLessThanOrEqual(2_000_000);
    const { steps } = parseTrace(text);
    expect(steps.length).toBeGreaterThan(3000);
    expect(
      replayTrace({ ...parseTrace(text), steps: steps.slice(0, 300) }).every(({ isSame }) => isSame),
    ).toBe(true);
  });

  it('read a trace up to the line that a crash truncated', () => {
    const text = traced(2);
    expect(parseTrace(text.slice(0, -5)).steps).toHaveLength(parseTrace(text).steps.length - 1);
  });

  it.each([
    ['', 'the trace is empty'],
    ['{"vers', 'no complete line'],
    ['{"version":2,"initial":{}}\n', 'version 2'],
    ['{"version":1,"initial":{}}\nx\n', 'line 2 is not a JSON object'],
    ['{"version":1,"initial":{}}\n{}\n', 'line 2 is not a trace step'],
  ])('reject an invalid trace: %j', (text, reason) => {
    expect(() => parseTrace(text)).toThrow(reason);
  });
});
