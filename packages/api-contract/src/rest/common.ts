import { Type, type Static, type TSchema } from 'typebox';
import { Pattern } from './annotations.ts';

/** An object without other fields than these. `title` is its name in the OpenAPI document, with the description. */
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

export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export const FaultEntry = Closed({ path: Type.String(), message: Type.String() }, 'Fault');

/** Body of every answer that isn't a success. */
export const ApiError = Closed(
  {
    detail: Type.String(),
    code: Type.String(),
    errors: Type.Optional(Type.Array(FaultEntry)),
  },
  'Error',
);
export type ApiError = Static<typeof ApiError>;

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 20;

/** Query of a list. */
export function pageQuery(defaultPageSize: number) {
  return Closed({
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: defaultPageSize })),
  });
}

/** A list answer: `next` and `previous` are absolute URLs, usable as they are. */
export interface Page<T> {
  results: T[];
  next: string | null;
  previous: string | null;
  total: number;
}

export function PageOf<S extends TSchema>(item: S, itemName: string) {
  return Closed(
    {
      results: Type.Array(item),
      next: Nullable(Type.String({ format: 'uri' })),
      previous: Nullable(Type.String({ format: 'uri' })),
      total: Type.Integer({ minimum: 0 }),
    },
    `Paginated${itemName}List`,
  );
}
