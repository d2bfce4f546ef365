import { Skeleton } from '@mantine/core';
import { ErrorState } from '../../../components/error-state.tsx';
import { JsonView } from '../../../components/json-view.tsx';
import { useVersion } from './use-version.ts';

/** All that a version has, as the API says it. */
export function VersionSettings({ agentId, revisionId }: { agentId: string; revisionId: string }) {
  const { data, error, refetch } = useVersion(agentId, revisionId);
  if (data) return <JsonView value={data} maxHeight="32rem" />;
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={160} />;
}
