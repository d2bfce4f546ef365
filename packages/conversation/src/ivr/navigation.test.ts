import { describe, expect, it } from '@jest/globals';
import type { IvrNavigationSpec } from '@calls/api-contract/call-spec';
import {
  DEFAULT_NAVIGATION,
  initialNavigation,
  MAX_PROMPT_MS,
  OPTION_PAUSE_MS,
  promptPauseMs,
  stepNavigation,
  type NavigationEvent,
  type NavigationState,
} from './navigation.ts';

const MENU = 'for sales press one';
const ivr: NavigationEvent = { type: 'answered', answeredBy: 'ivr' };
const wait = (...options: string[]): NavigationEvent => ({ type: 'wait', options });
const words = (text: string, isInterim = false): NavigationEvent => ({ type: 'words', text, isInterim });
const over = (text: string): NavigationEvent => ({ type: 'prompt_over', text });

/** The state after these events, and why navigation began (+) or ended (-) on the way. */
function after(
  settings: Partial<IvrNavigationSpec>,
  ...events: NavigationEvent[]
): { state: NavigationState; causes: string[] } {
  const spec = { ...DEFAULT_NAVIGATION, ...settings };
  let state = initialNavigation(spec);
  const causes: string[] = [];
  for (const event of events) {
    const step = stepNavigation(state, event, spec);
    state = step.state;
    if (step.cause) causes.push(`${state.isOn ? '+' : '-'}${step.cause}`);
  }
  return { state, causes };
}

describe('stepNavigation', () => {
  it('starts navigation when answering machine detection reports a phone menu', () => {
    expect(after({}, ivr, words(MENU)).causes).toEqual(['+detected']);
    expect(after({}, { type: 'answered', answeredBy: 'machine' }).causes).toEqual([]);
  });

  it('does not start navigation for menu phrases when no phone menu was detected', () => {
    expect(after({}, words(MENU), over(MENU)).causes).toEqual([]);
  });

  it('starts navigation immediately in mode "on", and only by the tool in mode "off"', () => {
    expect(after({ mode: 'on' }).state.isOn).toBe(true);
    expect(after({ mode: 'off' }, ivr, words(MENU)).causes).toEqual([]);
    expect(after({ mode: 'off' }, wait()).causes).toEqual(['+tool']);
  });

  it('ends navigation when a person answers, and restarts it at the next menu', () => {
    const person = 'Bob here, how can I help you';
    expect(after({}, ivr, words(person), words(MENU, true)).causes).toEqual([
      '+detected',
      '-words',
      '+words',
    ]);
    expect(after({}, ivr, words('hello', true)).causes).toEqual(['+detected']);
  });

  it('ends navigation after two consecutive prompts without menu phrases', () => {
    const plain = over('your balance is ten dollars');
    expect(after({}, ivr, over(MENU), plain, over(MENU), words(MENU), plain).state.isOn).toBe(true);
    expect(after({}, ivr, plain, plain).causes).toEqual(['+detected', '-conversation']);
  });

  it('continues navigation in a language without known menu phrases', () => {
    expect(after({}, wait(), over('paina yksi'), over('paina kaksi'), over('paina kolme')).state.isOn).toBe(
      true,
    );
  });
});

describe('promptPauseMs', () => {
  const pause = (state: NavigationState, text: string, promptMs = 1000): number =>
    promptPauseMs(state, text, promptMs, DEFAULT_NAVIGATION);

  it('returns the short pause after an expected option, until that prompt ends', () => {
    const { state } = after({}, wait('billing'));
    expect(pause(state, 'for sales')).toBe(DEFAULT_NAVIGATION.promptPauseMs);
    expect(pause(state, 'for billing')).toBe(OPTION_PAUSE_MS);
    expect(pause(after({}, wait('billing'), over('x')).state, 'for billing')).toBe(2000);
    expect(pause(after({ options: ['billing'] }, ivr, over('x')).state, 'for billing')).toBe(OPTION_PAUSE_MS);
  });

  it('returns 0 for a prompt that reaches the maximum length', () => {
    expect(pause(after({}, ivr).state, MENU, MAX_PROMPT_MS)).toBe(0);
  });
});
