import { ACCEPTED_MARK } from '@calls/foundation/schema/keywords';
import { Type, type TObject, type TSchema } from 'typebox';
import type { SettingsSchema } from './tts-vendor.ts';

/** The settings that a vendor's adapter accepts: those of the API within the marked limits, and the vendor's own. */
export function acceptedSettings<S extends SettingsSchema, P extends Record<string, TSchema>>(
  settings: S,
  own: P,
): TObject<S['properties'] & P> {
  const { properties, required = [] } = accepted(settings) as { properties: object; required?: string[] };
  return {
    ...Type.Object({}, { additionalProperties: false }),
    properties: { ...properties, ...own },
    required,
  } as TObject<S['properties'] & P>;
}

function accepted(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(accepted);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [ACCEPTED_MARK]: limits, title: _title, ...rest } = schema as Record<string, unknown>;
  const inner = Object.entries(rest).map(([key, value]) => [
    key,
    key === 'properties' ? each(value as object) : accepted(value),
  ]);
  return { ...(Object.fromEntries(inner) as object), ...(limits as object | undefined) };
}

/** Converts the schemas in `properties`. Its keys are field names, so a field called `title` is not the keyword. */
function each(properties: object): object {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, accepted(schema)]));
}
