import { CORPUS_REQUEST, STAGE_REQUEST } from '@calls/api-contract/bus/live-calls';
import { createStageSeals } from '@calls/bus/call-seal';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import { InvalidStageError, type ToolServices } from '@calls/conversation/ports/tools';

/** Requests to control-planes for data from the database: new stages and corpus passages. */
export function createControlPlaneQueries(
  requests: Pick<ControlPlaneRequests, 'send'>,
  joinTokenSecrets: readonly string[],
): Pick<ToolServices, 'stages' | 'corpora'> {
  const { requestSeal, replySealFor } = createStageSeals(joinTokenSecrets);
  return {
    stages: {
      async resolve(request, signal) {
        const sealed = await requests.send(STAGE_REQUEST, requestSeal.seal(request), signal);
        const reply = replySealFor(request).open(sealed);
        if ('faults' in reply) throw new InvalidStageError(reply.faults);
        return reply.stage;
      },
    },
    corpora: { query: (query, signal) => requests.send(CORPUS_REQUEST, query, signal) },
  };
}
