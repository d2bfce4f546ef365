import { Button, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api, type Schemas } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Copyable, JsonView } from '../../../components/copyable.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { ComparedVersions, useVersion } from './compared-versions.tsx';

interface VersionProps {
  revision: Schemas['AgentRevisionBasic'];
  /** The version that was there before; null: none. */
  beforeId: string | null;
  /** Null: the agent has no settings now. */
  currentId: string | null;
  hasDraft: boolean;
  onRestored: (agent: Schemas['Agent']) => void;
}

/** What a version changed, what it would change now, and all of it. */
export function VersionDetails(props: VersionProps) {
  const { revision, beforeId, currentId } = props;
  const { agentId, revisionId, published } = revision;
  const [tab, setTab] = useState<string | null>('changes');
  return (
    <Stack gap="sm">
      <Tabs value={tab} onChange={setTab} variant="pills" keepMounted={false}>
        <Group justify="space-between" gap="sm" mb="md">
          <Tabs.List>
            <Tabs.Tab value="changes">What changed</Tabs.Tab>
            {!published && <Tabs.Tab value="restoring">Against current</Tabs.Tab>}
            <Tabs.Tab value="settings">All settings</Tabs.Tab>
          </Tabs.List>
          {!published && <MakeCurrent {...props} />}
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
            What making it current would change. Secrets are never shown, so they are not compared: it brings
            its own back.
          </Text>
          <ComparedVersions agentId={agentId} fromId={currentId} toId={revisionId} changedFields={null} />
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

function MakeCurrent({ revision, hasDraft, onRestored }: VersionProps) {
  const [isAsking, setIsAsking] = useState(false);
  const path = { agent_id: revision.agentId, revision_id: revision.revisionId };
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsAsking(true)}>
        Make current…
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Make this version current?"
        confirmLabel="Make current"
        isHarmless
        onConfirm={async () => {
          const restored = await answerOf(
            api.POST('/api/agents/{agent_id}/revisions/{revision_id}/restore', { params: { path } }),
          );
          onRestored(restored);
        }}
      >
        Calls that begin from then on have its settings, secrets included; calls that go on keep theirs. It
        becomes a new version, the others stay as they are.
        {hasDraft && ' What you changed in the settings and have not saved is lost.'}
      </ConfirmDialog>
    </>
  );
}

/** All that a version has, as the API says it. */
function VersionSettings({ agentId, revisionId }: { agentId: string; revisionId: string }) {
  const { data, error, refetch } = useVersion(agentId, revisionId);
  if (data) return <JsonView value={data} maxHeight="32rem" />;
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={160} />;
}
