import {
  CORPUS_EXCHANGE,
  DIAL_EXCHANGE,
  REFUSED_JOIN_EXCHANGE,
  STAGE_EXCHANGE,
  type CorpusQuestion,
} from '@calls/api-contract/bus/live-calls';
import { SIP_CALLER_EXCHANGE, SIP_INVITE_EXCHANGE } from '@calls/api-contract/bus/sip-invites';
import { isUuid } from '@calls/api-contract/validation/is-uuid';
import type { Bus } from '@calls/bus/bus';
import { createStageSeals } from '@calls/bus/call-seal';
import { makeStage, type StageDeps } from '@calls/call-lifecycle/creation/stages/make-stage';
import type { Retriever } from '@calls/corpora/retrieval/retriever';
import { AppError } from '@calls/foundation/errors';
import type { Disposables } from '@calls/foundation/lifecycle';
import { markRefused } from '@calls/store/tables/calls';
import { hasCorpus } from '@calls/store/tables/corpora';
import type { SipInvites } from '../sip/invites.ts';
import type { Dialler } from '../telephony/dialling/dialler.ts';

export interface LiveCallsDeps extends StageDeps {
  bus: Bus;
  retriever: Retriever;
  joinTokenSecrets: readonly string[];
  dialler: Pick<Dialler, 'dial'>;
  sipInvites: Pick<SipInvites, 'admit' | 'answer'>;
}

/** Answers requests of media workers about the calls that they hold. */
export function serveLiveCalls(deps: LiveCallsDeps, disposables: Disposables): void {
  const { bus, db, retriever, joinTokenSecrets, dialler, sipInvites } = deps;
  const { questions, answersTo } = createStageSeals(joinTokenSecrets);

  const stages = bus.respond(STAGE_EXCHANGE, async (sealed) => {
    const question = questions.open(sealed);
    return answersTo(question).seal(await makeStage(deps, question));
  });
  const corpora = bus.respond(
    CORPUS_EXCHANGE,
    async ({ accountId, corpusId, query, maxResults }: CorpusQuestion) => {
      if (!isUuid(corpusId) || !(await hasCorpus(db, accountId, corpusId))) {
        throw new AppError('no_such_corpus', `the account has no corpus ${corpusId}`);
      }
      return retriever.retrieve({ corpusId, query, maxResults });
    },
  );
  const refusals = bus.respond(REFUSED_JOIN_EXCHANGE, async ({ callId }) => {
    await markRefused(db, callId, new Date(deps.clock.wallMs()));
    return {};
  });
  const dials = bus.respond(DIAL_EXCHANGE, ({ callId }) => dialler.dial(callId));
  const invites = bus.respond(SIP_INVITE_EXCHANGE, (invite) => sipInvites.answer(invite));
  const callers = bus.respond(SIP_CALLER_EXCHANGE, (caller) => sipInvites.admit(caller));
  disposables.add('SIP callers', () => callers[Symbol.asyncDispose]());
  disposables.add('SIP invitations', () => invites[Symbol.asyncDispose]());
  disposables.add('dialling', () => dials[Symbol.asyncDispose]());
  disposables.add('refused joins', () => refusals[Symbol.asyncDispose]());
  disposables.add('stages of live calls', () => stages[Symbol.asyncDispose]());
  disposables.add('corpora of live calls', () => corpora[Symbol.asyncDispose]());
}
