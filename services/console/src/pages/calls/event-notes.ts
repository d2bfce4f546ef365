/** The part of a call event that notes use, in the API and in data messages. */
export interface NotableEvent {
  readonly severity: string;
  readonly type: string;
  readonly text: string;
  readonly extras: Readonly<Record<string, unknown>> | null;
}

/** Events of severity `info` that explain why the agent was late or silent. */
const LATE = new Set(['response_missing', 'reply_slow']);

/** Whether a conversation shows the event: something failed, or speech was dismissed or answered late. */
export function isNotable({ severity, type }: Pick<NotableEvent, 'severity' | 'type'>): boolean {
  return severity === 'warning' || severity === 'error' || LATE.has(type);
}

/** The text of the event, and the words of the user that it refers to. */
export function noteText({ text, extras }: Pick<NotableEvent, 'text' | 'extras'>): string {
  const words = extras?.['text'];
  return typeof words === 'string' && words !== '' ? `${text} “${words}”` : text;
}
