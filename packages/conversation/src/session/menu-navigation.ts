import type { CallSpec, IvrNavigationSpec } from '@calls/api-contract/call-spec';
import { MENU_BEGAN_EVENT, MENU_ENDED_EVENT } from '@calls/api-contract/bus/call-log-entry';
import type { AnsweredBy } from '@calls/api-contract/rest/enums';
import { delay, type Clock } from '@calls/foundation/clock';
import {
  DEFAULT_NAVIGATION,
  initialNavigation,
  promptPauseMs,
  stepNavigation,
  type NavigationCause,
  type NavigationEvent,
  type NavigationState,
} from '../ivr/navigation.ts';
import { saysOption } from '../ivr/prompt-kind.ts';
import type { PhoneMenu } from '../turn/turn-settings.ts';
import type { TurnEvent } from '../turn/turn-types.ts';
import type { CallEvents } from './call-events.ts';

/** Keys wait at most this long for the end of a prompt. */
const MAX_KEY_WAIT_MS = 20_000;

const INSTRUCTION =
  'An automated phone menu is on the line. You get a turn each time its prompt is over. Press keys with a tool instead of naming them. Speak only if the menu asks you to. If nothing is to be done yet, respond with nothing.';
const SILENCE = (seconds: number): string =>
  `The phone menu has said nothing for ${seconds} s. Press a key, say something, wait on, or hang up.`;

export interface MenuNavigationDeps {
  spec: Pick<CallSpec, 'ivrNavigation'>;
  clock: Clock;
  callEvents: Pick<CallEvents, 'add'>;
  dispatch: (event: TurnEvent) => void;
  /** Whether an earlier session of the call left it in a menu. */
  inMenu: boolean;
  /** When the user spoke last, on the monotonic clock. */
  lastSpeechMs: () => number;
  /** Adds an instruction for the agent to the history. */
  instruct: (text: string) => void;
}

/** Follows what a phone menu says, and tells the turn engine when one is on the line. */
export class MenuNavigation {
  readonly #deps: MenuNavigationDeps;
  readonly #settings: IvrNavigationSpec;
  #state: NavigationState;
  #instructed: boolean;
  #hasPressedKeys = false;
  /** An option that the agent waits for was said in the current or newest prompt. */
  #optionSaid = false;

  constructor(deps: MenuNavigationDeps) {
    this.#deps = deps;
    this.#settings = deps.spec.ivrNavigation ?? DEFAULT_NAVIGATION;
    const initial = initialNavigation(this.#settings);
    this.#state = deps.inMenu ? { ...initial, isOn: true, isArmed: true, hasMenu: true } : initial;
    this.#instructed = deps.inMenu;
  }

  /** The menu as the turn engine needs it; null while no menu is on the line. */
  get menu(): PhoneMenu | null {
    return this.#state.isOn ? { silenceLimitMs: this.#settings.silenceLimitMs } : null;
  }

  /** Whether the agent has pressed a key. Later audio does not show what answered the call. */
  get hasPressedKeys(): boolean {
    return this.#hasPressedKeys;
  }

  get isOn(): boolean {
    return this.#state.isOn;
  }

  /** Reports that the call begins in a menu. */
  open(): void {
    if (this.#state.isOn && !this.#deps.inMenu) this.#report('setting');
  }

  answered(answeredBy: AnsweredBy): void {
    this.#step({ type: 'answered', answeredBy });
  }

  /** Handles the transcript of the current utterance so far. */
  transcript(text: string, isInterim: boolean): void {
    this.#step({ type: 'words', text, isInterim });
    this.#optionSaid = saysOption(text, this.#state.options);
  }

  /** An utterance became a message. */
  promptEnded(text: string): void {
    this.#step({ type: 'prompt_over', text });
  }

  /** The agent waits for a prompt, or for one of these words in it. */
  wait(options: readonly string[]): void {
    this.#step({ type: 'wait', options });
  }

  silent(silenceMs: number): void {
    const text = SILENCE(Math.round(silenceMs / 1000));
    this.#deps.callEvents.add('info', 'menu_silent', 'The phone menu said nothing.', { silenceMs });
    this.#deps.instruct(text);
  }

  /** Silence after this transcript that ends the prompt, in milliseconds; null without a menu. */
  pauseMs(text: string, promptMs: number): number | null {
    return this.#state.isOn ? promptPauseMs(this.#state, text, promptMs, this.#settings) : null;
  }

  /**
   * Resolves when the user has been silent for `silenceMs`, or after MAX_KEY_WAIT_MS. Null: the silence that ends a
   * prompt, or 0 without a menu or after an awaited option.
   */
  async untilSilent(silenceMs: number | null, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const isAtOnce = !this.#state.isOn || this.#optionSaid;
    const neededMs = silenceMs ?? (isAtOnce ? 0 : this.#settings.promptPauseMs);
    const latestMs = clock.nowMs() + MAX_KEY_WAIT_MS;
    for (;;) {
      const readyMs = Math.min(latestMs, this.#deps.lastSpeechMs() + neededMs);
      const leftMs = readyMs - clock.nowMs();
      if (leftMs <= 0) break;
      await delay(clock, leftMs, signal);
    }
    this.#hasPressedKeys = true;
  }

  #step(event: NavigationEvent): void {
    const { state, cause } = stepNavigation(this.#state, event, this.#settings);
    this.#state = state;
    if (cause === null) return;
    this.#report(cause);
    this.#deps.dispatch({ type: 'menu_changed', menu: this.menu });
  }

  #report(cause: NavigationCause): void {
    const { callEvents } = this.#deps;
    if (!this.#state.isOn) {
      callEvents.add('info', MENU_ENDED_EVENT, 'The agent no longer listens to a phone menu.', { cause });
      return;
    }
    callEvents.add('info', MENU_BEGAN_EVENT, 'The agent listens to a phone menu.', { cause });
    if (!this.#instructed) this.#deps.instruct(INSTRUCTION);
    this.#instructed = true;
  }
}
