import { CORPUS_EXCHANGE, STAGE_EXCHANGE } from '@calls/api-contract/bus/live-calls';
import { createStageSeals } from '@calls/bus/call-seal';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import { InvalidStageError, type ToolServices } from '@calls/conversation/ports/tools';

/** Requests to control-planes for data from the database: new stages and corpus passages. */
export function createControlPlaneQueries(
  requests: Pick<ControlPlaneRequests, 'send'>,
  joinTokenSecrets: readonly string[],
): Pick<ToolServices, 'stages' | 'corpora'> {
  const { questions, answersTo } = createStageSeals(joinTokenSecrets);
  return {
    stages: {
      async resolve(question, signal) {
        const sealed = await requests.send(STAGE_EXCHANGE, questions.seal(question), signal);
        const answer = answersTo(question).open(sealed);
        if ('faults' in answer) throw new InvalidStageError(answer.faults);
        return answer.stage;
      },
    },
    corpora: { query: (query, signal) => requests.send(CORPUS_EXCHANGE, query, signal) },
  };
}
