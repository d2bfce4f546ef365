import { described, Pattern } from '@calls/foundation/schema/annotations';
import { Closed, DateTime, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { Duration } from '../duration.ts';
import { Metadata } from '../rest/call-setting-values.ts';
import { AnalysisOutcome } from '../rest/call-analysis.ts';
import { EndReason } from '../rest/enums.ts';
import { Several } from './operation.ts';

const TimeOfDay = Pattern(
  '^(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,6})?)?Z?$',
  'must be a time of day in UTC, such as "08:30:00"',
);

/** Query parameters that select calls. Bounds are inclusive; a call must match all of them. */
export const callFilters = {
  agentIds: Type.Optional(Several(Uuid, 'Calls of these agents.')),
  durationMin: Type.Optional(described(Duration, 'Shortest time from joined to ended.')),
  durationMax: Type.Optional(described(Duration, 'Longest time from joined to ended.')),
  fromDate: Type.Optional(described(DateTime, 'Earliest time of creation.')),
  toDate: Type.Optional(described(DateTime, 'Latest time of creation.')),
  timeOfDayStart: Type.Optional(
    described(TimeOfDay, 'Earliest time of day of creation, in UTC. Defaults to the start of the day.'),
  ),
  timeOfDayEnd: Type.Optional(
    described(TimeOfDay, 'Latest time of day of creation, in UTC. Defaults to the end of the day.'),
  ),
  metadata: Type.Optional(
    described(Metadata, 'Metadata that calls must have, for example `metadata[room]=12`.'),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        "Words of the agent's name, short summary, metadata or SIP addresses, not case-sensitive; the last one can be a prefix. Or the id of a call, or a phone number.",
    }),
  ),
  voiceId: Type.Optional(described(Uuid, 'Calls with this voice.')),
  endReasons: Type.Optional(Several(EndReason, 'Calls that ended for one of these reasons.')),
  analysisOutcome: Type.Optional(described(AnalysisOutcome, 'Calls whose analysis has this outcome.')),
  analysisCriteria: Type.Optional(
    Type.Record(Type.String(), AnalysisOutcome, {
      maxProperties: 30,
      description: 'Outcomes of criteria, for example `analysisCriteria[booked]=success`.',
    }),
  ),
  analysisData: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 256 }), {
      maxProperties: 30,
      description:
        'Extracted texts, numbers or booleans of up to 256 characters, for example `analysisData[city]=Bern`.',
    }),
  ),
};
export const CallFilters = Closed(callFilters);
export type CallFilters = Static<typeof CallFilters>;

/** Orders of a list of calls; `-` reverses one. */
export const CALL_SORTS = ['created', '-created', 'ended', '-ended', 'duration', '-duration'] as const;
export type CallSort = (typeof CALL_SORTS)[number];
