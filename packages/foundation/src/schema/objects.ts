import { Type, type TSchema } from 'typebox';
import { Pattern } from './annotations.ts';

/** An object without additional fields. `title` is its name in the OpenAPI document. */
export function Closed<P extends Record<string, TSchema>>(
  properties: P,
  title?: string,
  description?: string,
) {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  });
}

/** An object with exactly one of the (optional) fields; `atLeast` 0: with one or none. */
export function OneOf<P extends Record<string, TSchema>>(
  properties: P,
  title: string,
  atLeast: 0 | 1 = 1,
  description?: string,
) {
  return Type.Object(properties, {
    title,
    ...(description !== undefined && { description }),
    additionalProperties: false,
    ...(atLeast === 1 && { minProperties: 1 }),
    maxProperties: 1,
  });
}

export const Uuid = Type.String({ format: 'uuid' });
export const HttpUrl = Pattern('^https?://[^\\s]+$', 'must be an http:// or https:// URL', {
  maxLength: 2048,
});
export const DateTime = Type.String({ format: 'date-time' });
export const JsonObject = Type.Record(Type.String(), Type.Unknown());

export function Nullable<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** Matches a UUID, as the source of a regular expression. */
export const UUID_PATTERN = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const UUID = new RegExp(`^${UUID_PATTERN}$`, 'u');

/** Whether PostgreSQL accepts the text as a UUID in its usual format. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
