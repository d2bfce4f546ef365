import type { CallToolSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import { AppError } from '@calls/foundation/errors';
import type { Issue } from '@calls/foundation/schema/validator';
import type { ToolHttpRequest } from '../tools/http-request.ts';
import type { ArgumentChecks } from '../tools/tool-arguments.ts';

export interface ToolHttpResponse {
  status: number;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Response text; the adapter limits its size. */
  body: string;
  /** Whether the response comes from another URL, to which the tool redirected. */
  isRedirected?: boolean;
}

/** Sends the requests of HTTP tools. */
export interface ToolHttp {
  /**
   * Returns any response, whatever its status. Throws an AppError with a message for the owner of the tool if
   * no response arrives in time or the address is not allowed. Throws the signal's reason when `signal` aborts.
   */
  send(
    request: ToolHttpRequest,
    options: { accountId: string; timeoutMs: number; signal: AbortSignal },
  ): Promise<ToolHttpResponse>;
}

export interface McpToolRequest {
  /** Includes query parameters that carry credentials. */
  url: string;
  /** Credentials of every request to the server. A call has one session for each URL with its credentials. */
  auth: Pick<CallToolSpec['auth'], 'headers' | 'oauthClient'>;
  toolName: string;
  arguments: Readonly<Record<string, unknown>>;
}

export interface McpToolResult {
  /** Text of the result; the adapter limits its size. */
  text: string;
  isError: boolean;
  meta: Readonly<Record<string, unknown>>;
}

/** The sessions of one call with MCP servers. */
export interface McpSessions {
  /**
   * Opens the session if necessary. Throws an AppError with a message for the owner of the tool if no usable response
   * arrives in time or the address is not allowed. Throws the signal's reason when `signal` aborts.
   */
  call(request: McpToolRequest, options: { timeoutMs: number; signal: AbortSignal }): Promise<McpToolResult>;
  /** Ends the sessions, in the background. */
  close(): void;
}

/** Searches the corpora of an account. */
export interface CorpusQueries {
  /** Throws an AppError if the corpus does not exist or the request times out. */
  query(
    query: { accountId: string; corpusId: string; query: string; maxResults: number },
    signal: AbortSignal,
  ): Promise<readonly CorpusQueryResult[]>;
}

export interface StageRequest {
  accountId: string;
  callId: string;
  /** The current stage of the call. */
  currentStageId: string;
  /** The id of the new stage. Idempotent: a repeated request with the same id returns the same stage. */
  stageId: string;
  /** The partial call that the tool returned; not validated. */
  body: unknown;
  /** Number of messages carried over if the body has no initialMessages. */
  carriedMessages: number;
}

/** Creates and stores the stage that a new-stage result describes. */
export interface StageResolver {
  /** Throws an InvalidStageError if the body is invalid, an AppError if the request times out. */
  resolve(request: StageRequest, signal: AbortSignal): Promise<StageSpec>;
}

export class InvalidStageError extends AppError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const all = issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
    super('invalid_stage', `the new stage is invalid: ${all}`, { retryable: false });
    this.issues = issues;
  }
}

/** Issues the tokens with which tool servers act on behalf of a call. */
export interface CallTokens {
  /** The token is valid for this call, until it ends, for these scopes. */
  issue(token: { accountId: string; callId: string; scopes: readonly string[]; expiresAtMs: number }): string;
}

/** External services that tools use. */
export interface ToolServices {
  http: ToolHttp;
  /** Opens the sessions of one call, whose requests have the account and the signature headers of the call. */
  mcp(call: { accountId: string; signatureHeaders: () => Readonly<Record<string, string>> }): McpSessions;
  corpora: CorpusQueries;
  stages: StageResolver;
  callTokens: CallTokens;
  /** Returns the validator for the schemas of the account's tools. */
  argumentChecksFor: (accountId: string) => ArgumentChecks;
  /** Starts the checker of arguments, so that the first check does not wait for it. */
  prepareArgumentChecks: () => void;
  /** Registers work that may outlast its call, such as undoing a tool call. A stopping process waits for it. */
  addBackgroundWork: (work: Promise<void>) => void;
  /** Creates the headers that sign one request to a customer's address (docs/reference/webhooks.md); empty without secrets. */
  signatureHeaders(callId: string, secrets: readonly string[]): Readonly<Record<string, string>>;
}
