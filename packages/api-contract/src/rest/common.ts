import { Closed, Nullable } from '@calls/foundation/schema/objects';
import { Type, type Static, type TSchema } from 'typebox';

export const IssueEntry = Closed(
  {
    path: Type.String({ description: 'Dotted path of the field; empty for the request as a whole.' }),
    message: Type.String({ description: 'What is wrong with the field.' }),
  },
  'Issue',
  'One problem of a request.',
);

/** Body of every response that is not a success. */
export const ApiError = Closed(
  {
    detail: Type.String({ description: 'Description of the problem for a human reader.' }),
    code: Type.String({ description: 'Stable code in snake_case for programs.' }),
    errors: Type.Optional(
      Type.Array(IssueEntry, {
        description: 'Each problem of the request with its field; absent if the problem is not in a field.',
      }),
    ),
  },
  'Error',
  'Why a request failed.',
);
export type ApiError = Static<typeof ApiError>;

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 20;

/** Query of a list. */
export function pageQuery(defaultPageSize: number) {
  return Closed({
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Where the page starts: the `cursor` in the `next` or `previous` URL of another page.',
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE_SIZE,
        default: defaultPageSize,
        description: 'Maximum number of items in a page.',
      }),
    ),
  });
}

/** A page of a list: `next` and `previous` are absolute URLs. */
export interface Page<T> {
  results: T[];
  next: string | null;
  previous: string | null;
  total: number;
}

export function PageOf<S extends TSchema>(item: S, itemName: string) {
  return Closed(
    {
      results: Type.Array(item, { description: 'Items of this page.' }),
      next: Nullable(Type.String({ format: 'uri' }), 'URL of the next page; null on the last one.'),
      previous: Nullable(Type.String({ format: 'uri' }), 'URL of the previous page; null on the first one.'),
      total: Type.Integer({ minimum: 0, description: 'Number of items on all pages.' }),
    },
    `Paginated${itemName}List`,
    'One page of a list.',
  );
}

export const KeyPrefix = Closed(
  { prefix: Type.String({ description: 'First characters of the secret.' }) },
  'KeyPrefix',
  'The part of a stored secret that responses show.',
);
