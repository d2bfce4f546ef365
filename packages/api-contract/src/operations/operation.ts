import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { Closed, DEFAULT_PAGE_SIZE, PageOf, pageQuery } from '../rest/common.ts';

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an operation without a query or a body
export type NoFields = TObject<Record<never, never>>;

export type SuccessStatus = 200 | 201 | 204;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What the token of a call may be for; tool servers may agree on others, which open nothing here. */
export type CallScope = 'call.read' | 'call.send_data_message';

/** What an operation answers on success that isn't JSON: a media type, or a redirect. */
export interface OtherResponse {
  readonly status: number;
  /** Absent: no body. */
  readonly mediaType?: string;
  readonly description: string;
}

/**
 * One operation of the REST API: the only description of it. The routes validate by it, the OpenAPI document, the
 * contract tests and the typed client are made from it.
 */
export interface Operation<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
  Status extends SuccessStatus = SuccessStatus,
> {
  /** camelCase, unique: the name of the method in the typed client. */
  readonly id: string;
  readonly method: Method;
  /** With its parameters in braces: `/api/agents/{agent_id}`. */
  readonly path: Path;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: true;
  /** Needs no key. */
  readonly open?: true;
  /** The token of the call in the path opens it too, with this scope. */
  readonly callScope?: CallScope;
  readonly query?: Query;
  /** Of a JSON body; an absent body counts as `{}`. */
  readonly body?: Body;
  /** Other forms of the body, by media type. */
  readonly otherBodies?: Readonly<Record<string, TSchema>>;
  readonly maxBodyBytes?: number;
  /** Of the success. */
  readonly status: Status;
  /** Of a JSON answer; absent: none, or what `otherAnswers` say. */
  readonly response?: Answer;
  readonly otherResponses?: readonly OtherResponse[];
  /** Statuses of refusals besides 400, 401, 404 (where the path has parameters), 429 and 503. */
  readonly errorStatuses?: readonly number[];
  /** What the items of a list answer are, by their name in the OpenAPI document. */
  readonly lists?: true;
  /** Of a list; DEFAULT_PAGE_SIZE where it is not set. */
  readonly defaultPageSize?: number;
}

export type AnyOperation = Operation;

/** `/a/{b_id}/{c}` → `b_id` | `c`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

export type QueryOf<O> = O extends Operation<string, infer Q> ? Static<Q> : never;
export type BodyOf<O> = O extends Operation<string, TSchema, infer B> ? Static<B> : never;
export type ResponseOf<O> = O extends Operation<string, TSchema, TSchema, infer A> ? Static<A> : never;

export function defineOperation<
  const Path extends string,
  Query extends TSchema = NoFields,
  Body extends TSchema = NoFields,
  Answer extends TSchema = NoFields,
  const Status extends SuccessStatus = SuccessStatus,
>(operation: Operation<Path, Query, Body, Answer, Status>): Operation<Path, Query, Body, Answer, Status> {
  return operation;
}

type PageQueryProperties = ReturnType<typeof pageQuery>['properties'];

/** A `GET` that answers pages. `filters` are the query parameters besides `cursor` and `pageSize`. */
export function defineList<
  const Path extends string,
  Item extends TSchema,
  Filters extends Record<string, TSchema> = Record<string, never>,
>(list: {
  id: string;
  path: Path;
  tag: string;
  summary: string;
  description?: string;
  callScope?: CallScope;
  filters?: Filters;
  defaultPageSize?: number;
  item: Item;
  itemName: string;
}): Operation<Path, TObject<PageQueryProperties & Filters>, NoFields, ReturnType<typeof PageOf<Item>>> {
  const { filters, item, itemName, ...rest } = list;
  const { properties: paging } = pageQuery(rest.defaultPageSize ?? DEFAULT_PAGE_SIZE);
  return {
    ...rest,
    method: 'GET',
    status: 200,
    query: Closed({ ...paging, ...filters } as PageQueryProperties & Filters),
    response: PageOf(item, itemName),
    lists: true,
  };
}

/** Of a query parameter that may be given several times. */
export function Several<S extends TSchema>(item: S, maxItems = 100) {
  return Type.Array(item, { minItems: 1, maxItems });
}
