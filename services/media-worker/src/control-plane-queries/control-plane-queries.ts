import { CORPUS_EXCHANGE, STAGE_EXCHANGE } from '@calls/api-contract/bus/live-calls';
import type { Bus } from '@calls/bus/bus';
import { createStageSeals } from '@calls/bus/call-seal';
import { InvalidStageError, type ToolServices } from '@calls/conversation/ports/tools';

/** Requests to control-planes for data from the database: new stages and corpus passages. */
export function createControlPlaneQueries(
  bus: Pick<Bus, 'request'>,
  joinTokenSecrets: readonly string[],
): Pick<ToolServices, 'stages' | 'corpora'> {
  const { questions, answersTo } = createStageSeals(joinTokenSecrets);
  return {
    stages: {
      async resolve(question, signal) {
        const sealed = await bus.request(STAGE_EXCHANGE, questions.seal(question), signal);
        const answer = answersTo(question).open(sealed);
        if ('faults' in answer) throw new InvalidStageError(answer.faults);
        return answer.stage;
      },
    },
    corpora: { query: (query, signal) => bus.request(CORPUS_EXCHANGE, query, signal) },
  };
}
