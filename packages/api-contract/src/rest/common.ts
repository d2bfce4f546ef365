import { Type, type Static, type TSchema } from 'typebox';

/** An object that refuses fields it does not name. */
export function Closed<P extends Record<string, TSchema>>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export const Uuid = Type.String({ format: 'uuid' });
export const DateTime = Type.String({ format: 'date-time' });

export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export const Fault = Closed({ path: Type.String(), message: Type.String() });

/** Body of every answer that isn't a success. */
export const ApiError = Closed({
  detail: Type.String(),
  code: Type.String(),
  errors: Type.Optional(Type.Array(Fault)),
});
export type ApiError = Static<typeof ApiError>;

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 20;

export const PageQuery = Closed({
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE })),
});
export type PageQuery = Static<typeof PageQuery>;

/** A list answer: `next` and `previous` are absolute URLs, usable as they are. */
export interface Page<T> {
  results: T[];
  next: string | null;
  previous: string | null;
  total: number;
}
