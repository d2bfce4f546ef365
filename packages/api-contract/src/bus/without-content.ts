import { unreachable } from '@calls/foundation/errors';
import type { Message } from '../rest/message.ts';
import {
  ANSWERED_BY_EVENT,
  MEDIA_STATISTICS_EVENT,
  MENU_BEGAN_EVENT,
  MENU_ENDED_EVENT,
  SUPERVISION_EVENTS,
  WARM_TRANSFER_EVENTS,
  type CallLogEntryBody,
} from './call-log-entry.ts';

/**
 * Removes all content from an event of a zero-data-retention call. What remains is who did something, when, for how long,
 * and metrics. Such a call publishes its events only in this form.
 */
export function eventWithoutContent(body: CallLogEntryBody): CallLogEntryBody {
  switch (body.type) {
    case 'joined':
    case 'taken_over':
    case 'output_medium_set':
      return body;
    case 'stage_began':
      return pick(body, ['type', 'stageId', 'messageCount']);
    case 'message_added':
      return { ...body, message: messageWithoutContent(body.message) };
    case 'noted':
      return { ...body, text: '', extras: body.extras && figuresOf(body.extras, CODES[body.eventType]) };
    case 'ended':
      return { ...body, recording: null, ...(body.sip && { sip: { ...body.sip, logKey: null } }) };
    default:
      return unreachable(body);
  }
}

/** Retains role, medium, tool and times, but no content. */
export function messageWithoutContent(message: Message): Message {
  return pick(message, [
    'role',
    'medium',
    'toolName',
    'callStageId',
    'callStageMessageIndex',
    'timespan',
    'wallClockTimespan',
  ]);
}

/** Matches codes and UUIDs. */
const CODE = /^[a-z\d]+(?:[_-][a-z\d]+)*$/iu;
const MAX_CODE_LENGTH = 40;

/** Extras, by event type, whose values are a few fixed codes. Other events have an error code. */
const CODES: Readonly<Record<string, string>> = {
  speech_dismissed: 'reason',
  response_missing: 'reason',
  [ANSWERED_BY_EVENT]: 'answeredBy',
  [MENU_BEGAN_EVENT]: 'cause',
  [MENU_ENDED_EVENT]: 'cause',
  [MEDIA_STATISTICS_EVENT]: 'codec',
  ...Object.fromEntries(SUPERVISION_EVENTS.map((type) => [type, 'supervisorId'])),
  ...Object.fromEntries(WARM_TRANSFER_EVENTS.map((type) => [type, 'outcome'])),
};

/** Numbers, booleans and the value of `codeKey`. */
function figuresOf(extras: Record<string, unknown>, codeKey = 'code'): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(extras).filter(
      ([key, value]) =>
        typeof value === 'number' || typeof value === 'boolean' || (key === codeKey && isCode(value)),
    ),
  );
}

function isCode(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_CODE_LENGTH && CODE.test(value);
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.filter((key) => key in from).map((key) => [key, from[key]])) as Pick<T, K>;
}
