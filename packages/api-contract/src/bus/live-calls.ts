import { Type, type Static } from 'typebox';
import { StageSpec } from '../call-spec.ts';
import { Closed, FaultEntry, Uuid } from '../rest/common.ts';
import { CorpusQueryResult } from '../rest/corpus.ts';
import { defineRequest } from './request-reply.ts';

export const StageQuestion = Closed({
  accountId: Uuid,
  callId: Uuid,
  /** The stage that the call is in. */
  currentStageId: Uuid,
  /** Of the new stage; who asks again with the same id gets the same stage. */
  stageId: Uuid,
  /** What a tool answered: whether it says how a stage is, is for the answer to tell. */
  body: Type.Unknown(),
  /** With how many messages of the call the stage begins, where the body names none. */
  carriedMessages: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
});
export type StageQuestion = Static<typeof StageQuestion>;

/** The stage, which is stored, or all that is wrong with the body. */
export const StageAnswer = Type.Union([
  Closed({ stage: StageSpec }),
  Closed({ faults: Type.Array(FaultEntry, { minItems: 1 }) }),
]);
export type StageAnswer = Static<typeof StageAnswer>;

/** Makes the stage that a new-stage answer describes. */
export const STAGE_EXCHANGE = defineRequest(
  { name: 'new stage', subject: 'live_calls.stages', limitMs: 4000 },
  StageQuestion,
  StageAnswer,
);

const CorpusQuestion = Closed({
  accountId: Uuid,
  corpusId: Type.String({ maxLength: 256 }),
  query: Type.String({ maxLength: 4096 }),
  maxResults: Type.Integer({ minimum: 1, maximum: 20 }),
});
export type CorpusQuestion = Static<typeof CorpusQuestion>;

const CorpusAnswer = Type.Array(CorpusQueryResult);

/** Looks up passages, as `POST /api/corpora/{corpus_id}/query` does. */
export const CORPUS_EXCHANGE = defineRequest(
  { name: 'corpus query', subject: 'live_calls.corpora', limitMs: 2000 },
  CorpusQuestion,
  CorpusAnswer,
);

const RefusedJoin = Closed({ callId: Uuid });
export type RefusedJoin = Static<typeof RefusedJoin>;

/** Records that a client was rejected for lack of capacity before any client joined the call. */
export const REFUSED_JOIN_EXCHANGE = defineRequest(
  { name: 'refused join', subject: 'live_calls.refused_joins', limitMs: 2000 },
  RefusedJoin,
  Closed({}),
);

const DialQuestion = Closed({ callId: Uuid });
export type DialQuestion = Static<typeof DialQuestion>;

/**
 * `dialled`: the provider was asked to ring, now or before. `refused`: it won't, and why, in a sentence for the call's owner; asking
 * again changes nothing.
 */
const DialAnswer = Type.Union([
  Closed({ outcome: Type.Literal('dialled') }),
  Closed({ outcome: Type.Literal('refused'), detail: Type.String({ maxLength: 1000 }) }),
]);
export type DialAnswer = Static<typeof DialAnswer>;

/** Dials the number of an outgoing call with the account's credentials. Repeated requests dial at most once. */
export const DIAL_EXCHANGE = defineRequest(
  { name: 'dialling', subject: 'live_calls.dialling', limitMs: 15_000 },
  DialQuestion,
  DialAnswer,
);
