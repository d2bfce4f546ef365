import { describe, expect, it } from '@jest/globals';
import {
  FIRST_SCENARIO,
  freeName,
  linesOf,
  playable,
  toolsOf,
  withAdded,
  withExpected,
  withLines,
  type Scenario,
} from './scenario.ts';

const scenario = (given: Partial<Scenario> = {}): Scenario => ({
  name: 'books',
  caller: { script: [{ say: 'Hello.' }, { say: 'A table, please.' }] },
  ...given,
});

describe('withAdded', () => {
  it('adds a scenario once, and returns the first scenario instead of an empty list', () => {
    const [first, second] = [scenario(), scenario({ name: 'call 1' })];
    expect(withAdded([first], second)).toEqual([first, second]);
    expect(withAdded([first, second], second)).toEqual([first, second]);
    expect(withAdded([], second)).toEqual([second]);
    expect(withAdded([], null)).toEqual([FIRST_SCENARIO]);
  });
});

describe('scenario form', () => {
  it('has a line for each utterance of the caller', () => {
    expect(linesOf(scenario())).toBe('Hello.\nA table, please.');
    expect(withLines(scenario(), 'Hi.\nBye.').caller).toEqual({ script: [{ say: 'Hi.' }, { say: 'Bye.' }] });
  });

  it.each<[string, Scenario['caller']]>([
    ['a goal', { goal: 'Book a table.' }],
    ['silence', { script: [{ say: 'Hello.' }, { silence: '5s' }] }],
    ['a voice', { script: [{ say: 'Hello.' }], voice: 'rms' }],
    ['lines with breaks', { script: [{ say: 'Hello.\nBye.' }] }],
  ])('has no lines when the caller has %s', (_, caller) => {
    expect(linesOf(scenario({ caller }))).toBeNull();
  });

  it('sets one expectation and retains the others', () => {
    const before = scenario({ expect: { says: ['booked'], endReason: 'hangup' } });
    expect(withExpected(before, 'neverSays', ['no']).expect).toEqual({
      says: ['booked'],
      neverSays: ['no'],
      endReason: 'hangup',
    });
    expect(withExpected(before, 'says', []).expect).toEqual({ endReason: 'hangup' });
    expect(withExpected(scenario({ expect: { says: ['booked'] } }), 'says', [])).toEqual(scenario());
  });

  it('lists the expected tools unless their number of calls or arguments are expected too', () => {
    expect(toolsOf(scenario())).toEqual([]);
    expect(toolsOf(scenario({ expect: { tools: [{ name: 'book' }] } }))).toEqual(['book']);
    expect(toolsOf(scenario({ expect: { tools: [{ name: 'book', times: 1 }] } }))).toBeNull();
  });

  it('sends the scenario without empty lines, and with values for variables that it does not set', () => {
    const given = withLines(scenario(), 'Hello.\n\n ');
    expect(playable(given, {})).toEqual({ name: 'books', caller: { script: [{ say: 'Hello.' }] } });
    expect(playable(given, { city: 'Rome' }).call).toEqual({ templateContext: { city: 'Rome' } });
    const call = { medium: 'phone', templateContext: { city: 'Bern' } } as const;
    expect(playable({ ...given, call }, { city: 'Rome' }).call).toEqual(call);
  });

  it('suggests a name that no other scenario has', () => {
    expect(freeName([scenario({ name: 'scenario 3' }), scenario()])).toBe('scenario 4');
  });
});
