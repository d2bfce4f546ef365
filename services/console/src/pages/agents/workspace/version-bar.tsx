import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { InfoIcon } from 'lucide-react';
import { useState } from 'react';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { Changes } from '../../../components/changes.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { TestStatus } from '../tests/test-status.tsx';
import { newestRunOf, useTestRuns } from '../tests/use-test-runs.ts';

/** Shows which version the form contains if it is not the current one, or that a newer version is not published. */
export function VersionBar(props: {
  agent: Schemas['Agent'];
  /** The unpublished version in the form; null: the current one. */
  shown: Schemas['AgentRevisionBasic'] | null;
  hasDraft: boolean;
  /** Shows a version in the form; null: the current one. */
  onShow: (revisionId: string | null) => Promise<void>;
  onPublished: (agent: Schemas['Agent']) => void;
}) {
  const { agent, shown, hasDraft, onShow, onPublished } = props;
  const newest = useNewestVersion(agent);
  const runs = useTestRuns(agent.agentId);
  const show = useMutation({ mutationFn: onShow });
  const version = shown ?? (newest?.published === false ? newest : null);
  if (!version) return null;
  const { revisionId } = version;
  return (
    <Alert
      color={shown ? 'yellow' : 'gray'}
      icon={<InfoIcon />}
      title={shown ? 'This version is not published' : 'The newest version is not published'}
      mb="md"
    >
      <Group justify="space-between" gap="sm">
        <Group gap="xs">
          <Text fz="sm">
            Saved <RelativeTime at={version.created} />
          </Text>
          {runs.data && <TestStatus run={newestRunOf(runs.data, revisionId)} />}
        </Group>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={hasDraft}
            loading={show.isPending}
            onClick={() => show.mutate(shown ? null : revisionId)}
          >
            {shown ? 'Show the current version' : 'Open'}
          </Button>
          <Publish version={version} onPublished={onPublished} />
        </Group>
      </Group>
      {show.error && <ErrorState error={show.error} />}
    </Alert>
  );
}

/** Makes new calls use a version, after a confirmation. */
export function Publish(props: {
  version: Schemas['AgentRevisionBasic'];
  onPublished: (agent: Schemas['Agent']) => void;
}) {
  const { version, onPublished } = props;
  const [isAsking, setIsAsking] = useState(false);
  const path = { agent_id: version.agentId, revision_id: version.revisionId };
  return (
    <>
      <Changes>
        <Button size="xs" onClick={() => setIsAsking(true)}>
          Publish…
        </Button>
      </Changes>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Publish this version?"
        confirmLabel="Publish"
        isHarmless
        onConfirm={async () =>
          onPublished(
            await dataOf(
              api.POST('/api/agents/{agent_id}/revisions/{revision_id}/publish', { params: { path } }),
            ),
          )
        }
      >
        New calls will use its settings, including secrets; live calls keep theirs.
      </ConfirmDialog>
    </>
  );
}

function useNewestVersion({ agentId }: Schemas['Agent']): Schemas['AgentRevisionBasic'] | undefined {
  const { data } = useQuery({
    queryKey: ['agent', agentId, 'revisions', 'newest'],
    queryFn: async () => {
      const params = { path: { agent_id: agentId }, query: { pageSize: 1 } };
      return (await dataOf(api.GET('/api/agents/{agent_id}/revisions', { params }))).results;
    },
  });
  return data?.[0];
}

/**
 * Returns a function that refreshes the data that depends on the versions of an agent. Call it when the agent has
 * changed.
 */
export function useAgentChanged(): (agent: Schemas['Agent']) => void {
  const queries = useQueryClient();
  return (agent) => {
    queries.setQueryData(['agent', agent.agentId], agent);
    void queries.invalidateQueries({ queryKey: ['agents'] });
    void queries.invalidateQueries({ queryKey: ['agent', agent.agentId, 'revisions'] });
  };
}
