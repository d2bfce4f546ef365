import { Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { Changes } from '../../../components/changes.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Copyable, JsonView } from '../../../components/copyable.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { Publish } from '../workspace/version-bar.tsx';
import { ComparedTests } from './compared-tests.tsx';
import { ComparedVersions, useVersion } from './compared-versions.tsx';

interface VersionProps {
  revision: Schemas['AgentRevisionBasic'];
  /** The previous version; null if there is none. */
  beforeId: string | null;
  /** Null if the agent currently has no settings. */
  currentId: string | null;
  /** Test runs of the agent, newest first. */
  runs: readonly Schemas['TestRunSummary'][];
  /** Whether the version itself is published, or a new version with its settings. */
  isPublishable: boolean;
  onPublished: (agent: Schemas['Agent']) => void;
}

/** Shows what a version changed, what restoring it would change, and all of its settings. */
export function VersionDetails(props: VersionProps) {
  const { revision, beforeId, currentId, runs, isPublishable, onPublished } = props;
  const { agentId, revisionId, published } = revision;
  const [tab, setTab] = useState<string | null>('changes');
  return (
    <Stack gap="sm">
      <Tabs value={tab} onChange={setTab} variant="pills" keepMounted={false}>
        <Group justify="space-between" gap="sm" mb="md">
          <Tabs.List>
            <Tabs.Tab value="changes">What changed</Tabs.Tab>
            {!published && <Tabs.Tab value="restoring">Against current</Tabs.Tab>}
            <Tabs.Tab value="tests">Test results</Tabs.Tab>
            <Tabs.Tab value="settings">All settings</Tabs.Tab>
          </Tabs.List>
          {!published &&
            (isPublishable ? (
              <Publish version={revision} onPublished={onPublished} />
            ) : (
              <MakeCurrent {...props} />
            ))}
        </Group>
        <Tabs.Panel value="changes">
          <ComparedVersions
            agentId={agentId}
            fromId={beforeId}
            toId={revisionId}
            changedFields={revision.changedFields}
          />
        </Tabs.Panel>
        <Tabs.Panel value="restoring">
          <Text fz="sm" c="dimmed" mb="sm">
            What restoring this version would change. Secrets are never shown or compared; the version's own
            secrets are restored.
          </Text>
          <ComparedVersions agentId={agentId} fromId={currentId} toId={revisionId} changedFields={null} />
        </Tabs.Panel>
        <Tabs.Panel value="tests">
          <ComparedTests runs={runs} revisionId={revisionId} currentId={currentId} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <VersionSettings agentId={agentId} revisionId={revisionId} />
        </Tabs.Panel>
      </Tabs>
      <Group gap={6} fz="xs" c="dimmed">
        Version id <Copyable text={revisionId} what="version id" short />
      </Group>
    </Stack>
  );
}

function MakeCurrent({ revision, onPublished }: VersionProps) {
  const [isAsking, setIsAsking] = useState(false);
  const path = { agent_id: revision.agentId, revision_id: revision.revisionId };
  return (
    <>
      <Changes>
        <Button variant="default" size="xs" onClick={() => setIsAsking(true)}>
          Make current…
        </Button>
      </Changes>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Make this version current?"
        confirmLabel="Make current"
        isHarmless
        onConfirm={async () => {
          const restored = await dataOf(
            api.POST('/api/agents/{agent_id}/revisions/{revision_id}/restore', { params: { path } }),
          );
          onPublished(restored);
        }}
      >
        New calls will use its settings, including secrets; live calls keep theirs. It becomes a new version,
        and the other versions remain.
      </ConfirmDialog>
    </>
  );
}

/** All settings of a version, as returned by the API. */
function VersionSettings({ agentId, revisionId }: { agentId: string; revisionId: string }) {
  const { data, error, refetch } = useVersion(agentId, revisionId);
  if (data) return <JsonView value={data} maxHeight="32rem" />;
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={160} />;
}
