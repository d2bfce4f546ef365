import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { dataOf, api } from '../../../api/client.ts';
import { ErrorState } from '../../../components/states.tsx';
import { editable, type Template } from '../template.ts';
import { ChangeList } from './change-view.tsx';
import { inWords, templateChanges } from './template-changes.ts';

/** Compares two versions of an agent field by field. */
export function ComparedVersions(props: {
  agentId: string;
  /** Null compares with an empty template. */
  fromId: string | null;
  toId: string;
  /** Names of all changed fields, including secret ones; null if unknown. */
  changedFields: readonly string[] | null;
}) {
  const from = useVersion(props.agentId, props.fromId);
  const to = useVersion(props.agentId, props.toId);
  const changes = useMemo(
    () => (from.data && to.data ? templateChanges(from.data, to.data) : null),
    [from.data, to.data],
  );
  const failed = [from, to].find(({ error }) => error !== null);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!changes) return <Skeleton height={160} />;
  const seen = new Set(changes.map(({ path: [field] }) => field));
  const hidden = (props.changedFields ?? []).filter((field) => !seen.has(field));
  return (
    <Stack gap="md">
      {changes.length > 0 && <ChangeList changes={changes} />}
      {hidden.length > 0 && (
        <Text fz="sm">Secrets were changed; they are never shown: {hidden.map(inWords).join(', ')}.</Text>
      )}
      {changes.length + hidden.length === 0 && (
        <Text fz="sm" c="dimmed">
          The settings are identical.
        </Text>
      )}
    </Stack>
  );
}

/** The settings of a version without secrets; empty for null. Cached, because versions never change. */
export function useVersion(agentId: string, revisionId: string | null) {
  return useQuery({
    queryKey: ['agent', agentId, 'revision', revisionId],
    queryFn: async (): Promise<Template> => {
      if (revisionId === null) return {};
      const path = { agent_id: agentId, revision_id: revisionId };
      const revision = await dataOf(
        api.GET('/api/agents/{agent_id}/revisions/{revision_id}', { params: { path } }),
      );
      return editable(revision.callTemplate);
    },
    staleTime: Infinity,
  });
}
