import type { StageSpec } from '@calls/api-contract/call-spec';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import type { Fault } from '@calls/api-contract/validation/validator';
import { AppError } from '@calls/foundation/errors';
import type { ToolHttpRequest } from '../tools/http-request.ts';
import type { ArgumentChecks } from '../tools/tool-arguments.ts';

export interface ToolHttpResponse {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  /** As text; bounded by the adapter. */
  body: string;
}

/** Sends the requests of http tools. */
export interface ToolHttp {
  /**
   * Any answer that came, whatever its status. Throws an AppError where none came in time or none may come (guarded
   * addresses), with a message that the owner of the tool can act on; the signal's reason when it aborts.
   */
  send(
    request: ToolHttpRequest,
    options: { accountId: string; timeoutMs: number; signal: AbortSignal },
  ): Promise<ToolHttpResponse>;
}

/** Looks up passages in the corpora of an account. */
export interface CorpusQueries {
  /** Throws an AppError: there is no such corpus, or nobody answers in time. */
  query(
    query: { accountId: string; corpusId: string; query: string; maxResults: number },
    signal: AbortSignal,
  ): Promise<readonly CorpusQueryResult[]>;
}

export interface StageRequest {
  accountId: string;
  callId: string;
  /** The stage that the call is in. */
  currentStageId: string;
  /** The id of the new stage. Asking again with the same id gives the same stage. */
  stageId: string;
  /** Partial call, as a tool answered it; not validated. */
  body: unknown;
  /** How many messages the new stage begins with, where the body names none: those that are carried over. */
  carriedMessages: number;
}

/** Turns what a new-stage answer says into a stage, and stores it. */
export interface StageResolver {
  /** Throws an InvalidStageError where the body breaks a rule, an AppError where nobody answers in time. */
  resolve(request: StageRequest, signal: AbortSignal): Promise<StageSpec>;
}

export class InvalidStageError extends AppError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const all = faults.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
    super('invalid_stage', `the new stage is invalid: ${all}`, { retryable: false });
    this.faults = faults;
  }
}

/** Makes the tokens by which tool servers act for a call. */
export interface CallTokens {
  /** Valid for this call while it lasts, for these scopes. */
  issue(token: { accountId: string; callId: string; scopes: readonly string[]; expiresAtMs: number }): string;
}

/** What tools of calls reach the world by. */
export interface ToolServices {
  http: ToolHttp;
  corpora: CorpusQueries;
  stages: StageResolver;
  callTokens: CallTokens;
  /** Evaluates the schemas of an account's tools. */
  argumentChecksFor: (accountId: string) => ArgumentChecks;
  /** Headers that sign a request to a customer's address, made anew for each (protocol.md); none without secrets. */
  signatureHeaders(callId: string, secrets: readonly string[]): Readonly<Record<string, string>>;
}
