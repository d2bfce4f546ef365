import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Pattern } from '../rest/annotations.ts';
import { Metadata } from '../rest/call-settings.ts';
import { Several } from './operation.ts';
import { Closed, DateTime, Uuid } from '../rest/common.ts';
import { EndReason } from '../rest/enums.ts';

const TimeOfDay = Pattern(
  '^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,6})?)?Z?$',
  'must be a time of day in UTC, such as "08:30:00"',
);

/** Query parameters that select calls. Bounds are inclusive; all that is given must hold. */
export const callFilters = {
  agentIds: Type.Optional(Several(Uuid)),
  durationMin: Type.Optional(Duration),
  durationMax: Type.Optional(Duration),
  fromDate: Type.Optional(DateTime),
  toDate: Type.Optional(DateTime),
  timeOfDayStart: Type.Optional(TimeOfDay),
  timeOfDayEnd: Type.Optional(TimeOfDay),
  metadata: Type.Optional(Metadata),
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  voiceId: Type.Optional(Uuid),
  endReasons: Type.Optional(Several(EndReason)),
};
export const CallFilters = Closed(callFilters);
export type CallFilters = Static<typeof CallFilters>;

/** What a list of calls may be in the order of; `-`: the last first. */
export const CALL_SORTS = ['created', '-created', 'ended', '-ended', 'duration', '-duration'] as const;
export type CallSort = (typeof CALL_SORTS)[number];
