import { createHash } from 'node:crypto';
import type {
  AnyOperation,
  ResponseOf,
  BodyOf,
  PathParameter,
  QueryOf,
} from '@calls/api-contract/operations/operation';
import { DEFAULT_PAGE_SIZE } from '@calls/api-contract/rest/common';
import { withoutSecrets } from '@calls/api-contract/secrets';
import { systemClock } from '@calls/foundation/clock';
import { compileInHalfTheTime } from '@calls/foundation/schema/compile-validators';
import { currentTrace, runInTrace } from '@calls/foundation/trace-context';
import type { PageSource } from '@calls/store/keyset';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { Type } from 'typebox';
import type { BulkWork } from '../untrusted-work/bulk-work.ts';
import { callerOf, type Caller } from './authentication.ts';
import { bodyParsers } from './body-parsers.ts';
import { bodyReader, type BodyReader, type BodyRules } from './body-reader.ts';
import { callTokenGate, withoutAccess } from './call-token-gate.ts';
import { assertPathParameters, onlyMethods } from './route-guards.ts';
import { roleGate } from './role-gate.ts';
import { readPage, queryReader, type Paging } from './paging.ts';

/** A validated request. */
export interface ApiRequest<O extends AnyOperation = AnyOperation> {
  readonly caller: Caller;
  /** Throws if the caller has a call token. Only operations with a `callScope` accept those. */
  readonly holder: KeyHolder;
  /** Empty in the admin API. */
  readonly accountId: string;
  /** Whether the request comes from a console session. */
  readonly fromConsole: boolean;
  readonly params: Readonly<Record<PathParameter<O['path']>, string>>;
  readonly query: QueryOf<O>;
  /** The body in the schema's spelling, without read-only fields and without nulls for unset fields. */
  readonly body: BodyOf<O>;
  readonly http: { readonly request: Request; readonly response: Response };
}

/** The result of a list operation: the source of the rows and the view of each. */
export interface List<Row, Item> {
  readonly source: PageSource<Row>;
  readonly item: (row: Row) => Item | Promise<Item>;
}

// 204 handlers return nothing.
// oxlint-disable-next-line typescript/no-invalid-void-type
type ResponseBody<O extends AnyOperation> = O['status'] extends 204 ? void : ResponseOf<O>;
type ItemOf<O> = ResponseOf<O> extends { results: (infer Item)[] } ? Item : never;
const noRules: BodyRules = { issues: () => [] };
type Handle = (request: ApiRequest, http: ApiRequest['http']) => Promise<void>;

/**
 * Builds routes from the operations of the contract: path, method, validation of parameters, query and body, and
 * status. Handlers get valid requests. An HttpProblem that they throw becomes the response.
 */
export class ApiRouter {
  readonly #paging: Paging;
  readonly #bulkWork: BulkWork;
  readonly #compilations: (() => void)[] = [];
  readonly #routes: { operation: AnyOperation; handlers: RequestHandler[] }[] = [];

  /** `bulkWork` reads large bodies. */
  constructor(paging: Paging, bulkWork: BulkWork) {
    this.#paging = paging;
    this.#bulkWork = bulkWork;
  }

  /** The handler's result becomes the JSON response; 204 has none. */
  on<O extends AnyOperation>(
    operation: O,
    handle: (request: ApiRequest<O>) => Promise<ResponseBody<O>>,
    rules: BodyRules = noRules,
  ): this {
    const respond: Handle = async (request, { request: raw, response }) => {
      const result = await handle(request);
      response.status(operation.status);
      if (operation.status === 204) response.end();
      else {
        const shown = withoutMarked(operation, result);
        sendJson(raw, response, isLimited(request.caller) ? withoutAccess(shown) : shown);
      }
    };
    return this.#add(operation, respond, rules);
  }

