import { Closed, Uuid } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { StageSpec } from '../call-spec.ts';
import { IssueEntry } from '../rest/common.ts';
import { CorpusQueryResult } from '../rest/corpus.ts';
import { defineRequest } from './request-reply.ts';

export const StageRequestMessage = Closed({
  accountId: Uuid,
  callId: Uuid,
  /** The current stage of the call. */
  currentStageId: Uuid,
  /** Id of the new stage. Repeated requests with the same id return the same stage. */
  stageId: Uuid,
  /** The tool's result; not validated yet. */
  body: Type.Unknown(),
  /** Number of messages carried over if the body has no initial messages. */
  carriedMessages: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
});
export type StageRequestMessage = Static<typeof StageRequestMessage>;

/** The stored stage, or all issues of the body. */
export const StageReplyMessage = Type.Union([
  Closed({ stage: StageSpec }),
  // The name is that of earlier versions, which run beside this one during an upgrade.
  Closed({ faults: Type.Array(IssueEntry, { minItems: 1 }) }),
]);
export type StageReplyMessage = Static<typeof StageReplyMessage>;

/** Creates the stage that a new-stage result describes. */
export const STAGE_REQUEST = defineRequest(
  { name: 'new stage', subject: 'live_calls.stages', limitMs: 4000 },
  StageRequestMessage,
  StageReplyMessage,
);

const CorpusRequestMessage = Closed({
  accountId: Uuid,
  corpusId: Type.String({ maxLength: 256 }),
  query: Type.String({ maxLength: 4096 }),
  maxResults: Type.Integer({ minimum: 1, maximum: 20 }),
});
export type CorpusRequestMessage = Static<typeof CorpusRequestMessage>;

const CorpusReplyMessage = Type.Array(CorpusQueryResult);

/** Queries a corpus like `POST /api/corpora/{corpus_id}/query`. */
export const CORPUS_REQUEST = defineRequest(
  { name: 'corpus query', subject: 'live_calls.corpora', limitMs: 2000 },
  CorpusRequestMessage,
  CorpusReplyMessage,
);

const RefusedJoin = Closed({ callId: Uuid });
export type RefusedJoin = Static<typeof RefusedJoin>;

/** Records that a client was rejected for lack of capacity before any client joined the call. */
export const REFUSED_JOIN_REQUEST = defineRequest(
  { name: 'refused join', subject: 'live_calls.refused_joins', limitMs: 2000 },
  RefusedJoin,
  Closed({}),
);

const DialRequestMessage = Closed({ callId: Uuid });
export type DialRequestMessage = Static<typeof DialRequestMessage>;

/**
 * `dialled`: the provider was asked to ring, now or earlier. `refused`: it refused, with a sentence for the call's
 * owner; a repeated request has the same result.
 */
const DialReplyMessage = Type.Union([
  Closed({ outcome: Type.Literal('dialled') }),
  Closed({ outcome: Type.Literal('refused'), detail: Type.String({ maxLength: 1000 }) }),
]);
export type DialReplyMessage = Static<typeof DialReplyMessage>;

/** Dials the number of an outgoing call with the account's credentials. Repeated requests dial at most once. */
export const DIAL_REQUEST = defineRequest(
  { name: 'dialling', subject: 'live_calls.dialling', limitMs: 15_000 },
  DialRequestMessage,
  DialReplyMessage,
);
