import { Closed } from '@calls/foundation/schema/objects';
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { DEFAULT_PAGE_SIZE, PageOf, pageQuery } from '../rest/common.ts';

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an operation without a query or a body
export type NoFields = TObject<Record<never, never>>;

export type SuccessStatus = 200 | 201 | 204;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Scopes of a call token that this API checks. Tool servers may define others for themselves. */
export type CallScope = 'call.read' | 'call.send_data_message';

/** A successful response that is not JSON: another media type, or a redirect. */
export interface OtherResponse {
  readonly status: number;
  /** Absent: no body. */
  readonly mediaType?: string;
  readonly description: string;
}

/**
 * One request with the JSON of its response. The API reference shows it, and the contract tests send it. Parameters of the
 * path and ids in the body are those of `exampleIds`.
 */
export interface OperationExample {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** Absent for responses without a JSON body. */
  readonly response?: unknown;
}

/**
 * One operation of the REST API. Routes, OpenAPI document, contract tests and typed client are derived from this
 * description.
 */
export interface Operation<
  Path extends string = string,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
  Status extends SuccessStatus = SuccessStatus,
> {
  /** camelCase, unique: the name of the method in the typed client. */
  readonly id: string;
  readonly method: Method;
  /** With its parameters in braces: `/api/agents/{agent_id}`. */
  readonly path: Path;
  readonly tag: string;
  /** A few words without a full stop. */
  readonly summary: string;
  /** What it does, what it needs, and what its own errors mean. */
  readonly description: string;
  readonly example: OperationExample;
  readonly deprecated?: true;
  /** Needs no key. */
  readonly open?: true;
  /** Needs a key with the role `administrator`. */
  readonly byAdministrators?: true;
  /** Also accepts a token of the call in the path that has this scope. */
  readonly callScope?: CallScope;
  /** Accepts an Idempotency-Key: requests with the same key have one effect. */
  readonly idempotent?: true;
  readonly query?: Query;
  /** Schema of the JSON body; an absent body counts as `{}`. */
  readonly body?: Body;
  /** Schemas of other bodies, by media type. */
  readonly otherBodies?: Readonly<Record<string, TSchema>>;
  readonly maxBodyBytes?: number;
  /** Limit of a `multipart/form-data` body; default: `maxBodyBytes`. */
  readonly maxUploadBytes?: number;
  /** Status of the successful response. */
  readonly status: Status;
  /** Schema of a JSON response; absent without one. */
  readonly response?: Response;
  readonly otherResponses?: readonly OtherResponse[];
  /** Error statuses besides 400, 401, 404 (if the path has parameters), 429 and 503. */
  readonly errorStatuses?: readonly number[];
  /** Responds with pages. */
  readonly lists?: true;
  /** Page size of a list; default: DEFAULT_PAGE_SIZE. */
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
  Response extends TSchema = NoFields,
  const Status extends SuccessStatus = SuccessStatus,
>(operation: Operation<Path, Query, Body, Response, Status>): Operation<Path, Query, Body, Response, Status> {
  return operation;
}

type PageQueryProperties = ReturnType<typeof pageQuery>['properties'];

/** A `GET` that responds with pages. `filters` are the query parameters besides `cursor` and `pageSize`. */
export function defineList<
  const Path extends string,
  Item extends TSchema,
  Filters extends Record<string, TSchema> = Record<string, never>,
>(list: {
  id: string;
  path: Path;
  tag: string;
  summary: string;
  description: string;
  example: OperationExample;
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

/** A query parameter that may be given several times. */
export function Several<S extends TSchema>(item: S, description: string) {
  return Type.Array(item, { minItems: 1, maxItems: 100, description });
}
