import type { CallErrorCode } from '../call-error.ts';
import type { CallStatus } from '../call-events.ts';

/** `call_not_created`: the page's server did not return a join URL. */
export type FailureCode = CallErrorCode | 'call_not_created';

/** What the widget shows. */
export type WidgetState =
  | { phase: 'idle' }
  /** The browser asks the user for permission to use the microphone. */
  | { phase: 'asking' }
  | { phase: 'connecting' }
  | { phase: 'talking'; status: CallStatus }
  | { phase: 'failed'; code: FailureCode }
  | { phase: 'ended' };

/** Texts of the widget in English. The attribute `texts` replaces some or all. */
export const TEXTS = {
  title: 'Voice assistant',
  start: 'Start call',
  again: 'Call again',
  cancel: 'Cancel',
  hangUp: 'Hang up',
  mute: 'Mute',
  unmute: 'Unmute',
  sound: 'Turn on sound',
  idle: 'Talk to our assistant.',
  asking: 'Allow the microphone in your browser.',
  connecting: 'Connecting…',
  listening: 'The assistant is listening.',
  thinking: 'The assistant is thinking…',
  speaking: 'The assistant is speaking.',
  agentLevel: 'Assistant',
  userLevel: 'You',
  muted: 'Your microphone is muted.',
  ended: 'Call ended.',
  microphoneDenied: 'The microphone is blocked. Allow it in the settings of this site, then try again.',
  microphoneMissing: 'No microphone was found. Connect one, then try again.',
  microphoneFailed: 'The microphone does not work, or another program uses it.',
  unsupported: 'Calls do not work in this browser, or this page is not served over https.',
  busy: 'All lines are busy. Try again in a few minutes.',
  networkBlocked: 'Your network blocks calls. Try another network.',
  notCreated: 'The call could not be started. Try again later.',
  failed: 'The connection failed. Check your network, then try again.',
};

export type Texts = typeof TEXTS;

const FAILURE_TEXTS: Partial<Record<FailureCode, keyof Texts>> = {
  microphone_denied: 'microphoneDenied',
  microphone_not_found: 'microphoneMissing',
  microphone_failed: 'microphoneFailed',
  insecure_page: 'unsupported',
  unsupported_browser: 'unsupported',
  no_capacity: 'busy',
  media_not_connected: 'networkBlocked',
  call_not_created: 'notCreated',
  invalid_join_url: 'notCreated',
  bad_token: 'notCreated',
  unknown_call: 'notCreated',
  wrong_medium: 'notCreated',
  connection_blocked: 'notCreated',
};

/** The line that describes the state, which screen readers announce. */
export function statusText(state: WidgetState, isMuted: boolean): keyof Texts {
  switch (state.phase) {
    case 'failed':
      return FAILURE_TEXTS[state.code] ?? 'failed';
    case 'talking':
      if (state.status === 'speaking' || state.status === 'thinking') return state.status;
      if (state.status === 'connecting') return 'connecting';
      return isMuted ? 'muted' : 'listening';
    default:
      return state.phase;
  }
}

/** The label of the button that starts, cancels and ends calls. */
export function buttonText({ phase }: WidgetState): keyof Texts {
  switch (phase) {
    case 'idle':
      return 'start';
    case 'asking':
    case 'connecting':
      return 'cancel';
    case 'talking':
      return 'hangUp';
    case 'failed':
    case 'ended':
      return 'again';
  }
}
