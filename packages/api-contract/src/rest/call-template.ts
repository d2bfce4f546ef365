import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { DateTime, JsonObject } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { callSettingsOf } from './call-settings.ts';
import { defineResource } from './resource.ts';

/**
 * The settings that the calls of an agent share. Texts that are marked as templated can hold variables (`{{name}}`, dotted paths),
 * which the `templateContext` of a call fills in.
 */
export const CallTemplate = defineResource('CallTemplate', {
  name: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the template.' })),
  created: ReadOnly(described(DateTime, 'When the template was created.')),
  updated: ReadOnly(described(DateTime, 'When the template was last changed.')),
  ...callSettingsOf.template,
  contextSchema: Type.Optional(
    described(
      JsonObject,
      'JSON Schema for the `templateContext` of a call. Derived from the variables of the template if absent.',
    ),
  ),
});
/** The template in responses. */
export type CallTemplateResponse = Static<typeof CallTemplate.Response>;
/** The template in requests and as stored: without its times, with its secrets. */
export type CallTemplate = Static<typeof CallTemplate.Request>;