  /** The handler returns the source of the rows. The router adds the page, its links and the total. */
  list<O extends AnyOperation, Row>(
    operation: O,
    handle: (request: ApiRequest<O>) => Promise<List<Row, ItemOf<O>>> | List<Row, ItemOf<O>>,
  ): this {
    return this.#add(operation, async (request, { request: raw, response }) => {
      const { source, item } = await handle(request);
      const { defaultPageSize = DEFAULT_PAGE_SIZE } = operation;
      const { accountId, query } = request;
      const shown = isLimited(request.caller) ? async (row: Row) => withoutAccess(await item(row)) : item;
      const page = await readPage(this.#paging, raw, { accountId, query, defaultPageSize }, source, shown);
      sendJson(raw, response, withoutMarked(operation, page));
    });
  }

  /** The handler writes the response itself: audio, redirects or other content. */
  raw<O extends AnyOperation>(
    operation: O,
    handle: (request: ApiRequest<O>) => Promise<void>,
    rules: BodyRules = noRules,
  ): this {
    return this.#add(operation, (request) => handle(request), rules);
  }

  /** Adds literal paths before those with parameters. Paths reject methods that they do not support. */
  build(): Router {
    const router = Router();
    const paths = [...new Set(this.#routes.map(({ operation }) => operation.path))].sort(literalFirst);
    for (const path of paths) {
      const route = router.route(path.replace(/\{(\w+)\}/gu, ':$1'));
      const here = this.#routes.filter(({ operation }) => operation.path === path);
      for (const { operation, handlers } of here) {
        route[operation.method.toLowerCase() as 'get'](...handlers);
      }
      route.all(onlyMethods(...here.map(({ operation }) => operation.method)));
    }
    return router;
  }

  /** Compiles the body validators. The others are smaller, and most processes never need most of them. */
  compile(): Promise<void> {
    return compileInHalfTheTime(systemClock, this.#compilations.splice(0));
  }

  #add(operation: AnyOperation, handle: Handle, rules: BodyRules = noRules): this {
    const body = bodyReader(operation, rules, this.#bulkWork);
    if (body) this.#compilations.push(body.compile);
    const read = requestReader(operation, body);
    const respond: RequestHandler = async (request, response) => {
      const valid = await read(request, response);
      const { call_id: callId } = valid.params as { call_id?: string };
      return runInTrace(currentTrace(), () => handle(valid, { request, response }), callId);
    };
    const gates = [callTokenGate(operation), roleGate(operation)];
    this.#routes.push({ operation, handlers: [...gates, ...bodyParsers(operation), respond] });
    return this;
  }
}

/** Removes the fields that the response schema marks as secret, whatever the handler returns. */
function withoutMarked<T>({ response: schema }: AnyOperation, body: T): T {
  return schema ? withoutSecrets(schema, body) : body;
}

function requestReader(
  operation: AnyOperation,
  body: BodyReader | undefined,
): (request: Request, response: Response) => Promise<ApiRequest> {
  const readQuery = queryReader(operation.query ?? Type.Object({}));
  return async (request, response) => {
    const params = request.params as Record<string, string>;
    assertPathParameters(params);
    const query = readQuery(request);
    const caller = callerOf(response);
    const accountId = ownerOf(caller);
    const given: unknown = request.body;
    const value =
      body && isJson(request)
        ? await body.read(given === undefined ? {} : given, accountId, response)
        : given;
    return {
      caller,
      get holder() {
        if (caller.by !== 'key') throw new Error('the operation requires an API key');
        return caller.key;
      },
      accountId,
      fromConsole: caller.by === 'key' && caller.fromConsole,
      params,
      query,
      body: value,
      http: { request, response },
    };
  };
}

/** Whether the caller may not join calls. */
function isLimited(caller: Caller): boolean {
  return caller.by === 'call_token' || (caller.by === 'key' && caller.key.role === 'viewer');
}

/** The account whose data the request is about; administrators have no account. */
function ownerOf(caller: Caller): string {
  switch (caller.by) {
    case 'key':
      return caller.key.accountId;
    case 'call_token':
      return caller.token.accountId;
    case 'admin_token':
      return '';
  }
}

/** Any type except the other forms that the operation accepts. A body without a type counts as JSON. */
function isJson(request: Request): boolean {
  return !request.is(['multipart/form-data', 'application/x-www-form-urlencoded']);
}

function literalFirst(a: string, b: string): number {
  const rank = (path: string): string => path.replaceAll('{', '~');
  return rank(a) < rank(b) ? -1 : 1;
}

/**
 * Sends a JSON response. To GET, it has an entity tag, and the response is 304 if the client already has this content.
 * The tag is weak, because the same content may be compressed in several ways.
 */
function sendJson(request: Request, response: Response, body: unknown): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.json(body);
    return;
  }
  const text = JSON.stringify(body);
  const tag = createHash('sha256').update(text).digest('base64url');
  response.set('ETag', `W/"${tag}"`).vary('Accept-Encoding');
  // `request.fresh` would ignore the condition of browsers' scripts, which `fetch` sends with `Cache-Control: no-cache`.
  if (request.get('If-None-Match')?.includes(`"${tag}"`)) response.status(304).end();
  else response.type('json').send(text);
}
