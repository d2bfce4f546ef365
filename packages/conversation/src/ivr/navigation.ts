import type { IvrNavigationSpec } from '@calls/api-contract/call-spec';
import type { AnsweredBy } from '@calls/api-contract/rest/enums';
import { promptKind, saysOption } from './prompt-kind.ts';

/**
 * Why the agent treats the other side as a phone menu, or stops doing so. `conversation`: several prompts had no words
 * of a menu.
 */
export type NavigationCause = 'setting' | 'detected' | 'words' | 'tool' | 'conversation';

export interface NavigationState {
  isOn: boolean;
  /** Whether words of a menu begin navigation, because a menu was or may be on the line. */
  isArmed: boolean;
  /** A menu has spoken since navigation began. */
  hasMenu: boolean;
  /** Prompts since then without words of a menu. */
  plainPrompts: number;
  /** Words that end the wait for the end of the current prompt. */
  options: readonly string[];
}

export type NavigationEvent =
  /** Answering machine detection has a result. */
  | { type: 'answered'; answeredBy: AnsweredBy }
  /** The transcript of the current utterance so far. `isInterim`: before a pause. */
  | { type: 'words'; text: string; isInterim: boolean }
  /** An utterance became a message. */
  | { type: 'prompt_over'; text: string }
  /** The agent waits for a prompt. */
  | { type: 'wait'; options: readonly string[] };

export interface NavigationStep {
  state: NavigationState;
  /** Why navigation began or ended; null if it did neither. */
  cause: NavigationCause | null;
}

/** After this many consecutive prompts without words of a menu, the other side counts as a person. */
const MAX_PLAIN_PROMPTS = 2;
/** Pause after an awaited option. Menus often name the key after the option. */
export const OPTION_PAUSE_MS = 700;
/** A prompt of this length ends at its next pause: menus that talk longer repeat themselves. */
export const MAX_PROMPT_MS = 60_000;

export const DEFAULT_NAVIGATION: IvrNavigationSpec = {
  mode: 'detect',
  promptPauseMs: 2000,
  options: [],
  silenceLimitMs: 15_000,
};

export function initialNavigation({ mode, options }: IvrNavigationSpec): NavigationState {
  const isOn = mode === 'on';
  return { isOn, isArmed: isOn, hasMenu: false, plainPrompts: 0, options };
}

/** Decides when the agent treats the other side as a phone menu. Pure. */
export function stepNavigation(
  state: NavigationState,
  event: NavigationEvent,
  settings: IvrNavigationSpec,
): NavigationStep {
  switch (event.type) {
    case 'answered':
      if (event.answeredBy === 'ivr' && settings.mode !== 'off')
        return begin({ ...state, isArmed: true }, 'detected');
      return stay(state);
    case 'wait':
      return begin({ ...state, isArmed: true, options: [...settings.options, ...event.options] }, 'tool');
    case 'words': {
      const kind = promptKind(event.text);
      if (kind === 'person') return event.isInterim ? stay(state) : end(state, 'words');
      if (kind !== 'menu' || !state.isArmed) return stay(state);
      return begin({ ...state, hasMenu: true, plainPrompts: 0 }, 'words');
    }
    case 'prompt_over':
      return promptEnded({ ...state, options: settings.options }, event.text);
  }
}

function promptEnded(state: NavigationState, text: string): NavigationStep {
  if (!state.isOn || !state.hasMenu || promptKind(text) === 'menu') return stay(state);
  const counted = { ...state, plainPrompts: state.plainPrompts + 1 };
  return counted.plainPrompts < MAX_PLAIN_PROMPTS ? stay(counted) : end(counted, 'conversation');
}

/** Silence after this transcript that ends the prompt, in milliseconds. `promptMs`: length of the prompt so far. */
export function promptPauseMs(
  { options }: NavigationState,
  text: string,
  promptMs: number,
  settings: IvrNavigationSpec,
): number {
  if (promptMs >= MAX_PROMPT_MS) return 0;
  return saysOption(text, options)
    ? Math.min(OPTION_PAUSE_MS, settings.promptPauseMs)
    : settings.promptPauseMs;
}

function begin(state: NavigationState, cause: NavigationCause): NavigationStep {
  return state.isOn
    ? stay(state)
    : { state: { ...state, isOn: true, hasMenu: cause !== 'tool', plainPrompts: 0 }, cause };
}

function end(state: NavigationState, cause: NavigationCause): NavigationStep {
  return state.isOn
    ? { state: { ...state, isOn: false, hasMenu: false, plainPrompts: 0 }, cause }
    : stay(state);
}

function stay(state: NavigationState): NavigationStep {
  return { state, cause: null };
}
