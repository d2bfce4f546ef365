import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../../api/client.ts';
import { editable, type Template } from '../template-paths.ts';

/** The settings of a version, without secrets; of none (null) they are empty. A version never changes. */
export function useVersion(agentId: string, revisionId: string | null) {
  return useQuery({
    queryKey: ['agent', agentId, 'revision', revisionId],
    queryFn: async (): Promise<Template> => {
      if (revisionId === null) return {};
      const path = { agent_id: agentId, revision_id: revisionId };
      const revision = await answerOf(
        api.GET('/api/agents/{agent_id}/revisions/{revision_id}', { params: { path } }),
      );
      return editable(revision.callTemplate);
    },
    staleTime: Infinity,
  });
}
