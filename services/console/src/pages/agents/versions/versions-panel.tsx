import { Accordion, Alert, Button, Card, Center, Skeleton, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { CheckIcon, InfoIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../../api/queries.ts';
import { useList } from '../../../api/use-list.ts';
import { EmptyState, ErrorState } from '../../../components/states.tsx';
import { newestRunOf, useTestRuns } from '../tests/use-test-runs.ts';
import { useAgentChanged } from '../workspace/version-bar.tsx';
import { VersionDetails } from './version-details.tsx';
import { VersionHead } from './version-head.tsx';
import classes from './versions.module.css';

const PAGE_SIZE = 100;
const PUBLISHED = 'published';

/** The version history of an agent; `?version=` selects the open one. */
export function VersionsPanel({ agent }: { agent: Schemas['Agent'] }) {
  const { agentId } = agent;
  const agentChanged = useAgentChanged();
  const runs = useTestRuns(agentId).data ?? [];
  const [params, setParams] = useSearchParams();
  const isPublished = (useLocation().state as unknown) === PUBLISHED;
  const open = params.get('version');
  const show = (version: string | null, because?: string): void =>
    setParams({ tab: 'versions', ...(version && { version }) }, { replace: true, state: because });
  const list = useList(
    ['agent', agentId, 'revisions'],
    (cursor) =>
      dataOf(
        api.GET('/api/agents/{agent_id}/revisions', {
          params: { path: { agent_id: agentId }, query: { ...cursor, pageSize: PAGE_SIZE } },
        }),
      ),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const { items = [], hasMore, isLoadingMore, loadMore } = list;
  const at = items.findIndex(({ revisionId }) => revisionId === open);
  // The open version, or the one before it for the comparison, may be on a later page.
  const needsNextPage = open !== null && items.length > 0 && (at === -1 || at === items.length - 1);
  useEffect(() => {
    if (needsNextPage && hasMore && !isLoadingMore && list.error === null) loadMore();
  }, [needsNextPage, hasMore, isLoadingMore, list.error, loadMore]);

  // Moves the keyboard focus to the list, because the pressed button has disappeared.
  const listRef = useRef<HTMLDivElement>(null);
  const hasArrived = isPublished && at !== -1;
  useEffect(() => {
    if (hasArrived) listRef.current?.querySelector<HTMLElement>('[aria-expanded=true]')?.focus();
  }, [hasArrived]);

  if (list.items === undefined) {
    return list.error ? <ErrorState error={list.error} onRetry={list.retry} /> : <Loading />;
  }
  if (items.length === 0) {
    return (
      <Card>
        <EmptyState title="No versions yet">
          The first version is created when the agent gets settings; each change creates another.
        </EmptyState>
      </Card>
    );
  }
  const afterPublishing = (changed: Schemas['Agent']): void => {
    show(changed.publishedRevisionId, PUBLISHED);
    agentChanged(changed);
  };
  const currentAt = items.findIndex(({ published }) => published);
  return (
    <Stack gap="sm">
      {list.error !== null && <ErrorState error={list.error} onRetry={list.retry} />}
      {isPublished && (
        <Alert color="pine" icon={<CheckIcon />} title="The version is current" role="status">
          New calls use its settings.
        </Alert>
      )}
      {open !== null && at === -1 && !hasMore && !isPublished && (
        <Alert color="gray" icon={<InfoIcon />} title="This version was deleted" role="status">
          Only the latest 200 versions of each agent are stored.
        </Alert>
      )}
      <Accordion
        ref={listRef}
        variant="separated"
        order={2}
        value={open}
        onChange={(version) => show(version)}
        classNames={{ item: classes.version, control: classes.control }}
      >
        {items.map((revision, index) => {
          const before = items[index + 1];
          const isFirst = before === undefined && !hasMore;
          return (
            <Accordion.Item key={revision.revisionId} value={revision.revisionId}>
              <Accordion.Control>
                <VersionHead
                  revision={revision}
                  isFirst={isFirst}
                  run={newestRunOf(runs, revision.revisionId)}
                  source={items.find(({ revisionId }) => revisionId === revision.restoredFrom)}
                />
              </Accordion.Control>
              <Accordion.Panel>
                {revision.revisionId === open && (before !== undefined || isFirst) && (
                  <VersionDetails
                    revision={revision}
                    beforeId={before?.revisionId ?? null}
                    currentId={items[currentAt]?.revisionId ?? null}
                    runs={runs}
                    // Restoring creates a version that has not been tested.
                    isPublishable={agent.testsRequired || index < currentAt}
                    onPublished={afterPublishing}
                  />
                )}
              </Accordion.Panel>
            </Accordion.Item>
          );
        })}
      </Accordion>
      {hasMore && (
        <Center>
          <Button variant="default" onClick={loadMore} loading={isLoadingMore}>
            Load more
          </Button>
        </Center>
      )}
    </Stack>
  );
}

function Loading() {
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading">
      {Array.from({ length: 4 }, (_, row) => (
        <Skeleton key={row} height={72} radius="md" />
      ))}
    </Stack>
  );
}
